#pragma once
//===- Exposure.h - Time of a step that communication causes ----------------------------------===//
#include "cost/execution/StepSweep.h"
#include "cost/step/Traffic.h"

namespace dpl::cost {

/// Seconds by which the step gets shorter if some collectives take no time and cause no slowdown.
/// If two collectives hide one another, removing either one alone saves nothing.
class Exposure {
public:
  explicit Exposure(const ir::Plan& plan);
  double all();
  /// "tensor", "context", "expert", "pipeline" or "data".
  double along(llvm::StringRef axis);
  /// The axis with the largest value, and this value. The first axis wins a tie.
  std::pair<const char*, double> most();
  /// The value of all collectives with the purpose, kind and group of a row, on all pipeline ranks.
  double of(const Traffic& row);

private:
  double without(llvm::function_ref<bool(const ir::Collective&)> takesNoTime);
  const ir::Plan& plan;
  cost::StepSweep step;
  std::uint64_t whole; ///< ps of the step with all collectives
};

/// The axes of exposed communication in display order.
llvm::ArrayRef<const char*> exposedAxes();

} // namespace dpl::cost
