#pragma once
//===- SplitSearch.h - Executes candidate splits and finds the fastest ------------------------===//
//
// The split with the fastest slowest stage need not be the fastest split: the position of the slack
// affects warm-up, cool-down and waits. Therefore the best splits by several measures are executed,
// then the neighbours of the fastest one, until none is faster or the budget is used up.
#include "cost/partition/StageCosts.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <optional>

namespace dpl::cost {

/// The result of executing a split. Missing memory is compared before time.
struct SplitOutcome {
  std::uint64_t lacks = 0; ///< missing bytes of all ranks together
  std::uint64_t step = 0;  ///< ps
  auto operator<=>(const SplitOutcome&) const = default;
};
/// Returns nothing if the schedule does not complete.
using ExecuteSplit = llvm::function_ref<std::optional<SplitOutcome>(const LayerSplit&)>;

struct ChosenSplit {
  LayerSplit layers;
  std::optional<SplitOutcome> outcome; ///< outcome of `layers`
  /// The outcome of the first candidate, which has the fastest slowest stage.
  std::optional<SplitOutcome> evenest;
  std::uint64_t candidates = 0, executed = 0;
  bool considersAll = true; ///< false if there are too many stages or layers
  /// ps of the slowest rank of `layers`, and a lower bound
  std::uint64_t slowest = 0, leastSlowest = 0;
};

/// Executes at most `most` splits and returns the best one. `others` are executed in addition to
/// the candidates that the search finds.
ChosenSplit chooseSplit(const StageCosts& costs, llvm::ArrayRef<LayerSplit> others,
                        std::uint64_t most, ExecuteSplit execute);

} // namespace dpl::cost
