//===- ClusterFields.cpp - Reads fields of a cluster and checks their bounds ------------------===//
#include "frontend/sema/ClusterFields.h"
#include "support/diagnostics/Layout.h"
#include "support/diagnostics/Schema.h"

using namespace dpl;
using namespace dpl::sema;

std::uint64_t ClusterFields::positive(const ObjectFields& from, const char* field) const {
  const std::uint64_t n = to.bounded(from.count(field), mostDevices, field, from.range(field));
  notZero(n, from, field);
  return n;
}

void ClusterFields::notZero(std::uint64_t n, const ObjectFields& from, const char* field) const {
  if (n != 0 || from.failed())
    return;
  to.failed = true;
  to.diags.report<diag::FieldIsZero>(from.range(field), field);
}

bool ClusterFields::isStated(const ObjectFields& from, const char* field) const {
  return from.isSet(field) && !to.sources.name(from.range(field).file).startswith("std.");
}

double ClusterFields::ratio(const ObjectFields& from, const char* field, Ratio wanted) const {
  const Number n = from.number(field);
  const double r = n.toDouble();
  if (wanted.holds(r) || from.failed())
    return r;
  to.failed = true;
  const SourceRange at = from.value(field).range;
  to.diags.report<diag::OutsideRange>(at.valid() ? at : from.range(field), field, wanted.words,
                                      n.str());
  return 1;
}
