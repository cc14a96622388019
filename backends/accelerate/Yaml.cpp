//===- Yaml.cpp - accelerate.yaml, and what it leaves to the training script ------------------===//
#include "backends/accelerate/Accelerate.h"
#include "backends/deepspeed/Deepspeed.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::accelerate;

namespace {

/// Keys and values of a YAML mapping, and one mapping inside it at a time. Values are words and
/// numbers of ours, never the user's text.
class Mapping {
public:
  explicit Mapping(std::string header) : text(std::move(header)) {}
  template <class Value> void set(const std::string& key, const Value& value) {
    if constexpr (std::is_same_v<Value, bool>)
      text += fmt::format("{}{}: {}\n", indent, key, value ? "true" : "false");
    else
      text += fmt::format("{}{}: {}\n", indent, key, value);
  }
  void open(const std::string& key) {
    text += key + ":\n";
    indent = "  ";
  }
  void close() { indent = ""; }
  std::string text;

private:
  const char* indent = "";
};

const char* distributedType(PlugIn plugIn) {
  switch (plugIn) {
  case PlugIn::None:
  case PlugIn::Missing:
    return "\"NO\""; // quoted: YAML 1.1 reads a bare NO as false
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

/// Whether whole layers are recomputed one by one, which is what FSDP2 does when it is asked to.
bool recomputesLayers(const Shape& s) {
  const ir::Recompute& r = s.plan.layout.recompute;
  return s.plugIn == PlugIn::FullySharded && r.kind == ir::RecomputeKind::Full &&
         r.method == ir::RecomputeMethod::Uniform && r.layers == 1;
}

void fullySharded(const Shape& s, Mapping& yaml) {
  yaml.open("fsdp_config");
  yaml.set("fsdp_version", 2);
  yaml.set("fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP");
  yaml.set("fsdp_reshard_after_forward", s.plan.layout.shard.reshard);
  yaml.set("fsdp_activation_checkpointing", recomputesLayers(s));
  yaml.set("fsdp_offload_params", false);
  yaml.set("fsdp_cpu_ram_efficient_loading", false);
  yaml.set("fsdp_state_dict_type", "SHARDED_STATE_DICT");
  yaml.close();
}

void mesh(const Shape& s, Mapping& yaml) {
  yaml.open("parallelism_config");
  yaml.set("parallelism_config_dp_replicate_size", s.replica);
  yaml.set("parallelism_config_dp_shard_size", s.data);
  yaml.set("parallelism_config_tp_size", s.tensor);
  yaml.set("parallelism_config_cp_size", s.context);
  yaml.set("parallelism_config_cp_backend", "torch");
  yaml.set("parallelism_config_cp_comm_strategy", "allgather");
  yaml.close();
}

void ulysses(const Shape& s, Mapping& yaml) {
  yaml.open("parallelism_config");
  yaml.set("parallelism_config_dp_replicate_size", 1);
  yaml.set("parallelism_config_dp_shard_size", s.dataRanks());
  yaml.set("parallelism_config_sp_size", s.context);
  yaml.set("parallelism_config_sp_backend", "deepspeed");
  yaml.set("parallelism_config_sp_seq_length", s.plan.model.context);
  yaml.set("parallelism_config_sp_seq_length_is_variable", false);
  yaml.close();
}

void megatron(const Shape& s, Mapping& yaml) {
  const ir::Layout& layout = s.plan.layout;
  yaml.open("megatron_lm_config");
  yaml.set("megatron_lm_tp_degree", s.tensor);
  yaml.set("megatron_lm_pp_degree", s.pipeline);
  yaml.set("megatron_lm_context_parallel_size", s.context); // its default is 2
  yaml.set("megatron_lm_num_micro_batches", s.plan.mesh.microBatches);
  yaml.set("megatron_lm_gradient_clipping", "1.0");
  yaml.set("megatron_lm_sequence_parallelism",
           layout.shard.sequence == ir::ShardAxis::Tensor && s.tensor > 1);
  yaml.set("megatron_lm_use_distributed_optimizer", s.zero > 0);
  yaml.set("megatron_lm_recompute_activations", false);
  yaml.set("megatron_lm_recompute_granularity", "full");
  yaml.set("megatron_lm_recompute_method", ir::name(layout.recompute.method));
  yaml.set("megatron_lm_recompute_num_layers", layout.recompute.layers);
  if (const std::uint64_t last = lastStageOf(s).value_or(0); last > 0)
    yaml.set("megatron_lm_decoder_last_pipeline_num_layers", last);
  yaml.set("megatron_lm_expert_model_parallel_size", s.expert);
  yaml.set("megatron_lm_expert_tensor_parallel_size", s.expertTensor);
  yaml.close();
}

} // namespace

std::string dpl::accelerate::yamlFile(const TargetRequest& request, const Shape& s) {
  const ir::Plan& plan = s.plan;
  const ir::DataType compute = plan.layout.precision.compute;
  Mapping yaml(headerOf(request) + "---\n");
  yaml.set("compute_environment", "LOCAL_MACHINE");
  yaml.set("distributed_type", distributedType(s.plugIn));
  if (s.plugIn != PlugIn::DeepSpeed) // there ds_config.json says it, and both are refused
    yaml.set("mixed_precision", compute == ir::DataType::FP32 ? "\"no\"" : ir::name(compute));
  yaml.set("num_processes", plan.mesh.devices);
  yaml.set("num_machines", plan.cluster.nodes);
  yaml.set("rdzv_backend", "static");
  yaml.set("same_network", true);
  yaml.set("main_training_function", "main");
  yaml.set("use_cpu", false);
  yaml.set("debug", false);
  if (s.plugIn == PlugIn::FullySharded)
    fullySharded(s, yaml);
  if (s.hasMesh())
    mesh(s, yaml);
  if (s.plugIn == PlugIn::DeepSpeed) {
    yaml.open("deepspeed_config");
    yaml.set("deepspeed_multinode_launcher", "standard");
    yaml.set("zero3_init_flag", false);
    yaml.close();
    if (s.context > 1)
      ulysses(s, yaml);
  }
  if (s.plugIn == PlugIn::Megatron)
    megatron(s, yaml);
  return yaml.text;
}

std::vector<std::string> dpl::accelerate::differencesOf(const Shape& s) {
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
    if (s.context > 1)
      out.push_back("state that is sharded over data is sharded over data × context");
  }
  if (s.plugIn == PlugIn::Megatron) {
    if (s.dataRanks() > 1 && layout.overlap.gradients)
      out.push_back("gradients are reduced after the last backward pass, not beside it");
    if (s.zero > 0 && layout.overlap.parameters)
      out.push_back("parameters are gathered at the end of the step, not beside the forward pass");
    if (s.pipelined() && layout.overlap.pipeline)
      out.push_back("sends between stages do not overlap");
    if (s.zero > 0 && s.context > 1)
      out.push_back("state that is sharded over data is sharded over data × context");
  }
  return out;
}

std::vector<std::string> dpl::accelerate::dutiesOf(const Shape& s) {
  const ir::Layout& layout = s.plan.layout;
  std::vector<std::string> out{"build the model of `model`",
                               fmt::format("give its DataLoader a batch of {}, that of one pass of "
                                           "one data rank",
                                           layout.microBatch)};
  if (s.plugIn == PlugIn::DeepSpeed) {
    out.push_back("pass accelerate.utils.DummyOptim, as ds_config.json has the optimizer");
    if (s.context > 1)
      out.push_back(
          "load the model by transformers, in which Ulysses takes the place of attention");
  } else {
    out.push_back("make the optimizer of `optimizer`");
    if (s.plugIn != PlugIn::Megatron)
      out.push_back("clip gradients by accelerator.clip_grad_norm_, which no file does");
  }
  if (s.plugIn == PlugIn::FullySharded && s.tensor > 1)
    out.push_back("load the model by transformers with tp_plan=\"auto\" on the mesh's axis tp");
  if (s.plugIn == PlugIn::FullySharded && s.context > 1)
    out.push_back("run the step in accelerator.maybe_context_parallel, which splits the sequence");
  if (s.plugIn == PlugIn::Megatron && s.routed)
    out.push_back("give MegatronLMPlugin the experts of `model` as other_megatron_args");
  if (layout.recompute.kind != ir::RecomputeKind::None && !recomputesLayers(s) &&
      s.plugIn != PlugIn::Megatron)
    out.push_back("recompute as `recompute` says");
  return out;
}
