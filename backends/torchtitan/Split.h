#pragma once
//===- Split.h - Options that make torchtitan place layers as the plan does -------------------===//
#include "backends/torchtitan/TorchtitanLayout.h"
#include <optional>

namespace dpl::torchtitan {

/// The layers of each stage if torchtitan distributes them itself
/// (generate_llm_fqn_per_model_part). The embedding counts as `first` layers, the head as `last`
/// layers. None if torchtitan refuses. Requires at least 2 stages.
std::optional<std::vector<std::uint64_t>> spread(std::uint64_t stages, std::uint64_t layers,
                                                 std::uint64_t first, std::uint64_t last);

struct TorchtitanSplit {
  /// Values of pipeline_parallel_{first,last}_stage_less_layers for the plan's placement.
  std::uint64_t first = 1, last = 1;
  std::uint64_t layersPerStage = 0; ///< value of pipeline_parallel_layers_per_stage; 0 if it is
                                    ///< left out
  bool listed = false;              ///< whether only a list, module_fqns_per_model_part, gives the
                                    ///< placement
};

/// Finds the options for the plan's placement. Requires a plan with a pipeline.
TorchtitanSplit splitOf(const TorchtitanLayout& layout);

} // namespace dpl::torchtitan
