//===- Import.cpp - Converts a torchtitan configuration to a .dpl file ------------------------===//
//
// The defaults are those of torchtitan 0.2.2 (config/job_config.py). Release 0.3.0 has the same
// defaults, except for CUDA graphs.
#include "frontend/import/BlockText.h"
#include "frontend/import/Configuration.h"
#include "frontend/import/Degrees.h"
#include "frontend/import/PlanFile.h"
#include "frontend/import/settings/SettingsReader.h"
#include "frontend/import/torchtitan/Numbers.h"
#include "frontend/import/torchtitan/Overrides.h"
#include "frontend/import/torchtitan/StageLayers.h"
#include "frontend/import/torchtitan/WithoutEffect.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;
using namespace dpl::imports::torchtitan;

namespace {
class TorchtitanPlanWriter {
public:
  TorchtitanPlanWriter(const ConfigurationImport& request, const TorchtitanTables& facts,
                       SettingValue root, bool old, DiagnosticEngine& diags)
      : request(request), facts(facts), old(old),
        set(std::move(root), request.file, request.defines, diags) {}

  FailureOr<std::string> run(DiagnosticEngine& diags) {
    (void)set.definition("CONFIG"); // `--define CONFIG=` was read before
    if (request.overrides &&
        applyOverrides(set, request.sources, *request.overrides, diags).failed())
      return LogicalResult::failure();
    set.ignore(request.ignore);
    if (old)
      earlier = readEarlierNames(set);
    degrees();
    PlanFile out;
    modelInto(out);
    out.source = request.sources.name(request.file).str();
    out.cluster = request.cluster, out.nodes = nodes, out.gpus = gpus;
    out.mesh = meshText();
    out.layout = layoutText();
    if (set.has("training.steps"))
      out.run = runOf(fmt::format("steps = {}step", set.count("training.steps", 1, 1)));
    out.remarks = remarks + set.rest({withoutEffect(), defaults(), different});
    if (!set.finish())
      return LogicalResult::failure();
    if (request.settings)
      *request.settings = set.written();
    return out.text();
  }

private:
  std::uint64_t degree(const char* name) {
    return set.count(fmt::format("parallelism.{}_degree", name), 1, 1);
  }

  /// Reads the degrees. `-1` stands for all devices that the other axes do not use.
  void degrees() {
    replicate = degree("data_parallel_replicate"), context = degree("context_parallel");
    tensor = degree("tensor_parallel"), pipeline = degree("pipeline_parallel");
    expert = degree("expert_parallel"), expertTensor = degree("expert_tensor_parallel");
    const char* path = "parallelism.data_parallel_shard_degree";
    const SettingValue* given = set.value(path);
    const bool rest = !given || given->text == "-1";
    std::uint64_t others = 1, world = 0;
    for (const std::uint64_t size : {replicate, context, tensor, pipeline})
      if (__builtin_mul_overflow(others, size, &others))
        others = most;
    others = std::min(others, most);
    if (rest) {
      nodes = set.defined("NNODES", "on how many nodes it starts");
      gpus = set.defined("NPROC_PER_NODE", "how many processes a node starts");
      world = std::min(nodes, most) * std::min(gpus, most);
      if (world % others != 0)
        set.refused(undivided(world,
                              {{"parallelism.pipeline_parallel_degree", pipeline},
                               {"parallelism.tensor_parallel_degree", tensor},
                               {"parallelism.context_parallel_degree", context},
                               {"parallelism.data_parallel_replicate_degree", replicate}},
                              [&](const char* degree) { return set.has(degree); }),
                    program,
                    fmt::format("{} processes are not a multiple of replicate × context × tensor × "
                                "pipeline = {}",
                                world, others));
      shard = std::max<std::uint64_t>(world / others, 1);
      return;
    }
    shard = degree("data_parallel_shard");
    world = others * std::min(shard, most);
    constexpr std::uint64_t usual = 8;
    gpus = set.definedOr("NPROC_PER_NODE", std::min(world, usual));
    nodes = set.definedOr("NNODES", std::max<std::uint64_t>(world / gpus, 1));
    if (nodes * gpus != world)
      set.refused(path, program,
                  fmt::format("its degrees are for {} processes, {} nodes with {} have {}", world,
                              nodes, gpus, nodes * gpus));
  }

  void modelInto(PlanFile& out) {
    const std::string name = set.text("model.name", ""), flavor = set.text("model.flavor", "");
    const std::uint64_t length = set.count("training.seq_len", 2048, 1);
    if (request.model) {
      out.declaration = request.model->declaration;
      out.declaration += fmt::format("model imported from {} {{ context = {}tok }}\n\n",
                                     request.model->name, length);
      layers = request.model->layers;
      return;
    }
    if (name.empty() || flavor.empty())
      return set.wrong(name.empty() ? "model.name" : "model.flavor",
                       "the name of a model of torchtitan, or `--as` a model");
    const auto known = facts.flavor(name, flavor, old);
    if (!known)
      return set.unsupportedByDefault(
          "model.flavor", fmt::format("{} {} is not a model that the import supports; `--as` "
                                      "names one of the library or a config.json",
                                      name, flavor));
    layers = known->layers;
    out.declaration =
        fmt::format("model imported from models.decoder {{\n{}  context = {}tok\n}}\n\n",
                    known->fields, length);
  }

  bool sharded() const { return shard > 1; }

  std::string meshText() {
    std::string mesh;
    const auto axis = [&](const char* name, std::uint64_t size) {
      if (size > 1)
        mesh += fmt::format("    {} = {}\n", name, size);
    };
    axis("pipeline", pipeline);
    axis("replica", sharded() ? replicate : 1);
    axis("data", sharded() ? shard : replicate);
    axis("context", context), axis("tensor", tensor);
    const std::uint64_t split = old ? expertTensor : 1; // release 0.3 does not split experts
    if (expert > 1)
      mesh +=
          fmt::format("    experts {{ data = rest, expert = {}, tensor = {} }}\n", expert, split);
    return mesh;
  }

  std::string layoutText() {
    const std::uint64_t local = set.count("training.local_batch_size", 8, 1);
    StageLayers stages(set, facts, earlier, pipeline, layers);
    const std::uint64_t micro =
        std::max<std::uint64_t>(pipeline > 1 ? stages.microBatchOf(local) : local, 1);
    const SettingValue* whole = set.value("training.global_batch_size");
    const bool given = whole && whole->text != "-1";
    const std::uint64_t once = local * (sharded() ? replicate * shard : replicate);
    const std::uint64_t batch = given ? set.count("training.global_batch_size", once, 1) : once;
    if (given && once != 0 && batch % once != 0)
      set.refused(
          "training.global_batch_size", program,
          fmt::format("{} sequences are not a multiple of the {} of one pass of all data ranks "
                      "(AssertionError when it starts)",
                      batch, once));
    if (given && pipeline > 1 && batch > once)
      remarks += remark("The pipeline is flushed between the passes of a step, which the plan does "
                        "not have");
    frameworkText();
    fields.line("batch", fmt::format("{}seq", batch));
    fields.line("micro_batch", fmt::format("{}seq", micro));
    if (pipeline > 1)
      pipelineText(stages);
    else
      withoutPipeline();
    recomputeText();
    shardText();
    // Parameters are cast by fully_shard, or by autocast if there is no other parallelism.
    precisionText(set, shard * context > 1 || !old || tensor * pipeline == 1, fields);
    if (const SettingValue* sums = set.peek("training.mixed_precision_reduce");
        sums && sums->text != "float32")
      remarks +=
          remark("A fork of torchtitan reduces gradients in 16 bits; torchtitan itself refuses "
                 "`mixed_precision_reduce = bfloat16`");
    optimizerText(set, fields, remarks);
    return fields.release();
  }

  /// Writes the release of torchtitan, and whether it compiles the layers, the loss or both.
  void frameworkText() {
    std::vector<std::string> parts{"model", "loss"};
    if (const SettingValue* listed = set.value("compile.components")) {
      parts.clear();
      for (const SettingEntry& part : listed->entries)
        parts.push_back(part.value.text);
    }
    const bool enabled = set.flag("compile.enable", false);
    const bool compilesLoss = enabled && llvm::is_contained(parts, "loss");
    compiles = enabled && llvm::is_contained(parts, "model");
    fields.line("framework",
                fmt::format("torchtitan {{ version = \"{}\"{} }}", old ? "0.2.2" : "0.3.0",
                            compiles ? ", compiled = true" : ""));
    if (compiles != compilesLoss)
      fields.line("kernels.loss", compilesLoss ? "compiled" : "eager");
  }

  /// Marks settings that have no effect without a pipeline.
  void withoutPipeline() {
    for (const char* part :
         {"schedule", "schedule_csv", "microbatch_size", "microbatches", "split_points",
          "layers_per_stage", "first_stage_less_layers", "last_stage_less_layers"})
      set.markRead(std::string("parallelism.pipeline_parallel_") + part);
    set.markRead("parallelism.module_fqns_per_model_part");
  }

  void pipelineText(StageLayers& stages) {
    const std::string& schedule = stages.schedule();
    if (const SettingValue* table = set.value("parallelism.pipeline_parallel_schedule_csv");
        table && !table->text.empty())
      set.unsupported("parallelism.pipeline_parallel_schedule_csv",
                      "write what the file lists as `schedule = custom { … }`");
    const std::vector<std::uint64_t> parts = stages.layersOfEach();
    stageLayers = parts;
    const std::uint64_t chunks = std::max<std::uint64_t>(parts.size() / pipeline, 1);
    const llvm::StringRef ours = scheduleOfLanguage(schedule);
    if (ours.startswith("interleaved") || schedule == "LoopedBFS")
      fields.line("schedule", fmt::format("{} {{ chunks = {} }}", ours.str(), chunks));
    else if (schedule != "1F1B")
      fields.line("schedule", ours.str());
    const bool even = llvm::all_of(parts, [&](std::uint64_t n) { return n == parts.front(); });
    if (!even)
      fields.line("split", fmt::format("[{}]", fmt::join(parts, ", ")));
    const char* overlap = "parallelism.pipeline_parallel_expert_parallel_overlap";
    pairs = old && schedule == "DualPipeV" && expert > 1 && set.flag(overlap, true);
  }

  void recomputeText() {
    const std::string mode =
        set.choice("activation_checkpoint.mode", "selective", {"selective", "full", "none"});
    const char* path = "activation_checkpoint.selective_ac_option";
    const std::string option = set.text(path, "2");
    if (mode == "full" || (mode == "selective" && option == "1"))
      fields.line("recompute", "full");
    else if (mode == "selective" && option == "op")
      fields.line("recompute", "selective { modules = [norm, activation, every_other_matmul] }");
    else if (mode == "selective")
      recomputeEach(path, option);
    if (set.flag("activation_checkpoint.early_stop", false) && mode != "none")
      fields.line("early_stop", "true");
    if (pairs && mode == "none")
      fields.line("overlap.experts", "true");
    else if (pairs)
      set.refused("activation_checkpoint.mode", program,
                  "recomputation with expert parallelism in DualPipeV, unless their overlap is off "
                  "(NotImplementedError when it starts)");
  }

  /// torchtitan recomputes each n-th layer of a stage; a plan recomputes the first layers of each
  /// stage. The number of layers is the smallest that any stage of torchtitan recomputes, so that
  /// the plan does not need less memory than torchtitan.
  void recomputeEach(const char* path, const std::string& option) {
    std::uint64_t each = 0;
    const bool known = !llvm::StringRef(option).getAsInteger(10, each);
    const std::vector<std::uint64_t> stages =
        pipeline > 1 ? stageLayers : std::vector<std::uint64_t>{layers};
    if (known && each == 0) // `not ac_freq` in torchtitan/distributed/activation_checkpoint.py
      return fields.line("recompute", "full");
    if (!known)
      return set.wrong(path, "`op`, or the number of layers of which one is recomputed");
    if (stages.empty() || layers == 0) // an error was reported before
      return;
    const auto [smallest, largest] = std::minmax_element(stages.begin(), stages.end());
    const std::uint64_t count = *smallest / each;
    if (count > 0)
      fields.line("recompute", fmt::format("full {{ method = block, layers = {} }}", count));
    const std::string fewer = "and so needs more memory and less time";
    if (*largest >= each)
      remarks += remark(fmt::format(
          "One of {} layers is recomputed, the last of each {}; the plan recomputes {}", each, each,
          *largest / each == count ? "as many, the first of each stage"
          : count == 0
              ? fmt::format("none, because a stage has fewer than {} layers, {}", each, fewer)
              : fmt::format("the first {} of each stage, the smallest number that "
                            "torchtitan recomputes in a stage, {}",
                            count, fewer)));
  }

  void shardText() {
    std::string shards;
    const bool freed =
        set.choice("parallelism.fsdp_reshard_after_forward", "default",
                   {"default", "always", "never"}) != "never" &&
        (pipeline == 1 || set.text("parallelism.fsdp_reshard_after_forward", "") == "always");
    shards = sharded() ? "parameters = data, gradients = data, optimizer = data"
                       : "parameters = none, gradients = none, optimizer = none";
    const bool sequence = set.flag("parallelism.enable_sequence_parallel", true);
    if (tensor > 1 && sequence)
      shards += ", sequence = tensor";
    if (sharded() && !freed)
      shards += ", reshard_after_forward = false";
    fields.block("shard", shards);
    if (set.flag("training.enable_cpu_offload", false)) {
      if (sharded() && freed)
        fields.block("offload", "optimizer = 1.0, parameters = true");
      else
        set.unsupported("training.enable_cpu_offload");
    }
    if (context > 1)
      remarks += remark("What is sharded over data is sharded over context as well");
    const bool overlaps = set.flag("parallelism.enable_async_tensor_parallel", false);
    if (overlaps && compiles && tensor > 1)
      fields.line("overlap.tensor", "true");
    else if (overlaps && tensor > 1)
      set.refused("parallelism.enable_async_tensor_parallel", program,
                  "asynchronous tensor parallelism needs `model` among the components that "
                  "`compile` has (RuntimeError when it parallelizes the model)");
    if (set.choice("parallelism.expert_parallel_comm_backend", "standard",
                   {"standard", "deepep", "hybridep"}) != "standard" &&
        expert > 1)
      fields.line("kernels.token_dispatcher",
                  set.text("parallelism.expert_parallel_comm_backend", ""));
    fields.line("vocab_multiple", 1); // torchtitan does not pad the vocabulary
    graphsText();
  }

  /// Writes `cuda_graphs`. Graphs are the default of release 0.3.
  void graphsText() {
    const char* path = "training.disable_cuda_graphs";
    if (old || set.flag(path, false))
      return;
    fields.line("cuda_graphs", "true");
    if (pipeline > 1 || expert > 1)
      set.refused(path, program,
                  fmt::format("CUDA graphs with {} parallel {} (ValueError when it "
                              "reads its configuration)",
                              pipeline > 1 ? "pipeline" : "expert", std::max(pipeline, expert)));
  }

  const ConfigurationImport& request;
  const TorchtitanTables& facts;
  bool old;              ///< whether the release is 0.2, not 0.3
  bool compiles = false; ///< whether layers are compiled
  EarlierBehaviour earlier;
  bool pairs = false; ///< whether DualPipeV overlaps the token exchange of forward and backward
                      ///< passes
  SettingsReader set;
  BlockText fields;
  std::string remarks;
  std::uint64_t replicate = 1, shard = 1, context = 1, tensor = 1, pipeline = 1, expert = 1,
                expertTensor = 1, nodes = 1, gpus = 1, layers = 0;
  std::vector<std::uint64_t> stageLayers; ///< layers of each pipeline stage
};

} // namespace

FailureOr<std::string> dpl::imports::torchtitanConfiguration(const ConfigurationImport& request,
                                                             const TorchtitanTables& facts,
                                                             DiagnosticEngine& diags) {
  std::string wanted;
  for (const auto& [name, value] : request.defines)
    if (name == "CONFIG")
      wanted = value;
  const bool old = !request.sources.name(request.file).endswith(".py");
  FailureOr<SettingValue> root =
      old ? readToml(request.sources, request.file, diags)
          : torchtitan::normalized(request.sources, request.file, wanted, diags);
  if (root.failed())
    return LogicalResult::failure();
  return TorchtitanPlanWriter(request, facts, std::move(*root), old, diags).run(diags);
}
