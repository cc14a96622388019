#pragma once
//===- SplitSearch.h - The fastest of the splits that are worth executing ---------------------===//
//
// The split whose slowest stage is fastest need not be the fastest one: where the slack lies
// decides how long the pipeline fills, drains and waits. So the best by several measures are
// executed, and from the fastest of them on its neighbours, until none is faster or the number is
// used up.
#include "cost/partition/StageCosts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace dpl::cost {

/// What a split comes to when it is executed. Memory goes before time.
struct SplitOutcome {
  std::uint64_t lacks = 0; ///< bytes, of all ranks together
  std::uint64_t step = 0;  ///< ps
  auto operator<=>(const SplitOutcome&) const = default;
};
/// Nothing where the schedule does not come to its end.
using ExecuteSplit = llvm::function_ref<std::optional<SplitOutcome>(const LayerSplit&)>;

struct ChosenSplit {
  LayerSplit layers;
  std::optional<SplitOutcome> outcome; ///< of `layers`
  std::optional<SplitOutcome> evenest; ///< of the first candidate: the least slowest stage
  std::uint64_t candidates = 0, executed = 0;
  bool considersAll = true; ///< false where there are too many stages, or layers for them
  std::uint64_t slowest = 0, leastSlowest = 0; ///< ps of the slowest rank of `layers`, and a bound
};

/// Executes at most `most` splits. `others` are weighed besides those that it finds itself.
ChosenSplit chooseSplit(const StageCosts& costs, llvm::ArrayRef<LayerSplit> others,
                        std::uint64_t most, ExecuteSplit execute);

} // namespace dpl::cost
