//===- Toml.cpp - A plan as the TOML file of torchtitan 0.2 -----------------------------------===//
#include "backends/LaunchScript.h"
#include "backends/torchtitan/Config.h"
#include "backends/torchtitan/Split.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::torchtitan;

namespace {

/// Builds sections of `key = value` lines. Callers format values as TOML, or pass typed ones.
class Toml {
public:
  void section(const char* name) { text += fmt::format("\n[{}]\n", name); }
  void raw(const char* key, const std::string& value) {
    text += fmt::format("{} = {}\n", key, value);
  }
  void string(const char* key, llvm::StringRef value) { raw(key, quoted(value)); }
  void number(const char* key, std::uint64_t value) { raw(key, std::to_string(value)); }
  std::string text;
};

/// The modules of each stage, in the order of the model, one stage per line.
std::string stagesOf(const TorchtitanLayout& s) {
  std::string out = "[\n";
  for (const ir::Chunk& c : s.plan.chunks) {
    std::string modules = c.embedding ? "\"tok_embeddings\"" : "";
    for (std::uint64_t i = 0; i < c.layers; ++i)
      modules += fmt::format("{}\"layers.{}\"", modules.empty() ? "" : ", ", c.firstLayer + i);
    if (c.head)
      modules += fmt::format("{}\"norm\", \"output\"", modules.empty() ? "" : ", ");
    out += fmt::format("  [{}],\n", modules);
  }
  return out + "]";
}

void parallelism(const TorchtitanLayout& s, Toml& out) {
  out.section("parallelism");
  out.number("data_parallel_replicate_degree", s.replicateDegree());
  out.number("data_parallel_shard_degree", s.shardDegree());
  if (s.sharded())
    out.string("fsdp_reshard_after_forward", s.plan.layout.shard.reshard ? "always" : "never");
  out.number("context_parallel_degree", s.context);
  out.number("tensor_parallel_degree", s.tensor);
  if (s.plan.layout.overlap.tensor)
    out.raw("enable_async_tensor_parallel", "true");
  if (s.experts) {
    out.number("expert_parallel_degree", s.expert);
    out.number("expert_tensor_parallel_degree", s.expertTensor);
  }
  out.number("pipeline_parallel_degree", s.pipeline);
  if (s.pipeline == 1)
    return;
  out.string("pipeline_parallel_schedule", s.schedule->name);
  out.number("pipeline_parallel_microbatch_size", s.plan.layout.microBatch);
  if (s.schedule->pairsActions) // the default is true
    out.raw("pipeline_parallel_expert_parallel_overlap",
            s.plan.layout.overlap.experts ? "true" : "false");
  const TorchtitanSplit split = splitOf(s);
  if (split.listed) {
    out.raw("module_fqns_per_model_part", stagesOf(s));
    return;
  }
  out.number("pipeline_parallel_first_stage_less_layers", split.first);
  out.number("pipeline_parallel_last_stage_less_layers", split.last);
  if (split.layersPerStage > 0)
    out.number("pipeline_parallel_layers_per_stage", split.layersPerStage);
}

void optimizer(const TorchtitanLayout& s, Toml& out) {
  const ir::OptimizerSettings& o = s.plan.optimizerSettings();
  const bool decays = s.plan.layout.optimizer == ir::OptimizerKind::AdamW;
  out.section("optimizer");
  out.string("name", decays ? "AdamW" : "Adam");
  out.raw("beta1", real(o.beta1));
  out.raw("beta2", real(o.beta2));
  out.raw("weight_decay", real(decays ? o.weightDecay : 0));
  const ir::LearningRate& rate = o.learningRate;
  if (!rate.given)
    return;
  out.raw("lr", real(rate.peak));
  out.section("lr_scheduler");
  out.number("warmup_steps", rate.warmup);
  if (rate.kind == ir::LearningRateKind::Constant) {
    out.raw("decay_ratio", "0.0");
    return;
  }
  out.string("decay_type", ir::name(rate.kind));
  out.raw("min_lr_factor", real(rate.peak > 0 ? rate.end / rate.peak : 0));
}

} // namespace

std::string dpl::torchtitan::real(double value) {
  std::string out = fmt::format("{}", value);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

std::string dpl::torchtitan::tomlConfig(const TorchtitanLayout& s) {
  const ir::Layout& layout = s.plan.layout;
  Toml out;
  out.text = headerOf(s.request);
  out.section("job");
  out.string("description", subjectOf(s.plan));
  out.section("model");
  out.string("name", s.flavor->model);
  out.string("flavor", s.flavor->flavor);
  if (s.float8())
    out.raw("converters", "[\"float8\"]");
  out.section("training");
  out.number("local_batch_size", s.localBatch());
  out.number("global_batch_size", layout.batch);
  out.number("seq_len", s.plan.model.context);
  out.string("dtype", s.fullBf16() ? "bfloat16" : "float32");
  out.string("mixed_precision_param",
             layout.precision.compute == ir::DataType::FP32 ? "float32" : "bfloat16");
  out.string("mixed_precision_reduce", "float32");
  out.raw("max_norm", real(clippedNorm));
  if (layout.offloadSettings().parameters)
    out.raw("enable_cpu_offload", "true # of parameters, gradients and optimizer state");
  parallelism(s, out);
  out.section("activation_checkpoint");
  out.string("mode", layout.recompute.kind == ir::RecomputeKind::Full ? "full"
                     : s.byOperator()                                 ? "selective"
                                                                      : "none");
  if (s.byOperator())
    out.string("selective_ac_option", "op"); // the default is every second layer
  if (s.compiled() || s.compiledLoss()) {
    out.section("compile");
    out.raw("enable",
            layout.overlap.tensor ? "true # what asynchronous tensor parallelism needs" : "true");
    if (s.compiled() != s.compiledLoss()) // without this line both are compiled
      out.raw("components", s.compiled() ? "[\"model\"]" : "[\"loss\"]");
  }
  if (s.float8()) {
    out.section("quantize.linear.float8");
    out.raw("filter_fqns", "[\"output\"]");
    if (layout.precision.recipe == ir::Fp8Recipe::Rowwise)
      out.string("recipe_name", "rowwise"); // the default is tensorwise
  }
  optimizer(s, out);
  return std::move(out.text);
}
