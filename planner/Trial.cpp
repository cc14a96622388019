//===- Trial.cpp - What the passes say of one point, without words ----------------------------===//
#include "planner/Trial.h"
#include "cost/Legality.h"
#include "planner/MeshSpace.h"

using namespace dpl;
using namespace dpl::planner;
using cost::Point;

namespace {
std::string firstError(const DiagnosticEngine& diags) {
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error)
      return d.message;
  return "";
}
} // namespace

Trial::Trial(const ir::Plan& from) : plan(from), experts(cost::hasExperts(from.model)) {}

bool Trial::asserts(const Point& point, std::string& said) {
  if (plan.assertions.empty())
    return true;
  said = errorOf(point);
  return said.empty();
}

std::string Trial::errorOf(const Point& point) {
  DiagnosticEngine silent;
  writePoint(point, plan.layout, experts);
  (void)runPipeline(plan, silent, {});
  return firstError(silent);
}
