//===- CheckPrecision.cpp - Number formats that Megatron-LM has options for -------------------===//
#include "backends/megatron/Rules.h"
#include "ir/Names.h"

using namespace dpl;
using namespace dpl::megatron;

namespace {

/// Checks that gradients are stored, summed and reduced in one type, which is fp32 or that of the
/// parameters.
void checkGradients(const MegatronLayout& s, Findings& findings) {
  const ir::Precision& p = s.plan.layout.precision;
  const bool known = p.gradients == ir::DataType::FP32 || p.gradients == s.wideCompute();
  if (s.fullySharded()) { // storage and reduction have separate options
    const auto fits = [&](ir::DataType t) {
      return t == ir::DataType::FP32 || t == s.wideCompute();
    };
    if (!fits(p.gradients) || !fits(p.reduce))
      findings.report<rule::GradientTypes>("precision.gradients", ir::name(p.gradients),
                                           ir::name(p.reduce), ir::name(s.wideCompute()),
                                           "fp32 or that type");
  } else if (!known || p.reduce != p.gradients) {
    const char* path = known ? "precision.reduce" : "precision.gradients";
    const bool wide = s.wideCompute() == ir::DataType::FP32;
    findings.report<rule::GradientTypes>(
        path, ir::name(p.gradients), ir::name(p.reduce), ir::name(s.wideCompute()),
        wide ? "fp32" : std::string("fp32 or both in ") + ir::name(s.wideCompute()));
  }
}

void checkState(const MegatronLayout& s, Findings& findings) {
  const ir::Precision& p = s.plan.layout.precision;
  const ir::DataType wide = s.wideCompute();
  if (wide == ir::DataType::FP32) {
    // fp32 parameters are their own master weights.
    if (p.hasMaster && p.master != ir::DataType::FP32)
      findings.report<rule::MasterType>("precision.master_weights", ir::name(p.master),
                                        ir::name(p.parameters), "none");
  } else if (!p.hasMaster || (p.master != ir::DataType::FP32 && p.master != ir::DataType::FP16)) {
    findings.report<rule::MasterType>("precision.master_weights",
                                      p.hasMaster ? ir::name(p.master) : "none",
                                      ir::name(p.parameters), "fp32 or fp16");
  }
  switch (p.moments) {
  case ir::DataType::FP32:
  case ir::DataType::BF16:
  case ir::DataType::FP16:
  case ir::DataType::FP8:
    break;
  case ir::DataType::TF32:
  case ir::DataType::MXFP8:
  case ir::DataType::NVFP4:
    findings.report<rule::MomentType>("precision.moments", ir::name(p.moments));
  }
  if ((s.narrowOptimizerState() || s.offloadedState() > 0) &&
      (s.zero == 0 || (s.plan.layout.optimizer != ir::OptimizerKind::AdamW &&
                       s.plan.layout.optimizer != ir::OptimizerKind::Adam)))
    findings.report<rule::NarrowState>(!s.narrowOptimizerState() ? "offload.optimizer"
                                       : p.moments != ir::DataType::FP32
                                           ? "precision.moments"
                                           : "precision.master_weights");
}

/// Checks the types of an offloaded optimizer (HybridDeviceOptimizer in
/// megatron/core/optimizer/cpu_offloading). Adam on the host supports fp32 only. Of 8-bit
/// parameters it supports those of the delayed recipe.
void checkOffload(const MegatronLayout& s, Findings& findings) {
  if (s.plan.layout.offload.empty())
    return;
  if (const std::uint64_t layers = s.plan.layout.offload.front().layers; layers > 0)
    findings.report<rule::OffloadedLayers>("offload.activations", layers);
  if (s.offloadedState() == 0)
    return;
  const ir::Precision& p = s.plan.layout.precision;
  if (s.fullySharded())
    findings.report<rule::OffloadedState>("offload.optimizer", "sharded gradients or parameters");
  else if (s.narrowOptimizerState())
    findings.report<rule::OffloadedState>("offload.optimizer", "narrower state");
  else if (s.narrowCompute() && p.parameters == p.compute)
    findings.report<rule::OffloadedState>("offload.optimizer",
                                          std::string("parameters in ") + ir::name(p.parameters));
}

/// Checks the sizes of MLA projections. Every rank has the whole down projections; up projections
/// are split by heads.
template <class Need>
void checkLatentShapes(const MegatronLayout& s, const ir::Attention& a, const Need& need,
                       std::uint64_t inner, std::uint64_t outer) {
  const char* path = "model.attention";
  const std::uint64_t heads = a.heads / s.tensor;
  if (a.queryRank > 0)
    need(path, "`q_lora_rank`", a.queryRank, inner);
  need(path, "`kv_lora_rank`", a.kvRank, inner);
  need(path, "the width of compressed keys and values with their positions", a.kvRank + a.rope,
       outer);
  need(path, "the width of queries on one tensor rank", heads * (a.nope + a.rope), outer);
  need(path, "the width of keys and values on one tensor rank", heads * (a.nope + a.value), outer);
}

/// Transformer Engine requires multiples of 16 elements in the inner and 8 in the outer dimension
/// of inputs and weights, and 32 for block-scaled formats (transformer_engine/pytorch/utils.py,
/// assert_dim_for_fp8_exec). Other rules check that the sizes divide at all.
void checkNarrowShapes(const MegatronLayout& s, Findings& findings) {
  if (!s.narrowCompute())
    return;
  const ir::DataType type = s.plan.layout.precision.compute;
  const std::uint64_t inner = type == ir::DataType::FP8 ? 16 : 32,
                      outer = type == ir::DataType::FP8 ? 8 : 32;
  const auto need = [&](const char* path, const char* what, std::uint64_t found,
                        std::uint64_t multiple) {
    if (found % multiple != 0)
      findings.report<rule::NarrowShapes>(path, what, found, ir::name(type), multiple);
  };
  need("micro_batch", "the number of tokens of a micro-batch on one device", s.tokensPerRank(),
       outer);
  need("model.hidden", "the hidden size", s.plan.model.hidden, inner);
  if (const ir::Attention* a = s.attention) {
    const bool latent = a->kind == ir::AttentionKind::Latent;
    const std::uint64_t heads = a->heads / s.tensor;
    need("mesh.tensor", "the width of attention on one tensor rank",
         heads * (latent ? a->value : a->headDim), inner);
    if (latent)
      checkLatentShapes(s, *a, need, inner, outer);
    else // if there are fewer key-value heads than tensor ranks, heads are split as well
      need("mesh.tensor", "the width of queries, keys and values on one tensor rank",
           (a->heads + 2 * a->kvHeads) * a->headDim / s.tensor, outer);
  }
  if (s.dense)
    need("mesh.tensor", "the feed-forward width of one tensor rank", s.dense->width / s.tensor,
         inner);
  if (s.routed && s.routed->shared > 0)
    need("mesh.tensor", "the width of shared experts on one tensor rank",
         s.routed->shared * s.routed->sharedWidth / s.tensor, inner);
  if (s.routed)
    need("mesh.experts.tensor", "the expert width of one expert tensor rank",
         s.routed->width / s.expertTensor, inner);
}

} // namespace

void dpl::megatron::checkPrecision(const MegatronLayout& s, Findings& findings) {
  const ir::Precision& p = s.plan.layout.precision;
  if (p.compute == ir::DataType::TF32) {
    findings.report<rule::ComputeType>("precision.compute", ir::name(p.compute));
    return; // the rules for other types depend on the compute type
  }
  if (p.parameters != s.wideCompute() && p.parameters != p.compute)
    findings.report<rule::ParameterType>("precision.parameters", ir::name(p.parameters),
                                         ir::name(p.compute), ir::name(s.wideCompute()));
  else if (p.parameters != s.wideCompute() && s.zero == 0)
    findings.report<rule::NarrowParameters>("precision.parameters", ir::name(p.parameters));
  if (p.head != s.wideCompute())
    findings.report<rule::HeadPrecision>("precision.module.head", ir::name(p.head),
                                         ir::name(s.wideCompute()));
  if (s.routed && s.wideCompute() != ir::DataType::BF16)
    findings.report<rule::ExpertFormat>("precision.compute", ir::name(p.compute));
  const bool recomputes = s.plan.layout.recompute.has(ir::ModuleKind::Norm) ||
                          s.plan.layout.recompute.has(ir::ModuleKind::Activation);
  if (p.recipe == ir::Fp8Recipe::Rowwise)
    findings.report<rule::Recipe>("precision.recipe", ir::name(p.recipe));
  else if (p.recipe == ir::Fp8Recipe::Delayed && recomputes)
    findings.report<rule::DelayedRecompute>("precision.recipe");
  checkGradients(s, findings);
  checkState(s, findings);
  checkOffload(s, findings);
  checkNarrowShapes(s, findings);
}
