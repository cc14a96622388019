//===- Flavors.cpp - Finds the flavor with a model's dimensions -------------------------------===//
#include "backends/torchtitan/Flavors.h"
#include "backends/FirstLayers.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::torchtitan;

namespace {

/// Collects differences between a model and a flavor, such as "vocab 128256 (32000 here)".
class Differences {
public:
  void compare(const char* what, std::uint64_t flavor, std::uint64_t model) {
    if (flavor != model)
      add(fmt::format("{} {} ({} here)", what, flavor, model));
  }
  void same(const char* what, bool holds) {
    if (!holds)
      add(what);
  }
  std::size_t count = 0;
  std::string text;

private:
  void add(const std::string& difference) { text += (count++ == 0 ? "" : ", ") + difference; }
};

void compareAttention(const Flavor& f, const ir::Attention& a, Differences& out) {
  if (f.latent() != (a.kind == ir::AttentionKind::Latent)) {
    out.same(f.latent() ? "latent attention" : "grouped attention", false);
    return;
  }
  out.compare("heads", f.heads, a.heads);
  if (f.latent()) {
    out.compare("q_lora_rank", f.queryRank, a.queryRank);
    out.compare("kv_lora_rank", kvRank, a.kvRank);
    out.compare("qk_nope_head_dim", plainPart, a.nope);
    out.compare("qk_rope_head_dim", rotaryPart, a.rope);
    out.compare("v_head_dim", valuePart, a.value);
  } else {
    out.compare("kv_heads", f.kvHeads, a.kvHeads);
    out.compare("head_dim", f.headDim, a.headDim);
  }
  out.same(f.window > 0 ? "attention sinks" : "no attention sinks", a.sinks == (f.window > 0));
  out.same("plain attention scores", a.softcap == 0 && a.scale == 0 && a.base == 0);
  out.same("causal attention", a.causal);
}

void compareFeedForward(const Flavor& f, bool dense, const ir::FeedForward& part,
                        Differences& out) {
  if (f.window > 0)
    out.same("gates by quick GELU with an offset of 1 and a bound of 7",
             part.activation == ir::Activation::QuickGelu && part.offset == 1 && part.clamp == 7);
  else
    out.same("SwiGLU",
             part.activation == ir::Activation::Silu && part.offset == 0 && part.clamp == 0);
  if (dense) {
    out.same("gated dense parts", part.kind == ir::FeedForwardKind::Gated);
    out.compare("ffn.width", f.width, part.width);
    return;
  }
  out.same("gated experts", part.kind == ir::FeedForwardKind::Experts && part.gated);
  out.compare("ffn.count", f.experts, part.experts);
  out.compare("ffn.top_k", f.active, part.active);
  out.compare("ffn.width", f.expertWidth, part.width);
  out.compare("width of shared experts", f.sharedWidth, part.shared * part.sharedWidth);
}

Differences differencesOf(const Flavor& f, const ir::Model& m) {
  Differences out;
  out.compare("layers", f.layers, m.layers());
  out.compare("hidden", f.hidden, m.hidden);
  out.compare("vocab", f.vocab, m.vocab);
  out.same(f.tied ? "tied embeddings" : "no tied embeddings", f.tied == m.tiedEmbeddings);
  out.same(f.qkNorm ? "query and key norms of a head" : "no query and key norms",
           m.qkNorm == (f.qkNorm ? ir::QkNorm::Head : ir::QkNorm::None));
  out.same("RMS norms",
           m.norm == ir::NormKind::Rms && !m.normCentered && !m.postNorms && !m.embeddingNorm);
  out.same("rotary positions of whole heads",
           m.positions == ir::PositionKind::Rotary && m.rotary.share == 1);
  out.same("attention before the feed-forward part, without dropout",
           m.parallelNorms == 0 && m.attentionDropout == 0 && m.hiddenDropout == 0);
  out.same("embeddings and logits as they are", m.embeddingScale == 1 && m.softcap == 0);
  out.same("no recurrence, indexer or gate", !recentBlockOf(m).words);
  const bool biased = f.window > 0;
  out.same(biased ? "biases" : "no biases", m.bias == biased && m.qkvBias == biased);
  std::uint64_t dense = 0;
  const ir::LayerType *firstDense = nullptr, *firstRouted = nullptr;
  bool oneShape = true, windows = true;
  for (std::uint64_t i = 0; i < m.layers(); ++i) {
    const ir::LayerType& layer = m.layer(i);
    const bool routed = layer.feedForward.kind == ir::FeedForwardKind::Experts;
    dense += !routed;
    out.same("its dense layers first", routed || !firstRouted);
    const ir::LayerType*& first = routed ? firstRouted : firstDense;
    if (!first)
      first = &layer;
    else if (first != &layer && (f.window == 0 || i > 1)) // two layer types, which differ only in
                                                          // the window
      oneShape &= f.window > 0 && &layer == &m.layer(i % 2);
    windows &= layer.attention.window == f.windowOf(i);
    if (out.count > 20)
      break; // the flavor is too different to be the nearest
  }
  out.same("one shape for all dense and one for all expert layers", oneShape);
  out.same(f.window > 0 ? "a window on every other layer" : "no attention window", windows);
  out.compare("dense layers", f.denseLayers(), dense);
  if (m.layers() > 0)
    compareAttention(f, m.layer(0).attention, out);
  if (firstDense && firstRouted && m.layers() > 0)
    compareAttention(f, m.layer(m.layers() - 1).attention, out);
  if (firstDense && f.denseLayers() > 0)
    compareFeedForward(f, true, firstDense->feedForward, out);
  if (firstRouted && f.experts > 0)
    compareFeedForward(f, false, firstRouted->feedForward, out);
  if (f.window > 0 && m.layers() > 1) {
    compareAttention(f, m.layer(1).attention, out);
    compareFeedForward(f, false, m.layer(1).feedForward, out);
  }
  return out;
}

} // namespace

llvm::ArrayRef<Flavor> dpl::torchtitan::allFlavors() {
  static constexpr Flavor flavors[] = {
#define FLAVOR(MODEL, NAME, RELEASES, ...)                                                         \
  {.model = MODEL, .flavor = NAME, .releases = RELEASES, __VA_ARGS__},
#include "backends/torchtitan/Flavors.def"
  };
  return flavors;
}

const Flavor* dpl::torchtitan::flavorOf(const ir::Model& model, const Release& release) {
  for (const Flavor& flavor : allFlavors())
    if (flavor.releases.holds(release) && differencesOf(flavor, model).count == 0)
      return &flavor;
  return nullptr;
}

const Flavor* dpl::torchtitan::flavorNamed(llvm::StringRef model, llvm::StringRef flavor,
                                           const Release& release) {
  for (const Flavor& row : allFlavors())
    if (row.releases.holds(release) && model == row.model && flavor == row.flavor)
      return &row;
  return nullptr;
}

std::string dpl::torchtitan::whyNoFlavor(const ir::Model& model, const Release& release) {
  const Flavor* nearest = nullptr;
  Differences least;
  for (const Flavor& flavor : allFlavors()) {
    if (!flavor.releases.holds(release))
      continue;
    const Differences found = differencesOf(flavor, model);
    if (!nearest || found.count < least.count) {
      nearest = &flavor;
      least = found;
    }
  }
  return fmt::format("the nearest, {} {}, has {}", nearest->model, nearest->flavor, least.text);
}
