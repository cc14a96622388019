//===- Yaml.cpp - accelerate.yaml, and the duties of the training script ----------------------===//
#include "backends/Yaml.h"
#include "backends/FineTuningFiles.h"
#include "backends/LaunchScript.h"
#include "backends/PlanJson.h"
#include "backends/accelerate/Accelerate.h"
#include "backends/deepspeed/Deepspeed.h"
#include "backends/megatron/Arguments.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::accelerate;

namespace {
const char* distributedType(PlugIn plugIn) {
  switch (plugIn) {
  case PlugIn::None:
  case PlugIn::Missing:
    return "NO";
  case PlugIn::DataParallel:
    return "MULTI_GPU";
  case PlugIn::FullySharded:
    return "FSDP";
  case PlugIn::DeepSpeed:
    return "DEEPSPEED";
  case PlugIn::Megatron:
    return "MEGATRON_LM";
  }
  return "";
}

/// Whether each layer is recomputed on its own, as FSDP2's option does it.
bool recomputesLayers(const AccelerateLayout& s) {
  const ir::Recompute& r = s.plan.layout.recompute;
  return s.plugIn == PlugIn::FullySharded && r.kind == ir::RecomputeKind::Full &&
         r.method == ir::RecomputeMethod::Uniform && r.layers == 1;
}

Json fullySharded(const AccelerateLayout& s) {
  Json out;
  out["fsdp_version"] = 2;
  out["fsdp_auto_wrap_policy"] = "TRANSFORMER_BASED_WRAP";
  out["fsdp_reshard_after_forward"] = s.plan.layout.shard.reshard;
  out["fsdp_activation_checkpointing"] = recomputesLayers(s);
  out["fsdp_offload_params"] = false;
  out["fsdp_cpu_ram_efficient_loading"] = false;
  out["fsdp_state_dict_type"] = "SHARDED_STATE_DICT";
  return out;
}

Json mesh(const AccelerateLayout& s) {
  Json out;
  out["parallelism_config_dp_replicate_size"] = s.replica;
  out["parallelism_config_dp_shard_size"] = s.data;
  out["parallelism_config_tp_size"] = s.tensor;
  out["parallelism_config_cp_size"] = s.context;
  out["parallelism_config_cp_backend"] = "torch";
  out["parallelism_config_cp_comm_strategy"] = "allgather";
  return out;
}

Json ulysses(const AccelerateLayout& s) {
  Json out;
  out["parallelism_config_dp_replicate_size"] = 1;
  out["parallelism_config_dp_shard_size"] = s.dataRanks();
  out["parallelism_config_sp_size"] = s.context;
  out["parallelism_config_sp_backend"] = "deepspeed";
  out["parallelism_config_sp_seq_length"] = s.plan.model.context;
  out["parallelism_config_sp_seq_length_is_variable"] = false;
  return out;
}

Json megatronJson(const AccelerateLayout& s) {
  const ir::Layout& layout = s.plan.layout;
  Json out;
  out["megatron_lm_tp_degree"] = s.tensor;
  out["megatron_lm_pp_degree"] = s.pipeline;
  out["megatron_lm_context_parallel_size"] = s.context; // Accelerate's default is 2
  out["megatron_lm_num_micro_batches"] = s.plan.mesh.microBatches;
  out["megatron_lm_gradient_clipping"] = clippedNorm;
  out["megatron_lm_sequence_parallelism"] =
      layout.shard.sequence == ir::ShardAxis::Tensor && s.tensor > 1;
  out["megatron_lm_use_distributed_optimizer"] = s.zero > 0;
  out["megatron_lm_recompute_activations"] = false;
  out["megatron_lm_recompute_granularity"] = "full";
  out["megatron_lm_recompute_method"] = ir::name(layout.recompute.method);
  out["megatron_lm_recompute_num_layers"] = layout.recompute.layers;
  if (const std::uint64_t last = lastStageOf(s).value_or(0); last > 0)
    out["megatron_lm_decoder_last_pipeline_num_layers"] = last;
  out["megatron_lm_expert_model_parallel_size"] = s.expert;
  out["megatron_lm_expert_tensor_parallel_size"] = s.expertTensor;
  out["megatron_lm_attention_dropout"] = s.plan.model.attentionDropout;
  out["megatron_lm_hidden_dropout"] = s.plan.model.hiddenDropout;
  out["megatron_lm_use_rotary_position_embeddings"] =
      s.plan.model.positions == ir::PositionKind::Rotary &&
      s.plan.model.rotary.scaling.kind != ir::RotaryScalingKind::Yarn; // YaRN has another option
  return out;
}

} // namespace

std::string dpl::accelerate::yamlFile(const TargetRequest& request, const AccelerateLayout& s) {
  const ir::Plan& plan = s.plan;
  const ir::DataType compute = plan.layout.precision.compute;
  Json out;
  out["compute_environment"] = "LOCAL_MACHINE";
  out["distributed_type"] = distributedType(s.plugIn);
  if (s.plugIn != PlugIn::DeepSpeed) // ds_config.json sets it, and DeepSpeed refuses to have it in
                                     // both files
    out["mixed_precision"] = compute == ir::DataType::FP32 ? "no" : ir::name(compute);
  out["num_processes"] = plan.mesh.devices;
  out["num_machines"] = plan.cluster.nodes;
  out["rdzv_backend"] = "static";
  out["same_network"] = true;
  out["main_training_function"] = "main";
  out["use_cpu"] = false;
  out["debug"] = false;
  if (s.plugIn == PlugIn::FullySharded)
    out["fsdp_config"] = fullySharded(s);
  if (s.hasMesh())
    out["parallelism_config"] = mesh(s);
  if (s.plugIn == PlugIn::DeepSpeed) {
    out["deepspeed_config"] = {{"deepspeed_multinode_launcher", "standard"},
                               {"zero3_init_flag", false}};
    if (s.context > 1)
      out["parallelism_config"] = ulysses(s);
  }
  if (s.plugIn == PlugIn::Megatron)
    out["megatron_lm_config"] = megatronJson(s);
  return headerOf(request) + yamlDocument(out);
}

std::vector<std::string> dpl::accelerate::differencesOf(const AccelerateLayout& s) {
  const ir::Layout& layout = s.plan.layout;
  if (s.plugIn == PlugIn::DeepSpeed)
    return deepspeed::differencesOf(s);
  std::vector<std::string> out;
  const Formats formats = formatsOf(s);
  if (s.plan.mesh.devices > 1 && layout.precision.reduce != formats.reduce.front())
    out.push_back(fmt::format("gradients are reduced in {}", ir::name(formats.reduce.front())));
  if (s.plugIn == PlugIn::FullySharded) {
    if (layout.precision.parameters != ir::DataType::FP32)
      out.push_back(fmt::format("the fp32 master copy is the only one kept, {} parameters are made "
                                "of it when they are gathered",
                                ir::name(layout.precision.parameters)));
  }
  if (s.plugIn == PlugIn::Megatron) {
    const megatron::MegatronLayout shape(s.plan, megatronRequest(s.plan).release);
    for (std::string& difference : megatron::kernelDifferencesOf(shape))
      out.push_back(std::move(difference));
    if (s.dataRanks() > 1 && layout.overlap.gradients)
      out.push_back("gradients are reduced after the last backward pass, not overlapped with it");
    if (s.zero > 0 && layout.overlap.parameters)
      out.push_back(
          "parameters are gathered at the end of the step, not overlapped with the forward pass");
    if (s.pipelined() && layout.overlap.pipeline)
      out.push_back("sends between stages do not overlap");
  }
  return out;
}

std::vector<std::string> dpl::accelerate::dutiesOf(const AccelerateLayout& s) {
  const ir::Layout& layout = s.plan.layout;
  std::vector<std::string> out{"build the model of `model`",
                               fmt::format("give its DataLoader a batch of {}, that of one pass of "
                                           "one data rank",
                                           layout.microBatch)};
  if (s.plugIn != PlugIn::Megatron && !s.plan.model.isLayerList())
    out.push_back(kernelsDuty);
  addFineTuningDuties(s.plan, out);
  if (s.plugIn == PlugIn::DeepSpeed) {
    out.push_back("pass accelerate.utils.DummyOptim, as ds_config.json has the optimizer, and a "
                  "DummyScheduler, with lr_scheduler_callable where that has no scheduler");
    if (s.context > 1)
      out.push_back(
          "load the model by transformers, in which Ulysses takes the place of attention");
  } else {
    out.push_back("make the optimizer of `optimizer`");
    if (s.plugIn == PlugIn::Megatron)
      out.push_back(
          "schedule its rate by accelerate.utils.MegatronLMDummyScheduler, as Megatron-LM "
          "makes both itself and takes no other");
    else
      out.push_back("clip gradients by accelerator.clip_grad_norm_, which no file does");
  }
  if (s.plugIn == PlugIn::FullySharded && s.tensor > 1)
    out.push_back("load the model by transformers with tp_plan=\"auto\" on the mesh's axis tp");
  if (s.plugIn == PlugIn::FullySharded && s.context > 1)
    out.push_back("run the step in accelerator.maybe_context_parallel, which splits the sequence");
  if (s.plugIn == PlugIn::Megatron)
    out.push_back("give MegatronLMPlugin `other_megatron_args`, a window_size as a tuple and an "
                  "attention_backend as Megatron-LM's AttnBackend: the plug-in "
                  "reads sizes only in the model, and Megatron-LM builds GPT-2's kind of layer");
  if (layout.recompute.kind != ir::RecomputeKind::None && !recomputesLayers(s) &&
      s.plugIn != PlugIn::Megatron)
    out.push_back("recompute as `recompute` says");
  return out;
}
