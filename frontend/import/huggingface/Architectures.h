#pragma once
//===- Architectures.h - Table of Hugging Face architectures, by model_type -------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace dpl::imports {

/// A key of the file, and the name by which the importer reads it, which is usually that of
/// `llama`. "a.b" is the key b in the object a.
struct RenamedKey {
  const char* theirs;
  const char* ours;
};

/// A boolean of the file. It is the value of `key`, negated if `contrary` is set, or `otherwise` if
/// the key is absent or null.
struct Flag {
  const char* key = nullptr;
  bool otherwise = false;
  bool contrary = false;
};

constexpr std::uint64_t asManyAsHeads = 0; ///< value of `kvHeads` if there are as many as attention
                                           ///< heads

/// Sizes by default of the configuration class. A `width` of 0 stands for four times the hidden
/// size, a `headDim` of 0 for the hidden size divided by the number of heads.
struct ModelSizes {
  std::uint64_t vocab, hidden, width, layers, heads, kvHeads, headDim, context;
};

struct Norm {
  const char* kind = "rms"; ///< "rms" or "layer"
  const char* key = "rms_norm_eps";
  double epsilon = 1e-6;
  bool centered = false;
  const char* rmsKey = nullptr; ///< epsilon that makes a "layer" norm an "rms" norm if it is set
};

enum class Positions : std::uint8_t { Rotary, Learned, Alibi };

/// The layers that have a sliding window, if the file does not list them.
enum class WindowedLayers : std::uint8_t {
  None,
  All,
  After,   ///< from layer `max_window_layers` on, if `use_sliding_window`
  Even,    ///< the first, the third, …
  Odd,     ///< the second, the fourth, …; the file is refused if `attention_types` has another
           ///< order
  Pattern, ///< all except for `WholeLayers`
  Listed,  ///< none
};

/// Layers without a window in a `Pattern`: those whose index modulo `pattern` is `at` - 1, the
/// first `first` layers and, if `last` is set, the last layer. If `prefixes` is set, the first
/// dense layers have the pattern `prefix_dense_sliding_window_pattern`, and the pattern of the
/// others begins after them.
struct WholeLayers {
  std::uint64_t at = 0, first = 0;
  bool last = false, prefixes = false;
};

/// Defaults of a router: `norm_topk_prob`, `routed_scaling_factor`, `n_group`, `topk_group`,
/// `router_jitter_noise`, and the coefficient of the auxiliary loss, whose key is `lossKey`.
struct RouterDefaults {
  bool sigmoid = false, normalized = true, fp32 = false;
  bool bias = false;     ///< whether a bias affects the choice of experts, and only that
  bool sequence = false; ///< whether the auxiliary loss is computed per sequence, `seq_aux`
  double scaling = 1;
  std::uint64_t groups = 1, limit = 1;
  const char* lossKey = "router_aux_loss_coef";
  double loss = 0.001, jitter = 0;
};

/// Defaults of routed experts: `num_experts`, `num_experts_per_tok` and `moe_intermediate_size`.
/// `dense` is the number of layers without experts, which come first.
struct Experts {
  std::uint64_t count, active, width;
  std::uint64_t shared = 0;      ///< number of shared experts, each as wide as a routed one
  std::uint64_t sharedWidth = 0; ///< width of a single shared expert with a key of its own
  bool sharedGate = false;       ///< a gate weights the output of the shared expert
  std::uint64_t dense = 0;
  RouterDefaults router = {};
  bool cut = false; ///< whether the activation is that of GPT-OSS, with an offset and a clamp
};

/// Layers with a recurrence instead of attention, or in parallel with it, and defaults of their
/// keys. Unless the file lists these layers, all have it but those whose index modulo `interval` is
/// `whole` - 1; the first `first` layers always have it.
struct Recurrent {
  enum Kind : std::uint8_t { GatedDelta, KimiDelta, Lightning, Mamba2, ShortConvolution };
  Kind kind;
  std::uint64_t interval = 4, whole = 0, first = 0;
  bool parallel = false;
  bool ranked = true;                                 ///< of KimiDelta: low-rank gate and decays
  std::uint64_t state = 128, groups = 8, chunk = 128; ///< of Mamba2
  bool norm = true;                                   ///< of Mamba2
  std::uint64_t inner = 0;  ///< of Mamba2: `mamba_d_ssm`; 0: `mamba_expand` times the hidden size
  std::uint64_t taps = 3;   ///< of ShortConvolution
  bool ofAttention = false; ///< of GatedDelta: as many heads as attention has; keys share three
                            ///< quarters of the hidden size, and values are twice as long
};

/// Defaults of the sizes of latent attention. `heads` of 0 are those of the model.
struct LatentSizes {
  std::uint64_t queryRank = 1536, kvRank = 512, nope = 128, rope = 64, value = 128, heads = 0;
};

/// Which layers with attention have sinks.
enum class Sinks : std::uint8_t { None, Windowed, All };

/// Default dropout probabilities.
struct Dropout {
  double attention = 0, hidden = 0;
};

struct Architecture {
  const char* type; ///< value of `model_type`
  ModelSizes shape;
  const char* note = nullptr; ///< note about parts that DPL cannot express, or null
  llvm::ArrayRef<RenamedKey> renamed = {};
  const Experts* experts = nullptr;
  bool latent = false; ///< multi-head latent attention of DeepSeek
  LatentSizes latentSizes = {};
  /// Sizes of layers with a window, whose keys begin with `swa_`. Null: as other layers.
  const LatentSizes* windowLatent = nullptr;
  std::uint64_t indexerHeads = 0; ///< default of `index_n_heads`; 0: no indexer
  const char* gate = nullptr;     ///< gate of the output of attention: "element" or "head"
  Sinks sinks = Sinks::None;
  std::uint64_t valueDim = 0;      ///< default of `v_head_dim` if values have a size of their own
  std::uint64_t wholeHeadDim = 0;  ///< default of `global_head_dim`; 0: as other layers
  std::uint64_t windowKvHeads = 0; ///< default of `swa_num_key_value_heads`; 0: as other layers
  const Recurrent* recurrent = nullptr;
  bool singles = false;       ///< each layer is a single block
  bool adjustedWidth = false; ///< LFM2: two thirds of the width, rounded up
  bool gated = true;          ///< whether the feed-forward part has a gate
  bool expertWidth = false;   ///< a dense layer is as wide as an expert if the file sets no width
  bool bothWidths = false;    ///< `intermediate_size` is gate and up projection together
  const char* activation = "silu";
  Norm norm = {};
  bool embeddingNorm = false, postNorms = false;
  Positions positions = Positions::Rotary;
  double base = 10'000, share = 1;
  const char* scaling = nullptr; ///< scaling of rotary positions if the file sets none
  const char* unread = nullptr;  ///< the same, of a type that is not imported
  std::uint64_t turned = 0;      ///< rotary elements of a head, `rotary_dim`; if 0, a `share` of
                                 ///< its elements
  double localBase = 0;          ///< rotary base of layers with a window; if 0, they have the base
                                 ///< of the other layers
  bool unscaledWindows = false;  ///< whether only layers without a window scale their positions
  WindowedLayers windows = WindowedLayers::None;
  std::uint64_t window = 0, pattern = 0;
  WholeLayers whole = {};
  Flag tied = {"tie_word_embeddings"};
  Flag bias = {};                    ///< whether all linear layers have biases
  Flag qkvBias = {"attention_bias"}; ///< whether the projections of queries, keys and values have
                                     ///< biases
  bool outputBias = true;            ///< whether the attention output has a bias if `qkvBias` is
                                     ///< set
  bool mlpBias = false;              ///< default of `mlp_bias`
  Flag qkNorm = {};
  const char* qkNormKind = "head";
  Flag parallel = {};              ///< whether attention and the feed-forward block run in parallel
  std::uint64_t parallelNorms = 1; ///< number of norms of parallel blocks: 2 if each block has its
                                   ///< own
  Dropout dropout = {};
  Flag alibi = {}, multiQuery = {}; ///< `multiQuery` says that there is one key-value head
  bool scaledEmbeddings = false;    ///< whether embeddings are multiplied by √hidden
  double embeddingScale = 1;        ///< factor of embeddings otherwise
  double attentionCap = 0, logitCap = 0, queryScalar = 0, attentionScale = 0, logitScale = 1;
  std::uint64_t predictionLayers = 0;
  double initialization = 0.02; ///< 0: 2 / √(5 · hidden)
};

// Values that several rows use.
constexpr Norm at5{"rms", "rms_norm_eps", 1e-5}, layerNorm{"layer", "layer_norm_eps", 1e-5},
    fixedLayer{"layer", nullptr, 1e-5};
constexpr Flag always{nullptr, true}, tiedByDefault{"tie_word_embeddings", true};

/// The row of the `model_type`; null if there is none.
const Architecture* findArchitecture(llvm::StringRef type);

/// Each `model_type` of a multimodal model, with that of its text part.
llvm::ArrayRef<RenamedKey> textKinds();
/// The `model_type` of the text part of a multimodal model; empty if `type` is not multimodal.
llvm::StringRef textKindOf(llvm::StringRef type);

/// Architectures that DPL cannot express, for one reason.
struct UnsupportedArchitecture {
  const char* words; ///< values of `model_type`, separated by blanks
  const char* reason;
  const char* nearest = nullptr; ///< architecture that `--as` offers in place of it, and what that
                                 ///< leaves out
  const char* without = nullptr;
  llvm::SmallVector<llvm::StringRef, 8> types() const;
};
llvm::ArrayRef<UnsupportedArchitecture> unsupportedArchitectures();
const UnsupportedArchitecture* findUnsupportedArchitecture(llvm::StringRef type);

/// The rows of Architectures.def.
llvm::ArrayRef<Architecture> architectures();

} // namespace dpl::imports
