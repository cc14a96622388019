//===- Model.cpp - The model that a launch trains ---------------------------------------------===//
#include "imports/megatron/Model.h"
#include "imports/megatron/Fields.h"
#include "imports/megatron/Split.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

namespace {
class Reader {
public:
  explicit Reader(Launch& launch) : launch(launch) {}

  ModelText run() {
    layers = launch.needed("--num-layers");
    hidden = launch.needed("--hidden-size");
    const std::uint64_t heads = launch.needed("--num-attention-heads");
    fields.line("layers", layers), fields.line("hidden", hidden), fields.line("heads", heads);
    if (launch.flag("--multi-latent-attention")) {
      const std::uint64_t query = launch.count("--q-lora-rank", 0);
      fields.line("attention",
                  fmt::format("mla {{ {}kv_rank = {}, nope = {}, rope = {}, value = {} }}",
                              query ? fmt::format("query_rank = {}, ", query) : "",
                              launch.count("--kv-lora-rank", 32),
                              launch.count("--qk-head-dim", 128),
                              launch.count("--qk-pos-emb-head-dim", 64),
                              launch.count("--v-head-dim", 128)));
      (void)launch.flag("--qk-layernorm"); // latent attention normalises what it compresses
    } else {
      const bool grouped = launch.flag("--group-query-attention");
      const std::uint64_t groups = launch.count("--num-query-groups", 1);
      if (grouped && groups != heads)
        fields.line("kv_heads", groups);
      if (const std::uint64_t size = launch.count("--kv-channels", 0);
          size != 0 && (hidden % heads != 0 || size != hidden / heads))
        fields.line("head_dim", size);
      if (launch.flag("--qk-layernorm"))
        fields.line("qk_norm", "true");
      if (launch.has("--window-size"))
        fields.line("attention", fmt::format("grouped {{ window = {}tok }}", window()));
    }
    feedForwardText();
    fields.line("vocab", launch.needed("--vocab-size"));
    fields.line("context", fmt::format("{}tok", launch.needed("--seq-length")));
    (void)launch.count("--max-position-embeddings", 1);
    const std::string norm =
        launch.choice("--normalization", "LayerNorm", {"LayerNorm", "RMSNorm"});
    fields.line("norm", norm == "RMSNorm" ? "rms" : "layer");
    const std::string positions = launch.choice("--position-embedding-type", "learned_absolute",
                                                {"learned_absolute", "rope", "yarn", "none"});
    fields.line("positions", positions == "learned_absolute" ? "learned"
                             : positions == "none"           ? "none"
                                                             : "rotary");
    fields.line("tied_embeddings", truth(!launch.flag("--untie-embeddings-and-output-weights")));
    const bool bias = !launch.flag("--disable-bias-linear");
    const bool queryBias = launch.flag("--add-qkv-bias");
    fields.line("bias", truth(bias));
    if (!bias && queryBias)
      fields.line("qkv_bias", "true");
    prediction = launch.count("--mtp-num-layers", 0);
    if (prediction > 0)
      fields.line("prediction_layers", prediction);
    return {fields.taken(), layers, prediction};
  }

private:
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
      return fields.line("ffn", dense);
    const std::string experts = expertsText(gated);
    const std::string frequency = launch.text("--moe-layer-freq", "1");
    const FailureOr<std::vector<bool>> pattern = expertLayers(frequency, layers);
    if (pattern.failed())
      return launch.wrong("--moe-layer-freq",
                          fmt::format("a number, or a list of {} entries", layers));
    if (llvm::all_of(*pattern, [](bool b) { return b; }))
      return fields.line("ffn", experts);
    for (std::size_t begin = 0, end = 0; begin < pattern->size(); begin = end) {
      while (end < pattern->size() && (*pattern)[end] == (*pattern)[begin])
        ++end;
      fields.block(fmt::format("layer[{}..<{}]", begin, end).c_str(),
                   "ffn = " + ((*pattern)[begin] ? experts : dense));
    }
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

  Launch& launch;
  Fields fields;
  std::uint64_t layers = 1, hidden = 1, feedForward = 1, prediction = 0;
};
} // namespace

ModelText dpl::imports::megatron::modelOf(Launch& launch) { return Reader(launch).run(); }
