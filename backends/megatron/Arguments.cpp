//===- Arguments.cpp - A plan as options of pretrain_gpt.py -----------------------------------===//
#include "backends/megatron/Arguments.h"
#include "backends/KernelDifferences.h"
#include "backends/LaunchScript.h"
#include "backends/megatron/Split.h"
#include "ir/Names.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::megatron;

namespace {

ArgumentGroup meshArguments(const MegatronLayout& s) {
  ArgumentWriter g("mesh and batch");
  g.set("--tensor-model-parallel-size", s.tensor);
  g.set("--pipeline-model-parallel-size", s.pipeline);
  g.set("--context-parallel-size", s.context);
  if (s.gathersWindow())
    g.set("--cp-comm-type", "all_gather"); // the default, a ring, does not support sliding windows
  if (s.order == AxisRankOrder::DataOutside)
    g.flag("--use-tp-pp-dp-mapping");
  for (std::string& token : splitOf(s).arguments)
    g.flag(std::move(token));
  if (s.plan.layout.group > 0)
    g.set("--microbatch-group-size-per-virtual-pipeline-stage", s.plan.layout.group);
  if (s.chunks > 1 && !s.plan.layout.overlap.pipeline)
    g.flag("--no-overlap-p2p-communication");
  g.set("--micro-batch-size", s.plan.layout.microBatch);
  g.set("--global-batch-size", s.plan.layout.batch);
  return g;
}

ArgumentGroup shardArguments(const MegatronLayout& s) {
  const ir::Layout& layout = s.plan.layout;
  ArgumentWriter g("sharding and overlap");
  if (s.sequenceParallel())
    g.flag("--sequence-parallel");
  if (s.zero > 0)
    g.flag("--use-distributed-optimizer");
  if (s.zero > 0 && s.replica > 1)
    g.set("--num-distributed-optimizer-instances", s.replica);
  if (s.fullySharded()) {
    g.flag("--use-megatron-fsdp");
    g.set("--data-parallel-sharding-strategy", s.zero == 3 ? "optim_grads_params" : "optim_grads");
    g.set("--ckpt-format", "fsdp_dtensor");
    g.flag("--init-model-with-meta-device"); // otherwise each rank begins with all parameters
    // The fused kernel would need Transformer Engine 2.10, which 0.19 asserts when it builds the
    // model.
    g.flag("--no-gradient-accumulation-fusion");
  }
  if (layout.overlap.gradients)
    g.flag("--overlap-grad-reduce");
  if (layout.gradientBucket > 0 && s.hasBuckets())
    g.set("--ddp-bucket-size",
          layout.gradientBucket * 8 / ir::bitsOf(layout.precision.reduce)); // parameters
  if (layout.overlap.parameters && s.zero > 0)
    g.flag("--overlap-param-gather");
  if (layout.overlap.tensor)
    g.flag("--tp-comm-overlap");
  if (layout.overlap.experts)
    g.flag("--overlap-moe-expert-parallel-comm");
  return g;
}

const char* recomputeName(ir::ModuleKind module) {
  switch (module) {
  case ir::ModuleKind::CoreAttention:
    return "core_attn";
  case ir::ModuleKind::Mlp:
    return "mlp";
  case ir::ModuleKind::Norm:
    return "layernorm";
  case ir::ModuleKind::Activation:
    return "moe_act";
  case ir::ModuleKind::Moe:
    return "moe";
  case ir::ModuleKind::SharedExperts:
    return "shared_experts";
  case ir::ModuleKind::MlaUp:
    return "mla_up_proj";
  case ir::ModuleKind::Attention:
  case ir::ModuleKind::AlternateProducts:
    break; // the check refuses it
  }
  return "";
}

ArgumentGroup activationArguments(const MegatronLayout& s) {
  const ir::Recompute& recompute = s.plan.layout.recompute;
  ArgumentWriter g("activations");
  if (!s.plan.layout.fusedAttention)
    g.set("--attention-backend", "unfused");
  if (s.plan.layout.kernels.loss == ir::LossKind::Fused)
    g.flag("--cross-entropy-loss-fusion");
  if (recompute.kind == ir::RecomputeKind::Full) {
    g.set("--recompute-granularity", "full");
    g.set("--recompute-method", ir::name(recompute.method));
    g.set("--recompute-num-layers", recompute.layers);
  } else if (recompute.kind == ir::RecomputeKind::Selective) {
    g.set("--recompute-granularity", "selective");
    g.flag("--recompute-modules");
    for (const ir::ModuleKind module : recompute.modules)
      g.flag(recomputeName(module));
  }
  return g;
}

/// CUDA graphs. If layers have experts, Transformer Engine captures them. The graphs of Megatron-LM
/// itself refuse expert ranks in 0.16 and 0.17, unless inference pads the experts.
ArgumentGroup graphArguments(const MegatronLayout& s) {
  ArgumentWriter g("CUDA graphs");
  const bool modules = !s.release.isBefore("0.18"); // releases up to 0.17 call them scopes
  switch (s.graphs()) {
  case GraphCapture::Nothing:
    break;
  case GraphCapture::Layers:
    g.set("--cuda-graph-impl", s.routed ? "transformer_engine" : "local");
    break;
  case GraphCapture::WithoutExperts:
    g.set("--cuda-graph-impl", "transformer_engine");
    g.flag(modules ? "--cuda-graph-modules" : "--cuda-graph-scope");
    g.flag("attn");
    g.flag("moe_router");
    if (s.routed->capacity == 0) // with a capacity factor, all-to-all dispatch synchronizes with
                                 // the host
      g.flag("moe_preprocess");
    if (s.dense)
      g.flag("mlp");
    break;
  case GraphCapture::Iteration:
    g.set("--cuda-graph-impl", modules ? "full_iteration" : "local");
    if (!modules)
      g.set("--cuda-graph-scope", "full_iteration");
    g.flag("--no-check-for-nan-in-loss-and-grad"); // the check would wait for the device
    break;
  }
  return g;
}

void narrowArguments(const MegatronLayout& s, ArgumentWriter& g) {
  const ir::Precision& p = s.plan.layout.precision;
  const bool narrowParameters = p.parameters == p.compute;
  if (p.compute == ir::DataType::NVFP4) {
    g.set("--fp4-format", "e2m1");
    if (narrowParameters)
      g.flag("--fp4-param-gather");
    return;
  }
  const bool blocks = p.compute == ir::DataType::MXFP8;
  const bool oneFormat = blocks || p.recipe == ir::Fp8Recipe::Blockwise;
  g.set("--fp8-format", oneFormat ? "e4m3" : "hybrid");
  g.set("--fp8-recipe", blocks ? "mxfp8" : ir::name(p.recipe));
  if (!blocks && p.recipe == ir::Fp8Recipe::Delayed) {
    g.set("--fp8-amax-history-len", std::uint64_t{1024}); // default of Transformer Engine
    g.set("--fp8-amax-compute-algo", "max");
  }
  if (narrowParameters)
    g.flag("--fp8-param-gather");
  if (narrowParameters && blocks && !s.fullySharded())
    g.flag("--reuse-grad-buf-for-mxfp8-param-ag");
}

ArgumentGroup precisionArguments(const MegatronLayout& s) {
  const ir::Precision& p = s.plan.layout.precision;
  const ir::DataType wide = s.wideCompute();
  ArgumentWriter g("precision");
  if (wide != ir::DataType::FP32)
    g.flag(wide == ir::DataType::FP16 ? "--fp16" : "--bf16");
  if (s.narrowCompute())
    narrowArguments(s, g);
  if (s.fullyShardedTypes()) {
    g.set("--megatron-fsdp-main-grads-dtype", ir::name(p.gradients));
    g.set("--megatron-fsdp-grad-comm-dtype", ir::name(p.reduce));
    g.set("--megatron-fsdp-main-params-dtype", p.hasMaster ? ir::name(p.master) : "fp32");
  } else if (p.gradients == ir::DataType::BF16) {
    g.flag("--grad-reduce-in-bf16");
  } else if (p.gradients == ir::DataType::FP32 && wide != ir::DataType::FP32) {
    g.flag("--accumulate-allreduce-grads-in-fp32");
  }
  if (s.narrowOptimizerState() || s.offloadedState() > 0)
    g.flag("--use-precision-aware-optimizer");
  if (s.narrowOptimizerState()) {
    g.set("--main-params-dtype", ir::name(p.master));
    g.set("--exp-avg-dtype", ir::name(p.moments));
    g.set("--exp-avg-sq-dtype", ir::name(p.moments));
  }
  return g;
}

ArgumentGroup optimizerArguments(const MegatronLayout& s) {
  const ir::OptimizerSettings& o = s.plan.optimizerSettings();
  ArgumentWriter g("optimizer");
  using enum ir::OptimizerKind;
  const ir::OptimizerKind kind = s.plan.layout.optimizer;
  if (kind == Sgd) {
    g.set("--optimizer", "sgd");
    g.set("--sgd-momentum", o.momentum);
  } else if (kind == Lion) {
    g.set("--optimizer", "lion");
    g.set("--lion-beta1", o.beta1);
    g.set("--lion-beta2", o.beta2);
  } else {
    g.set("--optimizer", kind == Muon ? "muon" : "adam");
    if (kind == Muon) {
      g.set("--muon-momentum", o.momentum);
      g.set("--muon-tp-mode", ir::name(s.plan.layout.muonTensorMode));
    }
    g.set("--adam-beta1", o.beta1);
    g.set("--adam-beta2", o.beta2);
  }
  const bool decays = kind == AdamW || kind == Muon || kind == Lion;
  g.set("--weight-decay", decays ? o.weightDecay : 0.0);
  g.set("--clip-grad", clippedNorm);
  if (s.offloadedState() > 0) {
    g.flag("--optimizer-cpu-offload");
    g.set("--optimizer-offload-fraction", s.offloadedState());
    g.flag("--overlap-cpu-optimizer-d2h-h2d"); // the host computes while the device does
  }
  if (o.learningRate.given) {
    g.set("--lr", o.learningRate.peak);
    g.set("--lr-decay-style", ir::name(o.learningRate.kind));
    if (o.learningRate.kind != ir::LearningRateKind::Constant)
      g.set("--min-lr", o.learningRate.end);
    g.set("--lr-warmup-iters", o.learningRate.warmup);
  }
  return g;
}

/// Options that change no figure of the plan and that large jobs usually set.
ArgumentGroup runArguments() {
  ArgumentWriter g("run");
  g.set("--distributed-timeout-minutes", std::uint64_t{60}); // the default, 10, is too short
  g.flag("--manual-gc");                                     // runs on all ranks at the same time
  g.set("--manual-gc-interval", std::uint64_t{100});
  g.flag("--no-create-attention-mask-in-dataloader"); // saves sequence² bytes, which the kernels do
                                                      // not read
  return g;
}

} // namespace

std::vector<ArgumentGroup> dpl::megatron::argumentsOf(const MegatronLayout& s) {
  std::vector<ArgumentGroup> groups{modelArguments(s)};
  if (s.routed)
    groups.push_back(expertArguments(s));
  groups.push_back(meshArguments(s));
  groups.push_back(shardArguments(s));
  groups.push_back(activationArguments(s));
  groups.push_back(graphArguments(s));
  groups.push_back(precisionArguments(s));
  groups.push_back(optimizerArguments(s));
  groups.push_back(runArguments());
  llvm::erase_if(groups, [](const ArgumentGroup& g) { return g.tokens.empty(); });
  return groups;
}

Connections dpl::megatron::connectionsOf(const MegatronLayout& s) {
  if (s.fullySharded())
    return Connections::Unset;
  const bool needsOne = s.tensor > 1 || s.context > 1;
  return s.plan.layout.overlap.experts && !needsOne ? Connections::Many : Connections::One;
}

/// The kernels that Megatron-LM runs: those of the layout where an option selects them, otherwise
/// those that it always uses.
static ir::Kernels kernelsOf(const MegatronLayout& s) {
  ir::Kernels out = s.plan.layout.kernels;
  out.norm = ir::KernelKind::Fused; // kernel of Transformer Engine
  if (s.attention->kind == ir::AttentionKind::Latent)
    out.rotary = ir::KernelKind::Separate;
  const ir::Activation activation = (s.dense ? s.dense : s.routed)->activation;
  if (activation == ir::Activation::Gelu || activation == ir::Activation::SquaredRelu)
    out.activation = ir::KernelKind::Separate;
  else if (activation != ir::Activation::Silu)
    out.activation = ir::KernelKind::Fused;
  if (out.loss != ir::LossKind::Fused)
    out.loss = ir::LossKind::InPlace;
  return out;
}

std::vector<std::string> dpl::megatron::kernelDifferencesOf(const MegatronLayout& s) {
  return kernelDifferences(s.plan, kernelsOf(s), false);
}

std::vector<std::string> dpl::megatron::differencesOf(const MegatronLayout& s) {
  std::vector<std::string> out = kernelDifferencesOf(s);
  for (std::string& difference :
       checkpointDifferences(s.plan, /*deletes=*/false, /*async=*/!s.fullySharded()))
    out.push_back(std::move(difference));
  if (s.pipeline > 1 && s.chunks == 1 && s.plan.layout.overlap.pipeline)
    out.push_back("1f1b without interleaving sends between stages without overlap");
  if (s.gathersWindow())
    out.push_back("with a window, context parallelism gathers keys and values before attention");
  const ir::Recompute& recompute = s.plan.layout.recompute;
  if (recompute.kind == ir::RecomputeKind::Full && recompute.method == ir::RecomputeMethod::Block &&
      s.plan.model.predictionLayers > 0)
    out.push_back("MTP layers are not recomputed with `method = block`");
  // For MLA, Megatron-LM has one class for the norm of compressed inputs and the next projection.
  // It uses it even without compression (mla_qk_norm_config.py).
  if (s.attention->kind == ir::AttentionKind::Latent && s.attention->queryRank == 0 &&
      (s.release.any() || !(s.release < Release("0.19"))))
    out.push_back("without a query rank, the input of queries is normalized twice");
  return out;
}
