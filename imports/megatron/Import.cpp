//===- Import.cpp - A launch of Megatron-LM as a .dpl file ------------------------------------===//
//
// Absent options have the defaults of Megatron-LM's parser, which are not those of the language:
// layer norm, learned positions, biases, tied embeddings, no overlap.
#include "imports/megatron/Launch.h"
#include "imports/megatron/Split.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

namespace {

class Writer {
public:
  Writer(const LaunchImport& request, Launch& launch) : request(request), launch(launch) {}

  std::string run() {
    sizes();
    const std::string model = modelText();
    const std::string mesh = meshText();
    const std::string layout = layoutText();
    std::string unused;
    for (const std::string& option : launch.rest())
      unused += (unused.empty() ? "" : ", ") + option;
    const std::string node = launch.gpus == 8 ? "" : fmt::format(", node.gpus = {}", launch.gpus);
    return fmt::format(
        "/// Imported from {}.{}\nimport std.models\nimport std.clusters\n\nmodel imported from "
        "models.decoder {{\n{}}}\n\n// A launch does not say which machine it runs on.\ncluster "
        "pod "
        "from {} {{ nodes = {}{} }}\n\nlayout launched for imported on pod {{\n  mesh "
        "{{\n{}  }}\n{}}}\n",
        oneLineName(), unused.empty() ? "" : "\n/// Not part of a plan: " + unused + ".", model,
        request.cluster, launch.nodes, node, mesh, layout);
  }

private:
  /// A line of the block that is being written.
  void line(const char* field, const std::string& value) {
    lines += fmt::format("  {} = {}\n", field, value);
  }
  void line(const char* field, std::uint64_t value) { line(field, std::to_string(value)); }
  std::string taken() { return std::exchange(lines, {}); }
  std::string oneLineName() const {
    std::string name = request.sources.name(request.file).str();
    for (char& c : name)
      if (static_cast<unsigned char>(c) < ' ')
        c = '?';
    return name;
  }
  static std::string truth(bool value) { return value ? "true" : "false"; }
  static std::string number(double value) {
    std::string text = fmt::format("{:f}", value);
    text.erase(text.find_last_not_of('0') + 1);
    const std::string shortest = fmt::format("{}", value);
    return shortest.find('e') == std::string::npos && shortest.find('.') != std::string::npos
               ? shortest
           : shortest.find('e') != std::string::npos ? shortest
                                                     : text + (text.back() == '.' ? "0" : "");
  }

  void sizes() {
    tensor = launch.count("--tensor-model-parallel-size", 1);
    pipeline = launch.count("--pipeline-model-parallel-size", 1);
    context = launch.count("--context-parallel-size", 1);
    sharded = launch.flag("--use-distributed-optimizer");
    fullySharded = launch.flag("--use-megatron-fsdp");
    replica = launch.count("--num-distributed-optimizer-instances", 1);
    const std::uint64_t world = launch.nodes * launch.gpus, inner = tensor * pipeline * context;
    if (inner == 0 || world % inner != 0)
      launch.refused("--tensor-model-parallel-size",
                     fmt::format("{} processes are no multiple of tensor × pipeline × context = {}",
                                 world, inner));
    dataRanks = std::max<std::uint64_t>(1, inner == 0 ? 1 : world / inner);
    if (dataRanks % replica != 0)
      launch.refused(
          "--num-distributed-optimizer-instances",
          fmt::format("{} data ranks are no multiple of {} instances", dataRanks, replica));
  }

  std::string expertsText(bool gated) {
    const std::uint64_t count = launch.count("--num-experts", 1);
    const std::uint64_t width = launch.count("--moe-ffn-hidden-size", feedForward);
    const std::uint64_t active = launch.count("--moe-router-topk", 2);
    std::string text =
        fmt::format("experts {{ count = {}, active = {}, width = {}", count, active, width);
    if (active == 1 && !launch.flag("--moe-router-pre-softmax"))
      launch.refused("--moe-router-topk",
                     "routing to one expert needs --moe-router-pre-softmax (ValueError when it "
                     "makes its configuration)");
    (void)launch.flag("--moe-router-pre-softmax");
    if (const std::uint64_t shared = launch.count("--moe-shared-expert-intermediate-size", 0)) {
      if (shared % width == 0)
        text += fmt::format(", shared = {}", shared / width);
      else
        text += fmt::format(", shared = 1, shared_width = {}", shared);
    }
    if (const double capacity = launch.real("--moe-expert-capacity-factor", 0); capacity > 0)
      text += ", capacity = " + number(capacity);
    if (!gated)
      text += ", gated = false";
    (void)launch.choice("--moe-token-dispatcher-type", "allgather",
                        {"alltoall", "flex", "allgather"});
    if (launch.count("--expert-model-parallel-size", 1) > 1 &&
        launch.text("--moe-token-dispatcher-type", "allgather") == "allgather")
      launch.wrong("--moe-token-dispatcher-type",
                   "alltoall or flex: a plan sends tokens to experts by all-to-all");
    return text + " }";
  }

  void feedForwardText() {
    const bool gated = launch.flag("--swiglu");
    feedForward = launch.count("--ffn-hidden-size", gated ? hidden * 8 / 3 / 64 * 64 : hidden * 4);
    const std::string dense =
        fmt::format("{} {{ width = {} }}", gated ? "gated" : "plain", feedForward);
    if (!launch.has("--num-experts"))
      return line("ffn", dense);
    const std::string experts = expertsText(gated);
    const std::string frequency = launch.text("--moe-layer-freq", "1");
    const FailureOr<std::vector<bool>> pattern = expertLayers(frequency, layers);
    if (pattern.failed())
      return launch.wrong("--moe-layer-freq",
                          fmt::format("a number, or a list of {} entries", layers));
    if (llvm::all_of(*pattern, [](bool b) { return b; }))
      return line("ffn", experts);
    for (std::size_t begin = 0, end = 0; begin < pattern->size(); begin = end) {
      while (end < pattern->size() && (*pattern)[end] == (*pattern)[begin])
        ++end;
      lines += fmt::format("  layer[{}..<{}] {{ ffn = {} }}\n", begin, end,
                           (*pattern)[begin] ? experts : dense);
    }
  }

  std::string modelText() {
    layers = launch.needed("--num-layers");
    hidden = launch.needed("--hidden-size");
    const std::uint64_t heads = launch.needed("--num-attention-heads");
    line("layers", layers), line("hidden", hidden), line("heads", heads);
    if (launch.flag("--multi-latent-attention")) {
      const std::uint64_t query = launch.count("--q-lora-rank", 0);
      line("attention",
           fmt::format("mla {{ {}kv_rank = {}, nope = {}, rope = {}, value = {} }}",
                       query ? fmt::format("query_rank = {}, ", query) : "",
                       launch.count("--kv-lora-rank", 32), launch.count("--qk-head-dim", 128),
                       launch.count("--qk-pos-emb-head-dim", 64),
                       launch.count("--v-head-dim", 128)));
      (void)launch.flag("--qk-layernorm"); // latent attention normalises what it compresses
    } else {
      const bool grouped = launch.flag("--group-query-attention");
      const std::uint64_t groups = launch.count("--num-query-groups", 1);
      if (grouped && groups != heads)
        line("kv_heads", groups);
      if (const std::uint64_t size = launch.count("--kv-channels", 0);
          size != 0 && (hidden % heads != 0 || size != hidden / heads))
        line("head_dim", size);
      if (launch.flag("--qk-layernorm"))
        line("qk_norm", "true");
      if (launch.has("--window-size"))
        line("attention", fmt::format("grouped {{ window = {}tok }}", window()));
    }
    feedForwardText();
    line("vocab", launch.needed("--vocab-size"));
    line("context", fmt::format("{}tok", launch.needed("--seq-length")));
    (void)launch.count("--max-position-embeddings", 1);
    const std::string norm =
        launch.choice("--normalization", "LayerNorm", {"LayerNorm", "RMSNorm"});
    line("norm", norm == "RMSNorm" ? "rms" : "layer");
    const std::string positions = launch.choice("--position-embedding-type", "learned_absolute",
                                                {"learned_absolute", "rope", "yarn", "none"});
    line("positions", positions == "learned_absolute" ? "learned"
                      : positions == "none"           ? "none"
                                                      : "rotary");
    line("tied_embeddings", truth(!launch.flag("--untie-embeddings-and-output-weights")));
    const bool bias = !launch.flag("--disable-bias-linear");
    const bool queryBias = launch.flag("--add-qkv-bias");
    line("bias", truth(bias));
    if (!bias && queryBias)
      line("qkv_bias", "true");
    prediction = launch.count("--mtp-num-layers", 0);
    if (prediction > 0)
      line("prediction_layers", prediction);
    return taken();
  }

  /// "W-1,0" or "(W-1, 0)": the tokens before and behind that are seen.
  std::uint64_t window() {
    std::string text;
    for (const std::string& piece : launch.list("--window-size"))
      text += piece;
    llvm::StringRef before = llvm::StringRef(text).ltrim("(").split(',').first;
    std::uint64_t seen = 0;
    if (before.getAsInteger(10, seen))
      launch.wrong("--window-size", "two numbers, the second 0");
    return seen + 1;
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
    const std::uint64_t expertTensor = launch.count("--expert-tensor-parallel-size", tensor);
    if (launch.has("--num-experts") && (expert > 1 || expertTensor != tensor))
      mesh += fmt::format("    experts {{ data = rest, expert = {}, tensor = {} }}\n", expert,
                          expertTensor);
    return mesh;
  }

  void splitText() {
    const PipelineSplit split = splitOf(launch, {layers, pipeline, prediction});
    if (split.chunks > 1)
      line("schedule", fmt::format("interleaved_1f1b {{ chunks = {} }}", split.chunks));
    if (!split.layers.empty())
      line("split", fmt::format("[{}]", fmt::join(split.layers, ", ")));
    if (split.embedding)
      line("embedding_slots", 1);
    if (split.head)
      line("head_slots", 1);
    const bool sends = !launch.flag("--no-overlap-p2p-communication");
    if (split.chunks > 1 && !sends)
      line("overlap.pipeline", "false");
  }

  void recomputeText() {
    const bool short_ = launch.flag("--recompute-activations");
    const std::string kind =
        launch.choice("--recompute-granularity", short_ ? "selective" : "", {"full", "selective"});
    const std::string method = launch.choice("--recompute-method", "", {"uniform", "block"});
    const std::uint64_t count = launch.count("--recompute-num-layers", 0);
    const std::vector<std::string> modules = launch.list("--recompute-modules");
    if (kind == "full") {
      if (method.empty() || count == 0)
        return launch.refused(
            "--recompute-granularity",
            fmt::format("full recomputation needs {} (ValueError when it makes its configuration)",
                        method.empty() ? "--recompute-method" : "--recompute-num-layers"));
      line("recompute", fmt::format("full {{ method = {}, layers = {} }}", method, count));
    } else if (kind == "selective") {
      if (!method.empty() || count != 0)
        return launch.refused(method.empty() ? "--recompute-num-layers" : "--recompute-method",
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
          launch.wrong("--recompute-modules", "modules that a plan knows; " + module + " is none");
        else
          list += (list.empty() ? "" : ", ") + std::string(found->second);
      }
      line("recompute",
           modules.empty() ? "selective" : fmt::format("selective {{ modules = [{}] }}", list));
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
      line("shard", "{ " + shard + " }"), fix("shard");
    line("overlap.gradients", truth(launch.flag("--overlap-grad-reduce")));
    const bool gathers = launch.flag("--overlap-param-gather");
    if (optimizer)
      line("overlap.parameters", truth(gathers));
    if (launch.flag("--tp-comm-overlap"))
      line("overlap.tensor", "true");
    if (launch.flag("--overlap-moe-expert-parallel-comm"))
      line("overlap.experts", "true");
    if (launch.text("--attention-backend", "auto") == "unfused")
      line("fused_attention", "false");
  }
  /// A block has no `=`.
  void fix(const std::string& field) {
    const std::string written = field + " = {";
    lines.replace(lines.rfind(written), written.size(), field + " {");
  }

  void precisionText() {
    const bool bf16 = launch.flag("--bf16"), fp16 = launch.flag("--fp16");
    const std::string wide = bf16 ? "bf16" : fp16 ? "fp16" : "fp32";
    if (bf16 && fp16)
      launch.refused("--fp16", "--bf16 and --fp16 exclude each other");
    std::string compute = wide;
    const std::string recipe =
        launch.choice("--fp8-recipe", "delayed", {"tensorwise", "delayed", "mxfp8", "blockwise"});
    if (!launch.choice("--fp8-format", "", {"e4m3", "hybrid"}).empty())
      compute = recipe == "mxfp8" ? "mxfp8" : "fp8";
    if (!launch.choice("--fp4-format", "", {"e2m1"}).empty())
      compute = "nvfp4";
    const bool narrow8 = launch.flag("--fp8-param-gather"),
               narrow4 = launch.flag("--fp4-param-gather");
    (void)launch.flag("--reuse-grad-buf-for-mxfp8-param-ag");
    const bool accumulates = launch.flag("--accumulate-allreduce-grads-in-fp32");
    const bool narrowGradients = launch.flag("--grad-reduce-in-bf16");
    // bf16 accumulates in fp32 unless told otherwise; fp16 keeps the parameters' type.
    std::string gradients = narrowGradients ? "bf16" : accumulates || bf16 ? "fp32" : wide;
    std::string reduce = gradients;
    (void)launch.flag("--use-precision-aware-optimizer");
    std::string master = launch.choice("--main-params-dtype", "fp32", {"fp32", "fp16"});
    const std::string moments =
        launch.choice("--exp-avg-dtype", "fp32", {"fp32", "fp16", "bf16", "fp8"});
    if (launch.text("--exp-avg-sq-dtype", moments) != moments)
      launch.wrong("--exp-avg-sq-dtype", moments + ", the type of --exp-avg-dtype");
    if (fullySharded) {
      const auto own = [&](const char* option, const std::string& otherwise) {
        const std::string given = launch.choice(option, "auto", {"fp32", "bf16", "fp16", "auto"});
        return given == "auto" ? otherwise : given;
      };
      gradients = own("--megatron-fsdp-main-grads-dtype", gradients);
      reduce = own("--megatron-fsdp-grad-comm-dtype", gradients);
      master = own("--megatron-fsdp-main-params-dtype", master);
    }
    lines +=
        fmt::format("  precision {{ compute = {}, parameters = {}, gradients = {}, reduce = {}, "
                    "master = {}, moments = {} }}\n",
                    compute, narrow8 || narrow4 ? compute : wide, gradients, reduce,
                    wide == "fp32" ? "none" : master, moments);
  }

  void optimizerText() {
    const std::string kind = launch.choice("--optimizer", "adam", {"adam", "sgd"});
    std::string rate;
    if (launch.has("--lr-decay-style") && launch.has("--lr")) {
      const std::string style =
          launch.choice("--lr-decay-style", "linear", {"constant", "linear", "cosine"});
      const std::uint64_t warmup =
          launch.text("--lr-warmup-iters", "0") == "0" ? 0 : launch.count("--lr-warmup-iters", 0);
      const double peak = launch.real("--lr", 0), end = launch.real("--min-lr", 0);
      rate = style == "constant"
                 ? fmt::format("constant {{ value = {}, warmup = {}step }}", number(peak), warmup)
                 : fmt::format("{} {{ peak = {}, end = {}, warmup = {}step }}", style, number(peak),
                               number(end), warmup);
      rate = ", lr = " + rate;
    }
    if (kind == "sgd") {
      (void)launch.real("--weight-decay", 0);
      line("optimizer", fmt::format("sgd {{ momentum = {}{} }}",
                                    number(launch.real("--sgd-momentum", 0.9)), rate));
      return;
    }
    const double decay = launch.real("--weight-decay", 0.01);
    const std::string beta =
        fmt::format("beta1 = {}, beta2 = {}", number(launch.real("--adam-beta1", 0.9)),
                    number(launch.real("--adam-beta2", 0.999)));
    line("optimizer", decay == 0 ? fmt::format("adam {{ {}{} }}", beta, rate)
                                 : fmt::format("adamw {{ {}, weight_decay = {}{} }}", beta,
                                               number(decay), rate));
  }

  std::string layoutText() {
    const std::uint64_t micro = launch.needed("--micro-batch-size");
    line("batch", fmt::format("{}seq", launch.count("--global-batch-size", micro * dataRanks)));
    line("micro_batch", fmt::format("{}seq", micro));
    splitText();
    recomputeText();
    shardText();
    precisionText();
    optimizerText();
    if (const std::uint64_t multiple = launch.count("--make-vocab-size-divisible-by", 128);
        multiple != 128)
      line("vocab_multiple", multiple);
    return taken();
  }

  const LaunchImport& request;
  Launch& launch;
  std::string lines;
  std::uint64_t tensor = 1, pipeline = 1, context = 1, replica = 1, dataRanks = 1;
  std::uint64_t layers = 1, hidden = 1, feedForward = 1, prediction = 0;
  bool sharded = false, fullySharded = false;
};

} // namespace

FailureOr<std::string> dpl::imports::megatronLaunch(const LaunchImport& request,
                                                    DiagnosticEngine& diags) {
  Launch launch(request, diags);
  if (launch.read().failed())
    return LogicalResult::failure();
  std::string text = Writer(request, launch).run();
  if (diags.errors() > 0)
    return LogicalResult::failure();
  return text;
}
