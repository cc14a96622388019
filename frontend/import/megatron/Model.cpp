//===- Model.cpp - The model that a launch trains ---------------------------------------------===//
#include "frontend/import/BlockText.h"
#include "frontend/import/megatron/ModelFields.h"
#include "frontend/import/megatron/Split.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::megatron;

namespace {
class ModelReader {
public:
  explicit ModelReader(LaunchOptions& launch) : launch(launch) {}

  ModelText run() {
    layers = launch.needed("--num-layers");
    hidden = launch.needed("--hidden-size");
    const std::uint64_t heads = launch.needed("--num-attention-heads");
    fields.line("layers", layers), fields.line("hidden", hidden), fields.line("heads", heads);
    if (launch.flag("--multi-latent-attention")) {
      const std::uint64_t query = launch.count("--q-lora-rank", 0);
      const std::uint64_t nope = launch.count("--qk-head-dim", 128),
                          rope = launch.count("--qk-pos-emb-head-dim", 64);
      attentionText("mla", fmt::format("{}kv_lora_rank = {}, qk_nope_head_dim = {}, "
                                       "qk_rope_head_dim = {}, v_head_dim = {}",
                                       query ? fmt::format("q_lora_rank = {}, ", query) : "",
                                       launch.count("--kv-lora-rank", 32), nope, rope,
                                       launch.count("--v-head-dim", 128)));
      if (heads > 0 && hidden % heads != 0) // the default head size requires that the heads divide
                                            // the hidden size
        fields.line("head_dim", nope + rope);
      if (launch.flag("--qk-l2-norm"))
        launch.excluded("--qk-l2-norm", "latent attention has no such norm (AssertionError when it "
                                        "builds the model)");
      (void)launch.flag("--qk-layernorm");    // latent attention always has these norms
      (void)launch.count("--kv-channels", 0); // latent attention has other options for its head
                                              // sizes
    } else {
      const bool grouped = launch.flag("--group-query-attention");
      const std::uint64_t groups = launch.count("--num-query-groups", 1);
      if (grouped && groups != heads)
        fields.line("kv_heads", groups);
      if (!grouped)
        launch.haveNoEffect({"--num-query-groups"});
      const std::uint64_t size = launch.count("--kv-channels", 0);
      if (size != 0 && (hidden % heads != 0 || size != hidden / heads))
        fields.line("head_dim", size);
      if (size == 0 && hidden % heads != 0)
        launch.refused("--hidden-size",
                       fmt::format("a hidden size of {} is not a multiple of {} attention heads "
                                   "(AssertionError when it reads its arguments)",
                                   hidden, heads),
                       {"--hidden-size", "--num-attention-heads", "--kv-channels"});
      const bool learned = launch.flag("--qk-layernorm"), l2 = launch.flag("--qk-l2-norm");
      if (learned || l2) // if both options are set, the norm has no gains
        fields.line("qk_norm", l2 ? "l2" : "head");
      attentionText("grouped", sinkText());
    }
    feedForwardText();
    layerText();
    fields.line("vocab", vocabularyOf(launch));
    fields.line("context", fmt::format("{}tok", launch.needed("--seq-length")));
    (void)launch.count("--max-position-embeddings", 1);
    fields.line("norm", normOf(launch));
    if (launch.flag("--embed-layernorm")) // option of BigScience's fork
      fields.line("embedding_norm", "true");
    if (launch.flag("--apply-embedding-scaling")) // option that a NeMo setting becomes
      fields.line("embedding_scale", number(std::sqrt(static_cast<double>(hidden))));
    fields.line("positions", positionsOf(launch));
    if (const std::string dropout = dropoutOf(launch); !dropout.empty())
      fields.block("dropout", dropout);
    if (const double deviation = launch.real("--init-method-std", 0.02, NumberRange::Positive);
        deviation != 0.02)
      fields.line("init_std", number(deviation));
    fields.line("tied_embeddings", truth(!launch.flag("--untie-embeddings-and-output-weights")));
    const bool bias = !launch.flag("--disable-bias-linear");
    const bool queryBias = launch.flag("--add-qkv-bias");
    fields.line("bias", truth(bias));
    if (!bias && queryBias)
      fields.line("qkv_bias", "true");
    prediction = launch.count("--mtp-num-layers", 0);
    if (prediction > 0)
      fields.line("mtp_layers", prediction);
    return {fields.release(), layers, prediction};
  }

private:
  std::string expertsText(bool gated, const std::string& activation) {
    const std::uint64_t count = launch.count("--num-experts", 1);
    const std::uint64_t width = launch.count("--moe-ffn-hidden-size", feedForward);
    const std::uint64_t active = launch.count("--moe-router-topk", 2);
    std::string text =
        fmt::format("experts {{ count = {}, top_k = {}, width = {}", count, active, width);
    const std::string router = routerOf(launch, active);
    if (const std::uint64_t shared = launch.count("--moe-shared-expert-intermediate-size", 0)) {
      if (width > 0 && shared % width == 0)
        text += fmt::format(", shared = {}", shared / width);
      else
        text += fmt::format(", shared = 1, shared_width = {}", shared);
    }
    const bool padded = launch.flag("--moe-pad-expert-input-to-capacity");
    if (const double capacity = launch.real("--moe-expert-capacity-factor", 0); capacity > 0)
      text += fmt::format(", capacity_factor = {}{}", number(capacity),
                          padded ? ", pad_to_capacity = true" : "");
    if (!gated)
      text += ", gated = false";
    text += activation + ", router { " + router + " }";
    return text + " }";
  }

  void feedForwardText() {
    const ActivationText part = activationOf(launch);
    feedForward =
        launch.count("--ffn-hidden-size", part.swiglu ? hidden * 8 / 3 / 64 * 64 : hidden * 4);
    const std::string dense = fmt::format("{} {{ width = {}{} }}", part.gated ? "gated" : "plain",
                                          feedForward, part.fields);
    if (!launch.has("--num-experts")) {
      idleExperts();
      return fields.line("ffn", dense);
    }
    const std::string experts = expertsText(part.gated, part.fields);
    const FailureOr<std::vector<bool>> pattern = routedLayers();
    if (pattern.failed())
      return launch.wrong("--moe-layer-freq",
                          fmt::format("a number, or a list of {} entries", layers));
    if (llvm::all_of(*pattern, [](bool b) { return b; }))
      return fields.line("ffn", experts);
    layerRouted = *pattern;
    routedText = "ffn = " + experts, denseText = "ffn = " + dense;
  }

  FailureOr<std::vector<bool>> routedLayers() {
    return expertLayers(launch.text("--moe-layer-freq", "1"), layers);
  }

  /// Reads options of experts although the model has none, as in scripts for several models.
  /// TransformerConfig of megatron/core/transformer/transformer_config.py checks them in any case.
  void idleExperts() {
    (void)routerOf(launch, launch.count("--moe-router-topk", 2));
    (void)launch.count("--moe-shared-expert-intermediate-size", 1);
    (void)launch.real("--moe-expert-capacity-factor", 0);
    (void)launch.flag("--moe-pad-expert-input-to-capacity");
    (void)launch.count("--moe-router-group-topk", 1);
    const FailureOr<std::vector<bool>> pattern = routedLayers();
    const bool mixed = !pattern.failed() && !llvm::all_of(*pattern, [](bool b) { return b; });
    if (launch.count("--moe-ffn-hidden-size", 0) != 0 && !mixed)
      launch.incomplete("--moe-ffn-hidden-size",
                        "--moe-ffn-hidden-size needs --num-experts (ValueError when it makes its "
                        "configuration)");
    launch.haveNoEffect({"--moe-router-topk",
                         "--moe-shared-expert-intermediate-size",
                         "--moe-layer-freq",
                         "--moe-expert-capacity-factor",
                         "--moe-pad-expert-input-to-capacity",
                         "--moe-ffn-hidden-size",
                         "--moe-router-score-function",
                         "--moe-router-pre-softmax",
                         "--moe-router-bias-update-rate",
                         "--moe-router-enable-expert-bias",
                         "--moe-router-load-balancing-type",
                         "--moe-aux-loss-coeff",
                         "--moe-router-topk-scaling-factor",
                         "--moe-router-num-groups",
                         "--moe-router-group-topk",
                         "--moe-router-dtype",
                         "--moe-z-loss-coeff",
                         "--moe-input-jitter-eps",
                         "--moe-token-drop-policy",
                         "--moe-token-dispatcher-type",
                         "--moe-flex-dispatcher-backend",
                         "--moe-enable-deepep",
                         "--moe-permute-fusion",
                         "--moe-router-fusion",
                         "--overlap-moe-expert-parallel-comm"});
  }

  /// Writes `layer` blocks for runs of layers whose attention or feed-forward block differs from
  /// the model's.
  void layerText() {
    const auto like = [](const std::vector<bool>& has, std::size_t a, std::size_t b) {
      return has.empty() || has[a] == has[b];
    };
    const std::size_t count = std::max(layerWindows.size(), layerRouted.size());
    for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
      while (end < count && like(layerWindows, begin, end) && like(layerRouted, begin, end))
        ++end;
      std::string text = layerWindows.empty() || layerWindows[begin] ? "" : wholeText;
      if (!layerRouted.empty())
        text += (text.empty() ? "" : ", ") + (layerRouted[begin] ? routedText : denseText);
      if (!text.empty())
        fields.block(fmt::format("layer[{}..<{}]", begin, end).c_str(), text);
    }
  }

  std::string sinkText() {
    return launch.choice("--softmax-type", "vanilla", {"vanilla", "learnable"}) == "learnable"
               ? "sinks = true"
               : "";
  }

  /// Writes the attention of a kind with these sizes, and of layers without a window.
  void attentionText(const char* kind, const std::string& sizes) {
    const std::string whole = sizes.empty() ? kind : fmt::format("{} {{ {} }}", kind, sizes);
    if (!launch.has("--window-size")) {
      if (!sizes.empty())
        fields.line("attention", whole);
      return;
    }
    fields.line("attention", fmt::format("{} {{ window = {}tok{}{} }}", kind, window(),
                                         sizes.empty() ? "" : ", ", sizes));
    const FailureOr<std::vector<bool>> windows =
        windowLayers(launch.text("--window-attn-skip-freq"), layers);
    if (windows.failed())
      return launch.wrong("--window-attn-skip-freq",
                          fmt::format("a number, or a list of {} entries", layers));
    layerWindows = *windows;
    wholeText = "attention = " + whole;
  }

  /// Whether each layer has a window. The value is a number n, for all layers but each n-th, or a
  /// list.
  static FailureOr<std::vector<bool>> windowLayers(const std::string& text, std::uint64_t layers) {
    std::uint64_t step = 0;
    if (text.empty())
      return std::vector<bool>(layers, true);
    if (llvm::StringRef(text).getAsInteger(10, step))
      return expertLayers(text, layers);
    if (step == 0)
      return LogicalResult::failure();
    std::vector<bool> out;
    for (std::uint64_t i = 1; i <= layers; ++i)
      out.push_back(i % step != 0);
    return out;
  }

  /// The window in "W-1,0" or "(W-1, 0)", which are the tokens seen before and after a token.
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

  LaunchOptions& launch;
  BlockText fields;
  /// By layer, whether it has a window, and whether it has experts; empty if all layers are alike.
  std::vector<bool> layerWindows, layerRouted;
  std::string wholeText, routedText, denseText; ///< fields of layers without a window, with
                                                ///< experts, and without experts
  std::uint64_t layers = 1, hidden = 1, feedForward = 1, prediction = 0;
};
} // namespace

ModelText dpl::imports::megatron::modelOf(LaunchOptions& launch) {
  return ModelReader(launch).run();
}
