#pragma once
//===- MegatronLayout.h - A plan in Megatron-LM's terms ---------------------------------------===//
#include "backends/FirstLayers.h"
#include "support/Release.h"
#include <optional>

namespace dpl::megatron {

/// The orders in which Megatron-LM can number ranks, fastest axis first.
enum class AxisRankOrder : std::uint8_t {
  PipelineOutside, ///< tp-cp-ep-dp-pp, the default
  DataOutside      ///< tp-cp-ep-pp-dp, with --use-tp-pp-dp-mapping
};

/// The part of a step that CUDA graphs capture.
enum class GraphCapture : std::uint8_t {
  Nothing,        ///< the plan has no graphs
  Layers,         ///< one graph for each layer
  WithoutExperts, ///< one graph per layer, without the permutation and the GEMMs of routed experts
  Iteration       ///< one graph for all actions of a step; the only one with full recomputation
};

/// The degrees and layer sizes that the rules and the arguments need. It refers to the plan.
struct MegatronLayout : FirstLayers {
  /// `release` is the release of the rules and options; any() has every option.
  explicit MegatronLayout(const ir::Plan& plan, Release release = {});

  const ir::Plan& plan;
  Release release;
  std::uint64_t tensor = 1, context = 1, data = 1, replica = 1, pipeline = 1;
  std::uint64_t chunks = 1; ///< model chunks per pipeline rank: the virtual pipeline size
  /// The expert grid. If the plan has none, Megatron-LM's default: expert tensor = tensor.
  std::uint64_t expert = 1, expertTensor = 1, expertData = 1;
  unsigned zero = 0; ///< ZeRO stage of the plan's `shard`

  std::vector<bool> expertLayers; ///< whether a layer has routed experts, by layer
  std::vector<bool> windowLayers; ///< whether a layer attends to a window, by layer
  std::uint64_t window = 0;       ///< window of the first layer with one, or 0

  /// The order with the strides of the plan's mesh, if there is one.
  std::optional<AxisRankOrder> order;

  std::uint64_t dataRanks() const { return replica * data; }
  std::uint64_t paddedVocab() const;
  /// Tokens per device and micro-batch in the parts that sequence parallelism splits.
  std::uint64_t tokensPerRank() const;
  bool sequenceParallel() const;
  /// Whether context ranks split a sequence with a window, which a ring of TE refuses.
  bool gathersWindow() const { return context > 1 && window > 0; }
  bool fullySharded() const { return zero >= 2; }
  /// Whether overlapped gradients are reduced in several buckets; only the first stage has several.
  bool hasBuckets() const {
    return plan.layout.overlap.gradients && pipeline == 1 && !fullySharded();
  }
  bool gated() const;
  /// Whether compute uses TransformerEngine's FP8 or FP4 GEMMs.
  bool narrowCompute() const;
  /// The parameter type where compute is FP8 or FP4: Megatron-LM's --bf16 or --fp16.
  ir::DataType wideCompute() const;
  /// Whether fully sharded data parallelism has separate types for gradients and master weights.
  /// Releases before 0.17 have only the options for unsharded gradients.
  bool fullyShardedTypes() const;
  /// Whether the optimizer state is narrower than fp32: --use-precision-aware-optimizer.
  bool narrowOptimizerState() const;
  GraphCapture graphs() const;
  /// The share of the optimizer state in host memory: --optimizer-cpu-offload.
  double offloadedState() const { return plan.layout.offloadSettings().optimizer; }
};

/// The axes of Megatron-LM's expert grid, for plans whose mesh has none.
std::vector<ir::MeshAxis> expertAxes(const MegatronLayout& layout);

} // namespace dpl::megatron
