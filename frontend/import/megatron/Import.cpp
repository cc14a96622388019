//===- Import.cpp - Converts a launch of Megatron-LM to a .dpl file ---------------------------===//
//
// Absent options have the defaults of Megatron-LM's parser, which differ from those of DPL: layer
// norm, learned positions, biases, tied embeddings, no overlap.
#include "frontend/import/megatron/Import.h"
#include "frontend/import/BlockText.h"
#include "frontend/import/Degrees.h"
#include "frontend/import/PlanFile.h"
#include "frontend/import/megatron/CudaGraphs.h"
#include "frontend/import/megatron/ModelFields.h"
#include "frontend/import/megatron/Optimizer.h"
#include "frontend/import/megatron/Split.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <utility>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

namespace {

class MegatronPlanWriter {
public:
  MegatronPlanWriter(const LaunchImport& request, LaunchOptions& launch, std::string remarks = "")
      : request(request), launch(launch), remarks(std::move(remarks)) {}

  std::string run() {
    sizes();
    model = modelOf(launch);
    PlanFile out;
    out.source = request.sources.name(request.file).str();
    out.declaration = fmt::format("model imported from models.decoder {{\n{}}}\n\n", model.fields);
    out.cluster = request.cluster, out.nodes = launch.nodes, out.gpus = launch.gpus;
    out.mesh = meshText();
    out.layout = layoutText();
    out.run = runText(launch);
    out.remarks = remarks + remarksText();
    return out.text();
  }

private:
  /// Comments about options of the launch that are not in the plan.
  std::string remarksText() {
    std::string out;
    if (!launch.otherScript.empty())
      out += remark(
          fmt::format("`{}` is read as pretrain_gpt.py of Megatron-LM, whose options it takes",
                      launch.otherScript));
    if (!graphs.parts.empty())
      out += remark("CUDA graphs of " + graphs.parts +
                    " only: the plan launches each kernel by itself");
    if (!growth.empty())
      out += remark("The batch is the last one of " + growth);
    if (const std::string tokenizer = countingTokenizer(launch); !tokenizer.empty())
      out += remark(tokenizer + " counts its tokens itself: --vocab-size may be another number");
    const std::vector<std::string> unused = launch.rest(), without = launch.ignored();
    return out + remarksOf(unused, without);
  }
  void sizes() {
    tensor = launch.count("--tensor-model-parallel-size", 1);
    pipeline = launch.count("--pipeline-model-parallel-size", 1);
    context = launch.count("--context-parallel-size", 1);
    exchange();
    sharded = launch.flag("--use-distributed-optimizer");
    fullySharded = launch.flag("--use-megatron-fsdp");
    replica = launch.count("--num-distributed-optimizer-instances", 1);
    const std::uint64_t world = launch.nodes * launch.gpus, inner = tensor * pipeline * context;
    if (launch.oneProcess && inner > 1)
      launch.requireProcessCount();
    else if (inner == 0 || world % inner != 0)
      launch.refused(
          undivided(world,
                    {{"--pipeline-model-parallel-size", pipeline},
                     {"--tensor-model-parallel-size", tensor},
                     {"--context-parallel-size", context}},
                    [&](const char* option) { return launch.has(option); }),
          fmt::format("{} processes are not a multiple of tensor × pipeline × context = {}", world,
                      inner),
          {LaunchOptions::processes, "--tensor-model-parallel-size",
           "--pipeline-model-parallel-size", "--context-parallel-size"});
    dataRanks = std::max<std::uint64_t>(1, inner == 0 ? 1 : world / inner);
    instancesOf(dataRanks, fmt::format("{} data ranks", dataRanks));
  }

  /// Reports, once, that the number of data ranks is not a multiple of the optimizer's instances.
  void instancesOf(std::uint64_t ranks, const std::string& named) {
    if (ranks % replica != 0 && !std::exchange(unevenInstances, true))
      launch.refused("--num-distributed-optimizer-instances",
                     fmt::format("{} are not a multiple of {} instances", named, replica),
                     {LaunchOptions::processes, "--tensor-model-parallel-size",
                      "--pipeline-model-parallel-size", "--context-parallel-size",
                      "--expert-model-parallel-size", "--expert-tensor-parallel-size",
                      "--num-distributed-optimizer-instances"});
  }

  /// Accepts the context exchange that `emit` writes: p2p (a ring), or all_gather if there is a
  /// sliding window.
  void exchange() {
    const bool gathers = context > 1 && launch.has("--window-size");
    if (gathers && !launch.has("--cp-comm-type"))
      launch.incomplete(
          "--window-size",
          "a window over a cut sequence needs --cp-comm-type all_gather (AssertionError "
          "when it runs the first step)");
    (void)launch.choice("--cp-comm-type", "p2p", {gathers ? "all_gather" : "p2p"});
  }

  std::string meshText() {
    std::string mesh;
    const auto axis = [&](const char* name, std::uint64_t size) {
      if (size > 1)
        mesh += fmt::format("    {} = {}\n", name, size);
    };
    const std::uint64_t instances = sharded || fullySharded ? replica : 1;
    const bool outside = launch.flag("--use-tp-pp-dp-mapping");
    if (!outside)
      axis("pipeline", pipeline);
    axis("replica", instances), axis("data", dataRanks / std::max<std::uint64_t>(1, instances));
    if (outside)
      axis("pipeline", pipeline);
    axis("context", context), axis("tensor", tensor);
    const std::uint64_t expert = launch.count("--expert-model-parallel-size", 1);
    if (expert > 1 && !launch.has("--num-experts"))
      launch.incomplete("--expert-model-parallel-size",
                        "expert parallelism needs --num-experts (AssertionError when it reads its "
                        "arguments)");
    const std::uint64_t expertTensor = launch.count("--expert-tensor-parallel-size", tensor);
    const std::uint64_t ranks = dataRanks * context * tensor, inner = expert * expertTensor;
    if (launch.has("--num-experts") && inner > 0 && ranks % inner == 0)
      instancesOf(ranks / inner, fmt::format("{} / ({} × {}) = {} data ranks of experts", ranks,
                                             expert, expertTensor, ranks / inner));
    if (launch.has("--num-experts") && (expert > 1 || expertTensor != tensor))
      mesh += fmt::format("    experts {{ data = rest, expert = {}, tensor = {} }}\n", expert,
                          expertTensor);
    return mesh;
  }

  void splitText() {
    const LayerAssignment split = splitOf(launch, {model.layers, pipeline, model.predictionLayers});
    const std::uint64_t group =
        launch.count("--microbatch-group-size-per-virtual-pipeline-stage", pipeline);
    if (split.chunks > 1)
      fields.line("schedule",
                  group == pipeline
                      ? fmt::format("interleaved_1f1b {{ chunks = {} }}", split.chunks)
                      : fmt::format("interleaved_1f1b {{ chunks = {}, micro_batch_group = {} }}",
                                    split.chunks, group));
    if (!split.layers.empty())
      fields.line("split", fmt::format("[{}]", fmt::join(split.layers, ", ")));
    if (split.embedding)
      fields.line("embedding_slots", 1);
    if (split.head)
      fields.line("head_slots", 1);
    const bool sends = !launch.flag("--no-overlap-p2p-communication");
    if (split.chunks > 1 && !sends)
      fields.line("overlap.pipeline", "false");
  }

  void recomputeText() {
    const bool short_ = launch.flag("--recompute-activations");
    const std::string kind =
        launch.choice("--recompute-granularity", short_ ? "selective" : "", {"full", "selective"});
    const std::string method = launch.choice("--recompute-method", "", {"uniform", "block"});
    const std::uint64_t count = launch.count("--recompute-num-layers", 0);
    const std::vector<std::string> modules = launch.list("--recompute-modules");
    if (kind.empty())
      launch.haveNoEffect({"--recompute-method", "--recompute-num-layers", "--recompute-modules"});
    if (kind == "full") {
      for (const char* option : {"--recompute-method", "--recompute-num-layers"})
        if (!launch.has(option))
          launch.incomplete("--recompute-granularity",
                            fmt::format("full recomputation needs {} (ValueError when it makes "
                                        "its configuration)",
                                        option));
      fields.line("recompute", fmt::format("full {{ method = {}, layers = {} }}", method, count));
    } else if (kind == "selective") {
      if (!method.empty() || count != 0)
        return launch.excluded(method.empty() ? "--recompute-num-layers" : "--recompute-method",
                               "selective recomputation takes no method and no number of layers");
      static const std::pair<const char*, const char*> names[] = {
          {"core_attn", "core_attention"}, {"mlp", "mlp"}, {"layernorm", "norm"},
          {"moe_act", "activation"},       {"moe", "moe"}, {"shared_experts", "shared_experts"},
          {"mla_up_proj", "mla_up"}};
      std::string list;
      for (const std::string& module : modules) {
        const auto* const found =
            llvm::find_if(names, [&](const auto& n) { return module == n.first; });
        if (found == std::end(names))
          launch.wrong("--recompute-modules",
                       "modules that the language has; " + module + " is not one of them");
        else
          list += (list.empty() ? "" : ", ") + std::string(found->second);
      }
      fields.line("recompute", modules.empty()
                                   ? "selective"
                                   : fmt::format("selective {{ modules = [{}] }}", list));
    }
  }

  void shardText() {
    std::string shard;
    const auto add = [&](const char* text) {
      shard += (shard.empty() ? "" : ", ") + std::string(text);
    };
    const std::string strategy =
        launch.choice("--data-parallel-sharding-strategy", "optim_grads_params",
                      {"no_shard", "optim", "optim_grads", "optim_grads_params"});
    if (!fullySharded)
      launch.haveNoEffect({"--data-parallel-sharding-strategy"});
    if (launch.flag("--init-model-with-meta-device") && fullySharded && strategy == "no_shard")
      launch.excluded("--init-model-with-meta-device",
                      "it initializes on the meta device where something is sharded only "
                      "(ValueError when it reads its arguments)");
    const bool optimizer = fullySharded ? strategy != "no_shard" : sharded;
    if (optimizer)
      add("optimizer = data");
    if (fullySharded && llvm::StringRef(strategy).startswith("optim_grads"))
      add("gradients = data");
    if (fullySharded && strategy == "optim_grads_params")
      add("parameters = data");
    const bool split = launch.flag("--sequence-parallel");
    if (split && tensor > 1)
      add("sequence = tensor");
    if (!shard.empty())
      fields.block("shard", shard);
    fields.line("overlap.gradients", truth(launch.flag("--overlap-grad-reduce")));
    // The option is a number of parameters; a plan has bytes. Without overlap, and in a pipeline,
    // there is only one bucket.
    const std::uint64_t bucket = launch.count("--ddp-bucket-size", 0);
    const bool narrow =
        launch.flag("--grad-reduce-in-bf16") ||
        (launch.flag("--fp16") && !launch.flag("--accumulate-allreduce-grads-in-fp32"));
    if (const std::uint64_t bytes = bucket * (narrow ? 2 : 4);
        bytes >= 1 << 20 && launch.flag("--overlap-grad-reduce") && !fullySharded && pipeline == 1)
      fields.line("gradient_bucket_size", fmt::format("{}B", bytes));
    const bool gathers = launch.flag("--overlap-param-gather");
    if (optimizer)
      fields.line("overlap.parameters", truth(gathers));
    if (launch.flag("--tp-comm-overlap"))
      fields.line("overlap.tensor", "true");
    const std::string backend =
        launch.choice("--attention-backend", "auto", {"auto", "flash", "fused", "unfused"});
    if (localLayers() || backend == "unfused")
      fields.line("fused_attention", "false");
    else
      (void)launch.flag("--attention-softmax-in-fp32"); // fused kernels compute the softmax in fp32
                                                        // in any case
    if (launch.flag("--cross-entropy-loss-fusion"))
      fields.line("kernels.loss", "fused");
    if (launch.flag("--no-bias-swiglu-fusion") && launch.flag("--swiglu"))
      fields.line("kernels.activation", "unfused");
    dispatchText();
    graphs = graphsOf(launch);
    if (graphs.whole)
      fields.line("cuda_graphs", "true");
    // Latent attention uses this kernel only for YaRN, and rarely.
    if (launch.flag("--no-rope-fusion") && !launch.flag("--multi-latent-attention"))
      fields.line("kernels.rotary", "unfused");
  }

  /// Whether layers use Megatron-LM's own attention, which writes scores to memory
  /// (DotProductAttention of megatron/core/transformer/dot_product_attention.py).
  bool localLayers() {
    const char* option = "--transformer-impl";
    if (launch.choice(option, "transformer_engine", {"transformer_engine", "local"}) != "local")
      return false;
    if (context > 1)
      launch.excluded(option, "context parallelism needs Transformer Engine (AssertionError "
                              "when it builds the model)");
    if (launch.has("--fp8-format") || launch.has("--fp4-format"))
      launch.wrong(option, "transformer_engine for fp8 and fp4");
    return true;
  }

  /// Writes how tokens are sent to their experts. Without experts the options have no effect.
  void dispatchText() {
    const bool overlaps = launch.flag("--overlap-moe-expert-parallel-comm");
    const bool permutation = launch.flag("--moe-permute-fusion"),
               router = launch.flag("--moe-router-fusion"),
               deepep = launch.flag("--moe-enable-deepep");
    const std::string backend =
        launch.choice("--moe-flex-dispatcher-backend", "deepep", {"deepep", "hybridep"});
    const std::string type = launch.choice("--moe-token-dispatcher-type", "allgather",
                                           {"alltoall", "flex", "allgather"});
    if (!launch.has("--num-experts"))
      return;
    // All of these fields are written, so that defaults of the framework do not apply.
    fields.line("overlap.experts", truth(overlaps));
    fields.line("kernels.permutation", permutation ? "fused" : "unfused");
    fields.line("kernels.router", router ? "fused" : "unfused");
    fields.line("kernels.token_dispatcher", type != "flex" ? type : deepep ? "deepep" : backend);
    if (deepep && type != "flex")
      launch.refused("--moe-enable-deepep",
                     "DeepEP needs --moe-token-dispatcher-type flex (ValueError when it "
                     "makes its configuration)",
                     {"--moe-token-dispatcher-type"});
  }

  /// The batch of the plan. If the batch grows, it is the last one.
  std::uint64_t batchOf(std::uint64_t micro) {
    const std::uint64_t batch = launch.count("--global-batch-size", micro * dataRanks);
    for (const char* option : {"--rampup-batch-size", "--step-batch-size-schedule"})
      if (launch.has(option))
        growth = option;
    if (growth == "--step-batch-size-schedule") {
      if (!launch.has("--global-batch-size"))
        return lastBatch(launch.text(growth));
      (void)launch.list(growth);
      launch.excluded(growth, "it takes either --step-batch-size-schedule or --global-batch-size "
                              "(ValueError when it reads its arguments)");
      return batch;
    }
    const std::vector<std::uint64_t> ramp =
        growth.empty() ? std::vector<std::uint64_t>{1, 1, 0} : launch.counts(growth);
    if (ramp.size() != 3 || ramp[0] == 0 || ramp[1] == 0)
      launch.wrong(growth, "three whole numbers: the first batch and a step, each of at least 1, "
                           "and samples");
    return batch;
  }
  /// The last batch of a batch schedule such as "0:768 250B:1536".
  std::uint64_t lastBatch(llvm::StringRef schedule) {
    std::uint64_t batch = 0;
    schedule = schedule.trim();
    const llvm::StringRef last = schedule.substr(schedule.rfind(' ') + 1);
    if (last.split(':').second.getAsInteger(10, batch) || batch == 0)
      launch.wrong(growth, "pairs as `0:768 250B:1536`"), batch = 1;
    return batch;
  }

  std::string layoutText() {
    fields.line("framework", "megatron");
    const std::uint64_t micro = launch.needed("--micro-batch-size");
    fields.line("batch", fmt::format("{}seq", batchOf(micro)));
    fields.line("micro_batch", fmt::format("{}seq", micro));
    splitText();
    recomputeText();
    shardText();
    precisionText(launch, fields, fullySharded);
    optimizerText(launch, fields);
    const std::uint64_t padded = launch.count("--padded-vocab-size", tensor);
    if (padded % tensor != 0)
      launch.refused("--padded-vocab-size",
                     fmt::format("a padded vocabulary of {} does not divide over {} tensor ranks "
                                 "(AssertionError when it builds the model)",
                                 padded, tensor),
                     {"--padded-vocab-size", "--tensor-model-parallel-size"});
    std::uint64_t multiple = launch.count("--make-vocab-size-divisible-by", 128);
    if (launch.has("--padded-vocab-size"))
      multiple = 1; // a vocabulary that is padded already is not padded again
    if (multiple != 128)
      fields.line("vocab_multiple", multiple);
    return fields.release();
  }

  const LaunchImport& request;
  LaunchOptions& launch;
  std::string remarks; ///< comment lines about the file that sets the options
  BlockText fields;
  ModelText model{};
  std::string growth; ///< option by which the batch grows; empty if it does not
  CudaGraphs graphs;
  bool unevenInstances = false; ///< whether `instancesOf` has reported an error
  std::uint64_t tensor = 1, pipeline = 1, context = 1, replica = 1, dataRanks = 1;
  bool sharded = false, fullySharded = false;
};

} // namespace

FailureOr<std::string> dpl::imports::megatronLaunch(const LaunchImport& request,
                                                    DiagnosticEngine& diags) {
  LaunchOptions launch(request, diags);
  std::string text;
  if (launch.read().succeeded()) {
    launch.checkArguments();
    if (request.settings)
      *request.settings = launch.written();
    text = MegatronPlanWriter(request, launch).run();
    launch.unusedDefinitions();
  }
  launch.reportMissing();
  if (diags.errors() > 0)
    return LogicalResult::failure();
  return text;
}

FailureOr<std::string> dpl::imports::megatron::launchOfOptions(const LaunchImport& request,
                                                               const GivenOptions& said,
                                                               DiagnosticEngine& diags) {
  LaunchOptions launch(request, diags);
  launch.setOptions(said.words, said.nodes, said.gpus, said.names);
  if (!said.whole)
    launch.mayHaveMore();
  const std::string text = MegatronPlanWriter(request, launch, said.remarks).run();
  launch.unusedDefinitions();
  launch.reportMissing();
  if (diags.errors() > 0)
    return LogicalResult::failure();
  return text;
}
