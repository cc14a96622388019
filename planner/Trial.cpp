//===- Trial.cpp - What the passes say of one point, without words ----------------------------===//
#include "planner/Trial.h"
#include "cost/Legality.h"
#include "planner/MeshSpace.h"

using namespace dpl;
using namespace dpl::planner;
using cost::Point;

std::string dpl::planner::firstErrorOf(ir::Plan& plan) {
  DiagnosticEngine silent;
  (void)runPipeline(plan, silent, {});
  for (const Diagnostic& d : silent.diagnostics())
    if (d.info.severity == Severity::Error)
      return d.message;
  return "";
}

Trial::Trial(const ir::Plan& from) : plan(from), experts(cost::hasExperts(from.model)) {}

bool Trial::asserts(const Point& point, std::string& said) {
  if (plan.assertions.empty())
    return true;
  said = errorOf(point);
  return said.empty();
}

std::string Trial::errorOf(const Point& point) {
  writePoint(point, plan.layout, experts);
  return firstErrorOf(plan);
}
