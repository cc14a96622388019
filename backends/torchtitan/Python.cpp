//===- Python.cpp - A plan as a configuration function of torchtitan 0.3 ----------------------===//
#include "backends/LaunchScript.h"
#include "backends/torchtitan/Config.h"
#include "backends/torchtitan/Split.h"
#include "ir/Names.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::torchtitan;

namespace {

/// Builds a function call in Python with one keyword argument per line.
class PythonCall {
public:
  explicit PythonCall(std::string function) : text(std::move(function) + "(\n") {}
  void set(const char* name, const std::string& value) {
    text += fmt::format("            {}={},\n", name, value);
  }
  void number(const char* name, std::uint64_t value) { set(name, std::to_string(value)); }
  void truth(const char* name, bool value) { set(name, value ? "True" : "False"); }
  std::string end() && { return std::move(text) + "        )"; }

private:
  std::string text;
};

/// The modules of each stage, in the order of the model: [["tok_embeddings", *layers(0, 3)], …].
std::string stagesOf(const TorchtitanLayout& s) {
  std::string out = "[\n";
  for (const ir::Chunk& c : s.plan.chunks) {
    std::string modules = c.embedding ? "\"tok_embeddings\"" : "";
    if (c.layers > 0)
      modules += fmt::format("{}*layers({}, {})", modules.empty() ? "" : ", ", c.firstLayer,
                             c.firstLayer + c.layers);
    if (c.head)
      modules += fmt::format("{}\"norm\", \"lm_head\"", modules.empty() ? "" : ", ");
    out += fmt::format("                [{}],\n", modules);
  }
  return out + "            ]";
}

std::string parallelism(const TorchtitanLayout& s, bool listed) {
  PythonCall call("ParallelismConfig");
  call.number("data_parallel_replicate_degree", s.replicateDegree());
  call.number("data_parallel_shard_degree", s.shardDegree());
  if (s.sharded())
    call.set("fsdp_reshard_after_forward",
             s.plan.layout.shard.reshard ? "\"always\"" : "\"never\"");
  call.number("context_parallel_degree", s.context);
  call.number("tensor_parallel_degree", s.tensor);
  if (s.tensor > 1)
    call.truth("enable_sequence_parallel", s.sequenceParallel());
  if (s.experts)
    call.number("expert_parallel_degree", s.expert);
  call.number("pipeline_parallel_degree", s.pipeline);
  if (s.pipeline > 1) {
    call.set("pipeline_parallel_schedule", quoted(s.schedule->name));
    if (s.fromTable())
      call.set("pipeline_parallel_schedule_csv", "str(Path(__file__).with_name(\"schedule.csv\"))");
    call.number("pipeline_parallel_microbatch_size", s.plan.layout.microBatch);
    const TorchtitanSplit split = splitOf(s);
    if (listed) {
      call.set("module_fqns_per_model_part", stagesOf(s));
    } else {
      call.number("pipeline_parallel_first_stage_less_layers", split.first);
      call.number("pipeline_parallel_last_stage_less_layers", split.last);
      if (split.layersPerStage > 0)
        call.number("pipeline_parallel_layers_per_stage", split.layersPerStage);
    }
  }
  return std::move(call).end();
}

std::string training(const TorchtitanLayout& s) {
  const ir::Layout& layout = s.plan.layout;
  PythonCall call("TrainingConfig");
  call.number("local_batch_size", s.localBatch());
  call.number("global_batch_size", layout.batch);
  call.number("seq_len", s.plan.model.context);
  call.set("dtype", s.fullBf16() ? "\"bfloat16\"" : "\"float32\"");
  call.set("mixed_precision_param",
           layout.precision.compute == ir::DataType::FP32 ? "\"float32\"" : "\"bfloat16\"");
  call.set("mixed_precision_reduce", "\"float32\"");
  call.set("max_norm", real(clippedNorm));
  call.truth("disable_cuda_graphs", !layout.graphs);
  if (layout.offloadSettings().parameters)
    call.truth("enable_cpu_offload", true); // applies to parameters, gradients and optimizer state
  return std::move(call).end();
}

std::string optimizer(const TorchtitanLayout& s) {
  const ir::OptimizerSettings& o = s.plan.optimizerSettings();
  const bool decays = s.plan.layout.optimizer == ir::OptimizerKind::AdamW;
  std::string values = fmt::format("\"betas\": ({}, {}), \"eps\": 1e-8, \"weight_decay\": {}",
                                   real(o.beta1), real(o.beta2), real(decays ? o.weightDecay : 0));
  const double rate = o.learningRate.given ? o.learningRate.peak : 8e-4; // as in 0.2
  return fmt::format("OptimizersContainer.Config(\n"
                     "            param_groups=[\n"
                     "                ParamGroupConfig(\n"
                     "                    pattern=\".*\",\n"
                     "                    optimizer_name=\"{}\",\n"
                     "                    optimizer_kwargs={{\"lr\": {}, {}}},\n"
                     "                )\n"
                     "            ]\n"
                     "        )",
                     decays ? "AdamW" : "Adam", real(rate), values);
}

std::string schedulerOf(const ir::LearningRate& rate) {
  PythonCall call("LRSchedulersContainer.Config");
  call.number("warmup_steps", rate.warmup);
  if (rate.kind == ir::LearningRateKind::Constant) {
    call.set("decay_ratio", "0.0");
  } else {
    call.set("decay_type", quoted(ir::name(rate.kind)));
    call.set("min_lr_factor", real(rate.peak > 0 ? rate.end / rate.peak : 0));
  }
  return std::move(call).end();
}

} // namespace

std::string dpl::torchtitan::pythonConfig(const TorchtitanLayout& s) {
  const ir::Layout& layout = s.plan.layout;
  const char* policy = layout.recompute.kind == ir::RecomputeKind::Full ? "FullAC"
                       : s.byOperator()                                 ? "SelectiveAC"
                                                                        : "";
  const bool rate = s.plan.optimizerSettings().learningRate.given;
  const bool listed = s.pipeline > 1 && splitOf(s).listed;
  std::string out = headerOf(s.request);
  if (s.fromTable())
    out += "from pathlib import Path\n\n";
  out += "from torchtitan.components.loss import ChunkedLossWrapper, CrossEntropyLoss\n";
  out += fmt::format("from torchtitan.components.optimizer import {}OptimizersContainer, "
                     "ParamGroupConfig\n",
                     rate ? "LRSchedulersContainer, " : "");
  if (s.float8())
    out += "from torchtitan.components.quantization import Float8LinearConverter\n";
  out += fmt::format("from torchtitan.config import {}ParallelismConfig, TrainingConfig\n",
                     s.compiled() || s.compiledLoss() ? "CompileConfig, " : "");
  if (*policy != '\0')
    out += fmt::format("from torchtitan.distributed.activation_checkpoint import {}\n", policy);
  out += fmt::format("from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataLoader\n"
                     "from torchtitan.models.common.config_utils import decoder_vocab_size\n"
                     "from torchtitan.models.{} import model_registry\n"
                     "from torchtitan.trainer import Trainer\n\n\n",
                     s.flavor->model);
  if (listed)
    out += "def layers(first, end):\n"
           "    return [f\"layers.{i}\" for i in range(first, end)]\n\n\n";
  const std::string converters =
      s.float8()
          ? fmt::format(", converters=[Float8LinearConverter.Config(recipe_name=\"rowwise\", "
                        "filter_fqns=[\"lm_head\"]"
                        ", model_compile_enabled={})]",
                        s.compiled() ? "True" : "False")
          : "";
  out += fmt::format("def plan() -> Trainer.Config:\n"
                     "    model_spec = model_registry({}{})\n"
                     "    return Trainer.Config(\n"
                     "        model_spec=model_spec,\n"
                     "        loss=ChunkedLossWrapper.Config(\n"
                     "            loss_fn=CrossEntropyLoss.Config("
                     "global_vocab_size=decoder_vocab_size(model_spec))\n"
                     "        ),\n",
                     quoted(s.flavor->flavor), converters);
  out += "        dataloader=HuggingFaceTextDataLoader.Config(dataset=\"c4_test\"),\n";
  out += fmt::format("        training={},\n        parallelism={},\n", training(s),
                     parallelism(s, listed));
  out += fmt::format("        activation_checkpoint={},\n",
                     *policy != '\0' ? std::string(policy) + ".Config()" : "None");
  if (s.compiled() || s.compiledLoss()) {
    const char* parts = s.compiled() == s.compiledLoss() ? "" // both are compiled
                        : s.compiled()                   ? ", components=[\"model\"]"
                                                         : ", components=[\"loss\"]";
    out += fmt::format("        compile=CompileConfig(enable=True{}{}),\n", parts,
                       layout.overlap.tensor ? ", enable_async_tensor_parallel=True" : "");
  }
  out += fmt::format("        optimizer={},\n", optimizer(s));
  if (rate)
    out += fmt::format("        lr_scheduler={},\n",
                       schedulerOf(s.plan.optimizerSettings().learningRate));
  return out + "    )\n";
}
