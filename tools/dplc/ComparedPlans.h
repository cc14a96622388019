#pragma once
//===- ComparedPlans.h - Plans with the fields of their files, to be compared -----------------===//
#include "backends/report/Difference.h"
#include "driver/workspace/Workspace.h"

namespace dpl::tool {

/// One side of a comparison: a complete plan of a compiled file. The plan and the file must outlive
/// the result.
inline report::ComparedPlan comparedPlan(const ir::Plan& plan, const CompiledUnit& unit,
                                         std::string name) {
  report::ComparedPlan side{plan, std::move(name), {}};
  for (WrittenField& field : unit.fieldsOf(plan))
    side.fields.push_back({std::move(field.path), std::move(field.value), std::move(field.name)});
  return side;
}

} // namespace dpl::tool
