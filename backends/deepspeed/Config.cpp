//===- Config.cpp - ds_config.json, and the duties of the training script ---------------------===//
#include "backends/FineTuningFiles.h"
#include "backends/LaunchScript.h"
#include "backends/PlanJson.h"
#include "backends/deepspeed/Deepspeed.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::deepspeed;

namespace {
/// The leaf modules that DeepSpeed has by default: DEFAULT_LEAF_MODULE_CLASSES of
/// runtime/zero/leaf_module_config.py at edaa7221.
constexpr const char* leafClasses[] = {
    "transformers.models.mixtral.modeling_mixtral.MixtralSparseMoeBlock",
    "transformers.models.qwen2_moe.modeling_qwen2_moe.Qwen2MoeSparseMoeBlock",
    "transformers.models.qwen3_moe.modeling_qwen3_moe.Qwen3MoeSparseMoeBlock"};

Json zeroJson(const DeepspeedLayout& s) {
  const ir::Overlap& overlap = s.plan.layout.overlap;
  Json out{{"stage", s.zero}};
  if (s.zero > 0)
    out["overlap_comm"] = overlap.gradients && !s.pipelined() && !s.afterBackward();
  if (const std::uint64_t bucket = s.plan.layout.gradientBucket)
    out["reduce_bucket_size"] = bucket * 8 / ir::bitsOf(s.plan.layout.precision.reduce);
  if (s.zero == 3 && !overlap.parameters)
    out["stage3_prefetch_bucket_size"] = 0;
  if (s.gathersExperts()) // DeepSpeed's default classes; users can add others to the list
    for (const char* name : leafClasses)
      out["leaf_module"]["classes"].push_back(name);
  const ir::Offload offload = s.plan.layout.offloadSettings();
  if (offload.gradients)
    out["offload_optimizer"] = {{"device", "cpu"}};
  if (offload.parameters)
    out["offload_param"] = {{"device", "cpu"}};
  return out;
}

void addPrecision(const DeepspeedLayout& s, Json& out) {
  const ir::Precision& p = s.plan.layout.precision;
  if (s.autocast()) {
    out["torch_autocast"] = {{"enabled", true},
                             {"dtype", p.compute == ir::DataType::FP16 ? "float16" : "bfloat16"}};
  } else if (p.parameters == ir::DataType::BF16) {
    out["bf16"] = {{"enabled", true}};
    if (p.master == ir::DataType::BF16)
      out["bf16"].update(
          {{"bf16_master_weights_and_grads", true}, {"bf16_optimizer_states", true}});
  } else if (p.parameters == ir::DataType::FP16) {
    out["fp16"] = {{"enabled", true}, {"loss_scale", 0}}; // a loss scale of 0 is dynamic
  }
  out["data_types"] = {{"grad_accum_dtype", ir::name(p.gradients)}};
  out["communication_data_type"] = ir::name(p.reduce);
  if (s.context > 1)
    out["seq_parallel_communication_data_type"] = ir::name(p.reduce);
}

/// The scheduler of deepspeed/runtime/lr_schedules.py. Its warm-up has at least two steps. A decay
/// ends at step TRAIN_STEPS.
Json schedulerOf(const ir::Plan& plan) {
  const ir::LearningRate& rate = plan.optimizerSettings().learningRate;
  const std::uint64_t warmup = std::max<std::uint64_t>(rate.warmup, 2);
  if (!rate.given || (rate.kind == ir::LearningRateKind::Constant && rate.warmup == 0))
    return nullptr;
  Json params = {{"warmup_num_steps", warmup}, {"warmup_type", "linear"}};
  if (rate.kind != ir::LearningRateKind::Cosine)
    params.update({{"warmup_min_lr", 0}, {"warmup_max_lr", rate.peak}});
  if (rate.kind == ir::LearningRateKind::Constant)
    return {{"type", "WarmupLR"}, {"params", params}};
  const ir::Launch* launch = plan.launch();
  const std::uint64_t steps = launch ? plan.runOf(*launch).lastStep(plan.layout.batch) : 0;
  if (steps <= warmup)
    return nullptr;
  params["total_num_steps"] = steps;
  if (rate.kind == ir::LearningRateKind::Linear)
    return rate.end == 0 ? Json{{"type", "WarmupDecayLR"}, {"params", params}} : Json();
  params["cos_min_ratio"] = rate.peak > 0 ? rate.end / rate.peak : 0.0;
  return {{"type", "WarmupCosineLR"}, {"params", params}};
}

void addOptimizer(const DeepspeedLayout& s, Json& out) {
  const ir::OptimizerSettings& o = s.plan.optimizerSettings();
  Json settings = Json::object();
  if (o.learningRate.given)
    settings["lr"] = o.learningRate.peak;
  switch (s.plan.layout.optimizer) {
  case ir::OptimizerKind::AdamW:
    settings.update({{"betas", {o.beta1, o.beta2}}, {"weight_decay", o.weightDecay}});
    out["optimizer"] = {{"type", "AdamW"}, {"params", settings}};
    break;
  case ir::OptimizerKind::Adam:
    settings.update({{"betas", {o.beta1, o.beta2}}, {"adam_w_mode", false}});
    out["optimizer"] = {{"type", "Adam"}, {"params", settings}};
    break;
  case ir::OptimizerKind::Sgd:
    settings["momentum"] = o.momentum;
    out["optimizer"] = {{"type", "SGD"}, {"params", settings}};
    if (s.zero > 0)
      out["zero_allow_untested_optimizer"] = true;
    break;
  case ir::OptimizerKind::Lion:
    settings.update({{"betas", {o.beta1, o.beta2}}, {"weight_decay", o.weightDecay}});
    out["optimizer"] = {{"type", "Lion"}, {"params", settings}};
    break;
  case ir::OptimizerKind::Muon:
    settings.update({{"momentum", o.momentum}, {"weight_decay", o.weightDecay}});
    out["optimizer"] = {{"type", "Muon"}, {"params", settings}};
    break;
  case ir::OptimizerKind::AdamW8Bit: // checkTraining refuses them
  case ir::OptimizerKind::Adafactor:
    break;
  }
  if (const Json scheduler = schedulerOf(s.plan); !scheduler.is_null())
    out["scheduler"] = scheduler;
}

bool recomputesStages(const DeepspeedLayout& s) {
  const ir::Recompute& r = s.plan.layout.recompute;
  return s.pipelined() && r.kind == ir::RecomputeKind::Full &&
         r.method == ir::RecomputeMethod::Uniform;
}

void addActivations(const DeepspeedLayout& s, Json& out) {
  const ir::Recompute& r = s.plan.layout.recompute;
  if (recomputesStages(s))
    out["pipeline"]["activation_checkpoint_interval"] = r.layers;
  if (r.kind != ir::RecomputeKind::None)
    out["activation_checkpointing"] = {{"partition_activations", false},
                                       {"contiguous_memory_optimization", false},
                                       {"cpu_checkpointing", false},
                                       {"synchronize_checkpoint_boundary", false}};
}

/// Sets whether each tensor rank sends only a part of a message, which is DeepSpeed's default, even
/// if the sequence is sharded over tensor ranks.
void addMessages(const DeepspeedLayout& s, Json& out) {
  if (!s.pipelined() || s.tensor == 1)
    return;
  const bool parts = s.plan.layout.shard.scattersMessages(s.tensor);
  out["pipeline"]["pipe_partitioned"] = parts;
  out["pipeline"]["grad_partitioned"] = parts;
}

} // namespace

std::string dpl::deepspeed::configFile(const TargetRequest& request, const DeepspeedLayout& s) {
  const ir::Plan& plan = s.plan;
  Json out;
  // DeepSpeed ignores unknown keys at top level.
  out["_comment"] = {subjectOf(plan) + ".",
                     writtenBy(request) + "; an edit is lost with the next emit."};
  // If AutoTP and AutoEP are both on, DeepSpeed checks the batch as if all ranks were data ranks.
  if (!s.folded())
    out["train_batch_size"] = plan.layout.batch;
  out["train_micro_batch_size_per_gpu"] = plan.layout.microBatch;
  out["gradient_accumulation_steps"] = plan.mesh.microBatches;
  out["gradient_clipping"] = clippedNorm; // the default changes between releases
  out["zero_optimization"] = zeroJson(s);
  addPrecision(s, out);
  if (s.autoTensor())
    out["tensor_parallel"] = {{"autotp_size", s.tensor},
                              {"tp_overlap_comm", plan.layout.overlap.tensor}};
  if (s.context > 1)
    out["sequence_parallel_size"] = s.context;
  if (s.autoExperts())
    out["expert_parallel"] = {
        {"enabled", true}, {"autoep_size", s.expert}, {"expert_tensor_parallel_size", 1}};
  addMessages(s, out);
  addActivations(s, out);
  addOptimizer(s, out);
  return textOf(out);
}

std::vector<std::string> dpl::deepspeed::differencesOf(const DeepspeedLayout& s) {
  const ir::Overlap& overlap = s.plan.layout.overlap;
  std::vector<std::string> out;
  if (s.dataRanks() > 1 && overlap.gradients && (s.pipelined() || s.zero == 0 || s.afterBackward()))
    out.push_back("gradients are reduced after the last backward pass, not overlapped with it");
  if (s.afterBackward() && s.dataRanks() > 1)
    out.push_back("gradients are summed by all-reduce, and each rank then uses its shard");
  if ((s.zero == 1 || s.zero == 2) && overlap.parameters)
    out.push_back(
        "parameters are gathered at the end of the step, not overlapped with the forward pass");
  if (s.zero == 3 && overlap.parameters && !overlap.gradients)
    out.push_back("parameters are gathered without overlap, because one setting controls both");
  if (s.pipelined() && overlap.pipeline)
    out.push_back("sends between stages do not overlap");
  if (s.pipelined() && s.zero == 0 && s.plan.layout.precision.parameters == ir::DataType::BF16)
    out.push_back("the optimizer of bf16 parameters in a pipeline is sharded over data");
  if (s.context > 1 && s.plan.layout.communication().keys != ir::KeyExchangeKind::Heads)
    out.push_back("attention exchanges heads by all-to-all (Ulysses), not keys in a ring");
  if (s.autoTensor())
    out.push_back(
        "AutoTP keeps embedding and head whole on every tensor rank unless the model asks "
        "otherwise");
  if (const ir::LearningRate& rate = s.plan.optimizerSettings().learningRate;
      rate.warmup < 2 && !schedulerOf(s.plan).is_null())
    out.push_back("the learning rate warms up over two steps, the fewest that DeepSpeed knows");
  if (s.folded())
    out.push_back("train_batch_size, as DeepSpeed reports it, is too large by the tensor degree");
  return out;
}

std::vector<std::string> dpl::deepspeed::dutiesOf(const DeepspeedLayout& s) {
  const ir::Layout& layout = s.plan.layout;
  std::vector<std::string> out{"build the model of `model`, casting nothing itself"};
  if (!s.plan.model.isLayerList())
    out.push_back(kernelsDuty);
  addFineTuningDuties(s.plan, out);
  if (s.pipelined()) {
    out.push_back(s.plan.model.isLayerList()
                      ? "give PipelineModule the layers and dpl_layout.pipeline()"
                      : "give PipelineModule a list of embedding, layers and head, and "
                        "dpl_layout.pipeline(); the class of the layers has `transformer` in its "
                        "name, the others have not");
    if (s.plan.model.tiedEmbeddings)
      out.push_back("make embedding and head a TiedLayerSpec");
    if (s.tensor > 1)
      out.push_back("split the tensors of a layer over the group of the topology's axis `model`");
    if (layout.shard.sequence == ir::ShardAxis::Tensor && s.tensor > 1)
      out.push_back("split the sequence between those parts over the same group");
    if (s.routed)
      out.push_back(fmt::format("make the experts deepspeed.moe.layer.MoE(ep_size={}, k={}, {}, "
                                "enable_expert_tensor_parallelism={})",
                                s.expert, s.routed->active,
                                s.routed->capacity > 0
                                    ? fmt::format("capacity_factor={}", s.routed->capacity)
                                    : "drop_tokens=False",
                                s.tensor > 1 ? "True" : "False"));
  } else if ((s.autoTensor() && !s.folded()) || s.context > 1) {
    out.push_back("give deepspeed.initialize mpu=dpl_layout.mpu()");
  }
  if (s.context > 1)
    out.push_back("run attention as Ulysses does and give each rank its part of the sequence");
  if (s.gathersExperts())
    out.push_back(
        "name the class of the block of experts in `leaf_module` of ds_config.json unless "
        "it is listed: DeepSpeed then gathers all experts of a block together; otherwise ranks "
        "that run different experts wait for one another forever");
  if (layout.recompute.kind != ir::RecomputeKind::None && !recomputesStages(s))
    out.push_back("recompute as `recompute` says, with deepspeed.checkpointing.checkpoint");
  if (const ir::LearningRate& rate = s.plan.optimizerSettings().learningRate;
      rate.given && rate.kind != ir::LearningRateKind::Constant && schedulerOf(s.plan).is_null())
    out.push_back("make the schedule of `learning_rate`: its length is the run's");
  if (!s.plan.optimizerSettings().learningRate.given)
    out.push_back("choose a learning rate, the plan has none and DeepSpeed's default is 1e-3");
  return out;
}
