#pragma once
//===- MegatronLayout.h - A plan in Megatron-LM's terms
//----------------------------------------===//
#include "backends/FirstLayers.h"
#include "support/Release.h"
#include <optional>

namespace dpl::megatron {

/// How Megatron-LM numbers ranks, fastest axis first. It has these two and no other.
enum class AxisRankOrder : std::uint8_t {
  PipelineOutside, ///< tp-cp-ep-dp-pp, the default
  DataOutside      ///< tp-cp-ep-pp-dp, with --use-tp-pp-dp-mapping
};

/// The part of a step that CUDA graphs capture.
enum class GraphCapture : std::uint8_t {
  Nothing,        ///< the plan has no graphs
  Layers,         ///< one graph for each layer
  WithoutExperts, ///< of each layer all but the permutation and the GEMMs of routed experts
  Iteration       ///< one graph for all passes of a step, the only one with full recomputation
};

/// The degrees and the layer shapes that the rules and the arguments read. Refers to the plan.
struct MegatronLayout : FirstLayers {
  /// `release` is the one that rules and options are for; any() has every option.
  explicit MegatronLayout(const ir::Plan& plan, Release release = {});

  const ir::Plan& plan;
  Release release;
  std::uint64_t tensor = 1, context = 1, data = 1, replica = 1, pipeline = 1;
  std::uint64_t chunks = 1; ///< model chunks a pipeline rank: the virtual pipeline size
  /// The grid of the experts; without one in the plan, Megatron-LM's default: expert tensor =
  /// tensor.
  std::uint64_t expert = 1, expertTensor = 1, expertData = 1;
  unsigned zero = 0; ///< ZeRO stage of the plan's `shard`

  std::vector<bool> expertLayers; ///< by layer: it has routed experts
  std::vector<bool> windowLayers; ///< by layer: it attends to a window
  std::uint64_t window = 0;       ///< of the first layer that has one; 0 without any

  /// The order whose strides are those of the plan's mesh; none when the mesh has another one.
  std::optional<AxisRankOrder> order;

  std::uint64_t dataRanks() const { return replica * data; }
  std::uint64_t paddedVocab() const;
  /// Tokens of one micro-batch on one device in the parts that sequence parallelism splits.
  std::uint64_t tokensPerRank() const;
  bool sequenceParallel() const;
  /// A sliding window over a sequence that is cut: Transformer Engine refuses it on a ring.
  bool gathersWindow() const { return context > 1 && window > 0; }
  bool fullySharded() const { return zero >= 2; }
  /// Gradients beside the backward pass leave in buckets; stages behind the first have one.
  bool hasBuckets() const {
    return plan.layout.overlap.gradients && pipeline == 1 && !fullySharded();
  }
  bool gated() const;
  /// TransformerEngine's FP8 or FP4 matrix products.
  bool narrowCompute() const;
  /// What the parameters are where compute is narrow: Megatron-LM's --bf16 or --fp16.
  ir::DataType wideCompute() const;
  /// Types of their own for the gradients and the master copy of fully sharded data parallelism;
  /// releases before 0.17 have only the options of unsharded gradients.
  bool fullyShardedTypes() const;
  /// Optimizer state narrower than fp32: --use-precision-aware-optimizer.
  bool narrowOptimizerState() const;
  GraphCapture graphs() const;
  /// Share of the optimizer's state in the memory of the host: --optimizer-cpu-offload.
  double offloadedState() const { return plan.layout.offloadSettings().optimizer; }
};

/// The axes of the expert grid as Megatron-LM lays them out, when the plan's mesh states none.
std::vector<ir::MeshAxis> expertAxes(const MegatronLayout& layout);

} // namespace dpl::megatron
