#pragma once
//===- Split.h - Options that make Megatron-LM place layers as the plan does ------------------===//
#include "backends/megatron/MegatronLayout.h"

namespace dpl::megatron {

/// Why Megatron-LM cannot place layers as the plan does. It has the embedding on the first chunk
/// and the head on the last. All MTP layers must be on one chunk, which is the last one of its
/// rank.
enum class SplitProblem : std::uint8_t { None, Ends, PredictionLayers };

struct MegatronSplit {
  std::vector<std::string> arguments; ///< the fewest options that give the plan's placement
  SplitProblem problem = SplitProblem::None;
};

/// Tries, in this order: an even split; an even split that counts embedding and head as layers;
/// other numbers of layers on the first and last pipeline rank; a layout string, which can express
/// every placement.
MegatronSplit splitOf(const MegatronLayout& layout);

} // namespace dpl::megatron
