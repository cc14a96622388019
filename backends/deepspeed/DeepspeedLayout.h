#pragma once
//===- DeepspeedLayout.h - A plan in DeepSpeed's terms ----------------------------------------===//
#include "backends/FirstLayers.h"

namespace dpl::deepspeed {

/// A plan in DeepSpeed's terms: degrees and types that the rules and files need. It refers to the
/// plan.
struct DeepspeedLayout : FirstLayers {
  explicit DeepspeedLayout(const ir::Plan& plan);

  const ir::Plan& plan;
  std::uint64_t tensor = 1, context = 1, data = 1, replica = 1, pipeline = 1;
  std::uint64_t expert = 1, expertTensor = 1; ///< expert and expert tensor degree; without an
                                              ///< expert grid, expertTensor is tensor
  unsigned zero = 0;                          ///< ZeRO stage of the plan's `shard`

  /// The ranks of DeepSpeed's single data axis, which includes replicas.
  std::uint64_t dataRanks() const { return replica * data; }
  /// Whether PipelineModule runs the layers. The training script then splits tensors and experts
  /// itself.
  bool pipelined() const { return pipeline > 1; }
  /// Whether the engine's AutoTP or AutoEP splits layers. They do so only without pipeline stages.
  bool autoTensor() const { return !pipelined() && tensor > 1; }
  bool autoExperts() const { return !pipelined() && routed; }
  /// Whether both AutoTP and AutoEP are on. The engine then makes both kinds of groups itself.
  bool folded() const { return autoTensor() && routed; }

  /// Whether ZeRO-3 gathers the parameters of experts. It gathers each expert's parameters when the
  /// expert runs, unless the block of experts is a leaf module.
  bool gathersExperts() const { return zero == 3 && routed; }

  /// Whether torch_autocast runs 16-bit GEMMs on fp32 parameters.
  bool autocast() const;
  /// Whether BF16_Optimizer runs (bf16 parameters, fp32 gradients, ZeRO stage 1). It reduces
  /// gradients after the backward pass.
  bool afterBackward() const;
  /// Whether the axes have the strides of DeepSpeed's groups.
  bool inOrder() const;
};

} // namespace dpl::deepspeed
