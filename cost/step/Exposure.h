#pragma once
//===- Exposure.h - What communication costs a step -------------------------------------------===//
#include "cost/execution/StepSweep.h"
#include "cost/step/Traffic.h"

namespace dpl::cost {

/// The executed step less the step in which some collectives take no time and slow nothing;
/// seconds. What is left of each alone: where two hide one another, neither shows.
class Exposure {
public:
  explicit Exposure(const ir::Plan& plan);
  double all();
  /// "tensor", "context", "expert", "pipeline" or "data".
  double along(llvm::StringRef axis);
  /// The axis with the most, and its seconds; the first of equal ones.
  std::pair<const char*, double> most();
  /// All collectives of the purpose, kind and group of a row, on every pipeline rank.
  double of(const Traffic& row);

private:
  double without(llvm::function_ref<bool(const ir::Collective&)> takesNoTime);
  const ir::Plan& plan;
  cost::StepSweep step;
  std::uint64_t whole; ///< ps of the step as it is
};

/// The axes that communication is counted under, in the order in which they are shown.
llvm::ArrayRef<const char*> exposedAxes();

} // namespace dpl::cost
