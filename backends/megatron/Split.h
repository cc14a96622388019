#pragma once
//===- Split.h - Options that make Megatron-LM place layers as the plan does ------------------===//
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

/// Megatron-LM places the embedding on the first chunk and the head on the last. All MTP layers
/// must be together on a chunk that is the last one of its rank.
enum class SplitProblem : std::uint8_t { None, Ends, PredictionLayers };

struct MegatronSplit {
  std::vector<std::string> arguments; ///< the fewest options that give the plan's placement
  SplitProblem problem = SplitProblem::None;
};

/// Tries in this order: an even split; slots for embedding and head; another number of layers on
/// the first and last pipeline rank; and a layout string, which expresses every placement.
MegatronSplit splitOf(const MegatronLayout& layout);

} // namespace dpl::megatron
