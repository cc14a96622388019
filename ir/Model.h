#pragma once
//===- Model.h - The model: layer types with repeat counts ------------------------------------===//
#include "ir/Basics.h"
#include "ir/Jitter.h"
#include "support/OutOfLine.h"
#include <optional>

namespace dpl::ir {

enum class AttentionKind : std::uint8_t { None, Grouped, Latent };
/// The output gate of grouped or latent attention: one per element of the heads, or one per head.
enum class AttentionGate : std::uint8_t { Element, Head };
/// Blocks whose state replaces the keys and values of attention.
enum class RecurrenceKind : std::uint8_t { GatedDelta, Lightning, Mamba2, ShortConvolution };
enum class FeedForwardKind : std::uint8_t { None, Plain, Gated, Experts };
/// How tokens choose experts. Even: equally many tokens per expert; otherwise they choose at
/// random.
enum class PopularityKind : std::uint8_t { Even, Uniform, Pareto, LogNormal };
enum class NormKind : std::uint8_t { Rms, Layer };
/// The part of queries and keys that is normalized, with its own gains; L2 has no gains.
enum class QkNorm : std::uint8_t { None, Head, EachHead, Projection, L2 };
enum class PositionKind : std::uint8_t { Rotary, Learned, Alibi, None };
enum class RotaryScalingKind : std::uint8_t { None, Linear, Llama3, Yarn };
enum class Activation : std::uint8_t { Silu, Relu, SquaredRelu, Gelu, GeluTanh, QuickGelu, Xielu };
enum class Balance : std::uint8_t { Unset, Off, Auxiliary, Sequence, WholeBatch, Sinkhorn };
enum class RouterScore : std::uint8_t { Softmax, Sigmoid };
enum class DropPolicy : std::uint8_t { Lightest, Last };

/// Scaling of rotary positions beyond the trained length. Llama 3.1's low and high factors are
/// `slow` and `fast`. `original` is in tokens.
struct RotaryScaling {
  RotaryScalingKind kind = RotaryScalingKind::None;
  double factor = 1, slow = 1, fast = 1, mscale = 1, mscaleAll = 0;
  std::uint64_t original = 0;
  bool rounded = true;

  bool operator==(const RotaryScaling&) const = default;
  template <class V> void fields(V& v) {
    v("kind", kind), v("factor", factor), v("beta_slow", slow), v("beta_fast", fast),
        v("mscale", mscale);
    v("mscale_all_dim", mscaleAll), v("original_context", original), v("truncate", rounded);
  }
};

/// Rotary positions: the first `share` of each head's elements are rotated.
struct Rotary {
  double base = 10'000, share = 1;
  RotaryScaling scaling;

  template <class V> void fields(V& v) {
    v("base", base), v("fraction", share), v("scaling", scaling);
  }
};

/// The router of experts. `coefficient` belongs to `balance`.
struct Router {
  RouterScore score = RouterScore::Softmax;
  bool normalized = true; ///< weights of the chosen experts sum to 1
  double scaling = 1;
  std::uint64_t groups = 1, groupLimit = 1;
  bool hasPrecision = false; ///< otherwise scores have the type of the layer
  DataType precision = DataType::BF16;
  Balance balance = Balance::Unset;
  double coefficient = 0;
  double biasRate = 0; ///< 0: no bias on the choice
  double zLoss = 0, jitter = 0;
  DropPolicy drop = DropPolicy::Lightest;

  /// Whether the file sets how experts are balanced, or that they are not.
  bool setsBalance() const { return balance != Balance::Unset || biasRate > 0; }
  bool operator==(const Router&) const = default;
  template <class V> void fields(V& v) {
    v("score_function", score), v("normalized", normalized), v("scaling_factor", scaling),
        v("groups", groups);
    v("group_top_k", groupLimit), v("has_precision", hasPrecision), v("precision", precision);
    v("balance", balance), v("coefficient", coefficient), v("bias_update_rate", biasRate);
    v("z_loss", zLoss), v("input_jitter", jitter), v("drop_policy", drop);
  }
};

/// Self-attention of one layer. Head sizes are elements.
struct Attention {
  AttentionKind kind = AttentionKind::Grouped;
  std::uint64_t heads = 0, kvHeads = 0, headDim = 0;
  std::uint64_t window = 0; ///< tokens of a sliding window; 0: the whole context
  bool causal = true;
  double base = 0; ///< base of its own rotary positions; 0: the model's
  bool sinks = false;
  double softcap = 0; ///< softcap of the scores; 0: none
  double scale = 0;   ///< factor of the scores; 0: 1/√(head size)
  /// Multi-head latent attention (arXiv 2405.04434); queryRank 0: a full query projection.
  std::uint64_t queryRank = 0, kvRank = 0, nope = 0, rope = 0, value = 0;
  std::optional<AttentionGate> gate; ///< its logits are another projection of the layer's input

  /// Elements of a head's queries and keys, and of its values. Grouped attention has a `value` of 0
  /// if both are equal.
  std::uint64_t queryDim() const { return kind == AttentionKind::Latent ? nope + rope : headDim; }
  std::uint64_t valueDim() const {
    return kind == AttentionKind::Latent || value > 0 ? value : headDim;
  }

  template <class V> void fields(V& v) {
    v("kind", kind), v("heads", heads), v("kv_heads", kvHeads), v("head_dim", headDim);
    v("window", window), v("causal", causal), v("base", base), v("sinks", sinks);
    v("softcap", softcap), v("scale", scale), v("q_lora_rank", queryRank),
        v("kv_lora_rank", kvRank);
    v("qk_nope_head_dim", nope), v("qk_rope_head_dim", rope), v("v_head_dim", value);
    v("gate", gate);
  }
};

/// The indexer of DeepSeek sparse attention (arXiv 2512.02556): each query attends to the `chosen`
/// keys with the highest scores of its `heads` small heads.
struct Indexer {
  std::uint64_t heads = 0, headDim = 0, chosen = 0;
  template <class V> void fields(V& v) {
    v("heads", heads), v("head_dim", headDim), v("top_k", chosen);
  }
};

/// A block with a state of `key` × `value` elements per head. A kernel computes `chunk` tokens at a
/// time, and carries the state from chunk to chunk. Mamba-2 names its key heads groups and the key
/// size state.
struct Recurrence {
  RecurrenceKind kind = RecurrenceKind::GatedDelta;
  std::uint64_t heads = 0, keyHeads = 0, key = 0, value = 0;
  std::uint64_t taps = 0;  ///< tokens that the convolution reads; 0: no convolution
  std::uint64_t chunk = 0; ///< tokens
  /// Rank of the projections of the gate and of channel decays; 0: full projections.
  std::uint64_t rank = 0;
  bool channelDecay = false; ///< one decay per element of the keys instead of one per head
  bool norm = true;          ///< a gated norm after the scan

  template <class V> void fields(V& v) {
    v("kind", kind), v("heads", heads), v("key_heads", keyHeads), v("key_dim", key);
    v("value_dim", value), v("conv", taps), v("chunk", chunk), v("rank", rank);
    v("channel_decay", channelDecay), v("norm", norm);
  }
};

/// Feed-forward part of one layer. `width` is that of the dense part or of one routed expert.
struct FeedForward {
  FeedForwardKind kind = FeedForwardKind::Plain;
  std::uint64_t width = 0;
  std::uint64_t experts = 0, active = 0, shared = 0, sharedWidth = 0;
  bool gated = false; ///< three matrices instead of two
  Activation activation = Activation::Gelu;
  double offset = 0;    ///< constant added to the operand that the gate multiplies
  double clamp = 0;     ///< bound of both halves of a gated block; 0: none
  double capacity = 0;  ///< capacity factor; 0: dropless
  bool padded = false;  ///< experts compute their full capacity regardless of their load
  double imbalance = 1; ///< rows of the busiest expert rank over the mean; for Even
  PopularityKind popularity = PopularityKind::Even;
  /// Variation of expert popularity: the shape of Pareto, the coefficient of variation of
  /// LogNormal.
  double spread = 0;
  Router router;                  ///< for experts
  std::optional<bool> sharedGate; ///< whether a gate weights the output of shared experts

  template <class V> void fields(V& v) {
    v("kind", kind), v("width", width), v("experts", experts), v("top_k", active);
    v("shared", shared), v("shared_width", sharedWidth), v("gated", gated);
    v("activation", activation), v("offset", offset), v("clamp", clamp),
        v("capacity_factor", capacity);
    v("pad_to_capacity", padded), v("imbalance", imbalance);
    v("popularity", popularity), v("spread", spread);
    v("router", router), v("shared_gate", sharedGate);
  }
};

/// All-reduces of tensor ranks that divide a listed layer.
struct TensorExchange {
  std::uint64_t bytes = 0; ///< bytes per all-reduce and sample
  std::uint64_t count = 0; ///< all-reduces per forward or backward pass
  template <class V> void fields(V& v) { v("bytes", bytes), v("count", count); }
};

/// Costs per sample that the file sets for a listed layer, instead of those from its FLOP and
/// elements.
struct StatedCost {
  bool statesTimes = false; ///< times of its actions on a device of speed 1 are set
  std::uint64_t forward = 0, backward = 0, weight = 0; ///< ps
  bool statesSaved = false, statesMessage = false;
  std::uint64_t saved = 0, message = 0; ///< bytes
  AtMostOne<TensorExchange> tensor;     ///< empty: tensor ranks cannot divide the layer
  AtMostOne<Jitter> jitter;             ///< jitter of the times, drawn for each action

  template <class V> void fields(V& v) {
    v("times", statesTimes), v("forward", forward), v("backward", backward),
        v("backward_weight", weight);
    v("has_saved_activations", statesSaved), v("saved_activations", saved),
        v("has_message", statesMessage), v("message", message);
    v("tensor", tensor), v("jitter", jitter);
  }
};

/// Layers with the same shape: attention and a recurrence, in parallel if a layer has both, and
/// then a feed-forward part. Each may be absent, so that consecutive layers make any order of
/// blocks. A listed layer (of a `layer_list`) has its costs per sample.
struct LayerType {
  std::string name;
  Attention attention;
  AtMostOne<Indexer> indexer; ///< for latent attention
  AtMostOne<Recurrence> recurrence;
  FeedForward feedForward;
  std::uint64_t listedParameters = 0, listedForwardFlop = 0, listedOutput = 0, listedRead = 0;
  StatedCost stated;
  bool hasAttention() const { return attention.kind != AttentionKind::None; }
  /// Whether a block mixes tokens: attention, a recurrence or both.
  bool mixes() const { return hasAttention() || !recurrence.empty(); }
  bool hasFeedForward() const { return feedForward.kind != FeedForwardKind::None; }
  bool isListed() const { return !mixes() && !hasFeedForward(); }

  template <class V> void fields(V& v) {
    v("name", name), v("attention", attention), v("indexer", indexer);
    v("recurrence", recurrence), v("feed_forward", feedForward);
    v("listed_parameters", listedParameters), v("listed_forward_flop", listedForwardFlop);
    v("listed_output", listedOutput), v("listed_read", listedRead);
    if (isListed())
      v("stated", stated);
  }
};

/// `count` consecutive layers of one type, in the order of the network.
struct LayerRun {
  std::uint64_t layerType = 0, count = 0;
  template <class V> void fields(V& v) { v("layer_type", layerType), v("count", count); }
};

struct Model {
  DPL_SPECIAL_MEMBERS(Model);
  std::string name;
  std::string kind; ///< "decoder", "encoder" or "layer_list"
  std::uint64_t hidden = 0, vocab = 0,
                context = 0; ///< context: tokens of a sequence; 0 for a layer list
  NormKind norm = NormKind::Rms;
  double normEpsilon = 1e-5;
  bool normCentered = false; ///< gains are stored as their difference from 1
  PositionKind positions = PositionKind::Rotary;
  Rotary rotary;                ///< for PositionKind::Rotary
  QkNorm qkNorm = QkNorm::None; ///< for grouped attention
  bool tiedEmbeddings = false, bias = false, qkvBias = false, headTransform = false;
  /// Norms of parallel attention and feed-forward blocks; 0: the blocks are sequential.
  std::uint64_t parallelNorms = 0;
  /// Dropout of scores; dropout of embeddings and of the outputs of a layer's blocks.
  double attentionDropout = 0, hiddenDropout = 0;
  /// Whether the mixing blocks and the feed-forward part of `c` are parallel.
  bool hasParallelBlocks(const LayerType& c) const {
    return parallelNorms > 0 && c.mixes() && c.hasFeedForward();
  }
  bool embeddingNorm = false;   ///< a norm after the embeddings
  bool postNorms = false;       ///< norms also after attention and the feed-forward part
  double softcap = 0;           ///< softcap of the logits; 0: none
  double embeddingScale = 1;    ///< factor of the embeddings
  double initialization = 0.02; ///< standard deviation of initial weights
  std::uint64_t tokenTypes = 0, predictionLayers = 0;
  std::vector<LayerType> layerTypes;
  std::vector<LayerRun> runs;

  bool isLayerList() const { return kind == "layer_list"; }
  std::uint64_t layers() const;
  /// Type of layer i, 0 <= i < layers().
  const LayerType& layer(std::uint64_t i) const;

  template <class V> void fields(V& v) {
    v("name", name), v("kind", kind), v("hidden", hidden), v("vocab", vocab), v("context", context);
    v("norm", norm), v("norm_epsilon", normEpsilon), v("norm_zero_centered", normCentered);
    v("positions", positions), v("rotary", rotary), v("tied_embeddings", tiedEmbeddings);
    v("bias", bias), v("qkv_bias", qkvBias), v("qk_norm", qkNorm), v("post_norms", postNorms);
    v("parallel_norms", parallelNorms), v("attention_dropout", attentionDropout),
        v("hidden_dropout", hiddenDropout);
    v("softcap", softcap), v("embedding_scale", embeddingScale);
    v("init_std", initialization);
    v("head_transform", headTransform), v("token_types", tokenTypes);
    v("embedding_norm", embeddingNorm);
    v("mtp_layers", predictionLayers), v("layer_type", layerTypes), v("run", runs);
  }
};

} // namespace dpl::ir
