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
  Iteration       ///< one graph for all actions of a step; the only kind that allows full
                  ///< recomputation
};

/// A plan in Megatron-LM's terms: degrees and layer sizes that rules and options need. It refers to
/// the plan.
struct MegatronLayout : FirstLayers {
  /// `release` selects the rules and options; any() has every option.
  explicit MegatronLayout(const ir::Plan& plan, Release release = {});

  const ir::Plan& plan;
  Release release;
  std::uint64_t tensor = 1, context = 1, data = 1, replica = 1, pipeline = 1;
  std::uint64_t chunks = 1; ///< model chunks per pipeline rank: the virtual pipeline size
  /// The degrees of the expert grid. If the plan has no grid, Megatron-LM's default applies: expert
  /// tensor = tensor.
  std::uint64_t expert = 1, expertTensor = 1, expertData = 1;
  unsigned zero = 0; ///< ZeRO stage of the plan's `shard`

  std::vector<bool> expertLayers; ///< whether a layer has routed experts, by layer
  std::vector<bool> windowLayers; ///< whether a layer has sliding-window attention, by layer
  std::uint64_t window = 0;       ///< window of the first layer with one, in tokens; 0 if there is
                                  ///< none

  /// The rank order that gives the strides of the plan's mesh, if Megatron-LM has it.
  std::optional<AxisRankOrder> order;

  std::uint64_t dataRanks() const { return replica * data; }
  std::uint64_t paddedVocab() const;
  /// Tokens of a micro-batch on one device, in the modules whose inputs sequence parallelism
  /// splits.
  std::uint64_t tokensPerRank() const;
  bool sequenceParallel() const;
  /// Whether context ranks split sequences with a sliding window, which Transformer Engine's ring
  /// exchange refuses.
  bool gathersWindow() const { return context > 1 && window > 0; }
  bool fullySharded() const { return zero >= 2; }
  /// Whether overlapped gradient reductions use several buckets. Only the first stage has several.
  bool hasBuckets() const {
    return plan.layout.overlap.gradients && pipeline == 1 && !fullySharded();
  }
  bool gated() const;
  /// Whether GEMMs run in FP8 or FP4 with Transformer Engine.
  bool narrowCompute() const;
  /// The compute type, but bf16 in place of FP8 and FP4, which Megatron-LM combines with --bf16.
  ir::DataType wideCompute() const;
  /// Whether fully sharded data parallelism can set the types of gradients and master weights
  /// separately. Before 0.17 it has only the options for unsharded gradients.
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
