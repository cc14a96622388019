#pragma once
//===- Split.h - Options that make torchtitan place layers as the plan does -------------------===//
#include "backends/torchtitan/TorchtitanLayout.h"
#include <optional>

namespace dpl::torchtitan {

/// The layers per stage if torchtitan distributes them itself, counting embedding and head as
/// `first` and `last` layers (generate_llm_fqn_per_model_part). None if torchtitan refuses.
/// Requires at least 2 stages.
std::optional<std::vector<std::uint64_t>> spread(std::uint64_t stages, std::uint64_t layers,
                                                 std::uint64_t first, std::uint64_t last);

struct TorchtitanSplit {
  /// pipeline_parallel_{first,last}_stage_less_layers that give the plan's placement.
  std::uint64_t first = 1, last = 1;
  std::uint64_t layersPerStage = 0; ///< pipeline_parallel_layers_per_stage; 0 omits it
  bool listed = false;              ///< whether it needs a list: module_fqns_per_model_part
};

/// Requires a plan with a pipeline.
TorchtitanSplit splitOf(const TorchtitanLayout& layout);

} // namespace dpl::torchtitan
