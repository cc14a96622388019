#pragma once
//===- DeepspeedLayout.h - A plan in DeepSpeed's terms
//-----------------------------------------===//
#include "backends/FirstLayers.h"

namespace dpl::deepspeed {

/// The degrees and types that the rules and the files read. Refers to the plan.
struct DeepspeedLayout : FirstLayers {
  explicit DeepspeedLayout(const ir::Plan& plan);

  const ir::Plan& plan;
  std::uint64_t tensor = 1, context = 1, data = 1, replica = 1, pipeline = 1;
  std::uint64_t expert = 1, expertTensor = 1; ///< expertTensor is tensor when the plan has no grid
  unsigned zero = 0;                          ///< ZeRO stage of the plan's `shard`

  /// DeepSpeed has one data axis; replicas are part of it.
  std::uint64_t dataRanks() const { return replica * data; }
  /// PipelineModule runs the layers, and the script splits tensors and experts itself.
  bool pipelined() const { return pipeline > 1; }
  /// AutoTP and AutoEP of the engine, which do so without stages.
  bool autoTensor() const { return !pipelined() && tensor > 1; }
  bool autoExperts() const { return !pipelined() && routed; }
  /// AutoTP and AutoEP together: the engine then makes both kinds of groups itself.
  bool folded() const { return autoTensor() && routed; }

  /// Whether ZeRO-3 gathers the parameters of experts. It gathers those of each expert when that
  /// expert runs, unless the block of experts is a leaf module.
  bool gathersExperts() const { return zero == 3 && routed; }

  /// fp32 parameters and 16-bit products: torch_autocast.
  bool autocast() const;
  /// Its dedicated optimizer for bf16 parameters and fp32 gradients of ZeRO stage 1, which reduces
  /// after the backward pass.
  bool afterBackward() const;
  /// Whether the axes have the strides of DeepSpeed's groups.
  bool inOrder() const;
};

} // namespace dpl::deepspeed
