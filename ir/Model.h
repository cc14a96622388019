#pragma once
//===- Model.h - What is computed: layer classes with a repeat count --------------------------===//
#include "ir/Basics.h"

namespace dpl::ir {

enum class AttentionKind : std::uint8_t { None, Grouped, Latent };
enum class FeedForwardKind : std::uint8_t { None, Plain, Gated, Experts };
enum class NormKind : std::uint8_t { Rms, Layer };
enum class PositionKind : std::uint8_t { Rotary, Learned, None };

/// Self-attention of one layer. Head sizes are elements.
struct Attention {
  AttentionKind kind = AttentionKind::Grouped;
  std::uint64_t heads = 0, kvHeads = 0, headDim = 0;
  std::uint64_t window = 0; ///< tokens of a sliding window; 0 is the whole context
  bool causal = true;
  /// Multi-head latent attention (arXiv 2405.04434); queryRank 0 is a full query projection.
  std::uint64_t queryRank = 0, kvRank = 0, nope = 0, rope = 0, value = 0;

  template <class V> void fields(V& v) {
    v("kind", kind), v("heads", heads), v("kv_heads", kvHeads), v("head_dim", headDim);
    v("window", window), v("causal", causal), v("query_rank", queryRank), v("kv_rank", kvRank);
    v("nope", nope), v("rope", rope), v("value", value);
  }
};

/// Feed-forward part of one layer. `width` is that of the dense part or of one routed expert.
struct FeedForward {
  FeedForwardKind kind = FeedForwardKind::Plain;
  std::uint64_t width = 0;
  std::uint64_t experts = 0, active = 0, shared = 0, sharedWidth = 0;
  bool gated = false;  ///< three matrices instead of two
  double capacity = 0; ///< capacity factor; 0 is dropless

  template <class V> void fields(V& v) {
    v("kind", kind), v("width", width), v("experts", experts), v("active", active);
    v("shared", shared), v("shared_width", sharedWidth), v("gated", gated), v("capacity", capacity);
  }
};

/// Layers that are equal in shape. A listed layer (of a `layer_list`) gives its cost itself, a
/// sample.
struct LayerClass {
  std::string name;
  Attention attention;
  FeedForward feedForward;
  std::uint64_t listedParameters = 0, listedForwardFlop = 0, listedOutput = 0, listedRead = 0;

  template <class V> void fields(V& v) {
    v("name", name), v("attention", attention), v("feed_forward", feedForward);
    v("listed_parameters", listedParameters), v("listed_forward_flop", listedForwardFlop);
    v("listed_output", listedOutput), v("listed_read", listedRead);
  }
};

/// `count` consecutive layers of one class, in the order of the network.
struct LayerRun {
  std::uint64_t layerClass = 0, count = 0;
  template <class V> void fields(V& v) { v("class", layerClass), v("count", count); }
};

struct Model {
  std::string name;
  std::string kind; ///< "decoder", "encoder" or "layer_list"
  std::uint64_t hidden = 0, vocab = 0,
                context = 0; ///< context: tokens of a sequence; 0 for a layer list
  NormKind norm = NormKind::Rms;
  PositionKind positions = PositionKind::Rotary;
  bool tiedEmbeddings = false, bias = false, qkvBias = false, qkNorm = false, headTransform = false;
  std::uint64_t tokenTypes = 0, predictionLayers = 0;
  std::vector<LayerClass> classes;
  std::vector<LayerRun> runs;

  bool isLayerList() const { return kind == "layer_list"; }
  std::uint64_t layers() const;
  /// Class of layer i, 0 <= i < layers().
  const LayerClass& layer(std::uint64_t i) const;

  template <class V> void fields(V& v) {
    v("name", name), v("kind", kind), v("hidden", hidden), v("vocab", vocab), v("context", context);
    v("norm", norm), v("positions", positions), v("tied_embeddings", tiedEmbeddings);
    v("bias", bias), v("qkv_bias", qkvBias), v("qk_norm", qkNorm);
    v("head_transform", headTransform), v("token_types", tokenTypes);
    v("prediction_layers", predictionLayers), v("class", classes), v("run", runs);
  }
};

} // namespace dpl::ir
