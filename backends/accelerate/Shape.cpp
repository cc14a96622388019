//===- Shape.cpp - The plug-in of Accelerate for a plan ---------------------------------------===//
#include "backends/accelerate/Accelerate.h"

using namespace dpl;
using namespace dpl::accelerate;

namespace {
PlugIn plugInOf(const deepspeed::DeepspeedLayout& s) {
  if (s.pipelined() || (s.tensor > 1 && s.zero <= 1))
    return s.zero <= 1 ? PlugIn::Megatron : PlugIn::Missing;
  if (s.zero == 3)
    return PlugIn::FullySharded;
  if (s.tensor > 1) // ZeRO stage 2 with tensor ranks
    return PlugIn::Missing;
  if (s.zero > 0)
    return PlugIn::DeepSpeed;
  if (s.context > 1)
    return PlugIn::Megatron;
  return s.plan.mesh.devices > 1 ? PlugIn::DataParallel : PlugIn::None;
}
} // namespace

const char* dpl::accelerate::nameOf(PlugIn plugIn) {
  switch (plugIn) {
  case PlugIn::None:
    return "one process";
  case PlugIn::DataParallel:
    return "data parallelism";
  case PlugIn::FullySharded:
    return "FSDP2";
  case PlugIn::DeepSpeed:
    return "the DeepSpeed plug-in";
  case PlugIn::Megatron:
    return "the Megatron-LM plug-in";
  case PlugIn::Missing:
    break;
  }
  return "";
}

AccelerateLayout::AccelerateLayout(const ir::Plan& plan)
    : deepspeed::DeepspeedLayout(plan), plugIn(plugInOf(*this)) {}

bool AccelerateLayout::hasMesh() const {
  return plugIn == PlugIn::FullySharded && (replica > 1 || context > 1 || tensor > 1);
}

TargetRequest dpl::accelerate::deepspeedRequest(const TargetRequest& request) {
  const Target& target = *targetNamed("deepspeed");
  return {target, request.plan, target.newest(), {}};
}

TargetRequest dpl::accelerate::megatronRequest(const ir::Plan& plan) {
  const Target& target = *targetNamed("megatron");
  return {target, plan, target.newest(), {}};
}

Formats dpl::accelerate::formatsOf(const AccelerateLayout& s) {
  const ir::DataType compute = s.plan.layout.precision.compute;
  using enum ir::DataType;
  switch (s.plugIn) {
  case PlugIn::FullySharded: // set_mixed_precision uses the compute type for parameters and
                             // reductions
                             // compute
    return {{compute, FP32}, {FP32}, {compute}};
  case PlugIn::Megatron: // --bf16 accumulates and reduces in fp32, --fp16 in fp16
    return {{compute}, {compute == BF16 ? FP32 : compute}, {compute == BF16 ? FP32 : compute}};
  case PlugIn::None:
  case PlugIn::DataParallel: // autocast uses fp32 parameters
  case PlugIn::DeepSpeed:
  case PlugIn::Missing:
    break;
  }
  return {{FP32}, {FP32}, {FP32}};
}

std::optional<std::uint64_t> dpl::accelerate::lastStageOf(const AccelerateLayout& s) {
  const std::vector<ir::Chunk>& chunks = s.plan.chunks;
  if (chunks.size() != s.pipeline)
    return std::nullopt;
  for (const ir::Chunk& c : chunks)
    if (&c != &chunks.back() && c.layers != chunks.front().layers)
      return std::nullopt;
  return chunks.back().layers == chunks.front().layers ? 0 : chunks.back().layers;
}
