//===- Lower.cpp - Lowers checked objects to a plan -------------------------------------------===//
#include "frontend/sema/Lower.h"
#include "frontend/sema/Lowering.h"
#include "frontend/sema/Object.h"
#include "support/diagnostics/Layout.h"

using namespace dpl;
using namespace dpl::sema;

std::uint64_t Lowering::bounded(std::uint64_t n, std::uint64_t limit, llvm::StringRef what,
                                SourceRange range) {
  if (n <= limit)
    return n;
  failed = true;
  // If a default is too large, the error is placed at the layout.
  diags.report<diag::PlanTooLarge>(range.valid() ? range : plan.layout.rangeOf(""), what, limit)
      .label(fmt::format("found {}", n));
  return 1;
}

void Lowering::locate(const std::string& path, const ObjectFields& object, llvm::StringRef field) {
  if (!object.isSet(field))
    return;
  plan.layout.ranges[path] = object.range(field);
  plan.layout.ranges[path + "="] = object.value(field).range;
}

namespace {

void lowerLint(Lowering& to, const ObjectFields& lint) {
  ir::Lint& out = to.plan.lint;
  const auto read = [&](const char* field, double& value) {
    value = lint.real(field);
    if (lint.isSet(field))
      out.origins.push_back({field, to.sources.describe(lint.range(field))});
  };
#define LINT(MEMBER, FIELD, DEFAULT) read(FIELD, out.MEMBER);
#include "ir/Lint.def"
}

} // namespace

LogicalResult sema::lower(const ObjectFields& layout, const ObjectFields& model,
                          const ObjectFields& cluster, const ObjectFields& lint,
                          const SourceManager& sources, DiagnosticEngine& diags, ir::Plan& plan) {
  Lowering to{sources, diags, plan};
  plan.layout.ranges[""] = layout.raw()->range;
  plan.layout.ranges["model"] = model.raw()->range;
  plan.layout.ranges["cluster"] = cluster.raw()->range;
  lowerLint(to, lint); // the layout's optimizer reads a threshold
  bool failed = lowerModel(to, model).failed();
  failed |= lowerCluster(to, cluster).failed();
  // The layout needs the model to convert tokens. If the model has an error, it would be reported
  // twice.
  if (!failed)
    failed |= lowerLayout(to, layout).failed();
  failed |= to.failed || layout.failed() || lint.failed();
  return failed ? LogicalResult::failure() : LogicalResult::success();
}
