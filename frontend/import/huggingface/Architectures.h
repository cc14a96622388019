#pragma once
//===- Architectures.h - The kinds of config.json that are known, a row each ------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace dpl::imports {

/// A key of the file under the name by which the importer reads it, which is that of `llama`.
/// "a.b" is the key b of the object a.
struct RenamedKey {
  const char* theirs;
  const char* ours;
};

/// A yes or no: the value of `key`, `contrary` to what it says, `otherwise` where it is absent or
/// there is no key.
struct Flag {
  const char* key = nullptr;
  bool otherwise = false;
  bool contrary = false;
};

constexpr std::uint64_t asManyAsHeads = 0; ///< of key-value heads, as a default

/// Defaults of the configuration class. No width is four times the hidden size, no size of a head
/// the hidden size by the heads.
struct ModelSizes {
  std::uint64_t vocab, hidden, width, layers, heads, kvHeads, headDim, context;
};

struct Norm {
  const char* kind = "rms"; ///< or layer
  const char* key = "rms_norm_eps";
  double epsilon = 1e-6;
  bool centered = false;
};

enum class Positions : std::uint8_t { Rotary, Learned, Alibi };

/// Which layers attend to a window only, where the file does not list them.
enum class WindowedLayers : std::uint8_t {
  None,
  All,
  After,   ///< from `max_window_layers` on, with `use_sliding_window`
  Even,    ///< the first, the third, …
  Odd,     ///< the second, the fourth, …; `attention_types` says no other order
  Pattern, ///< all but each `pattern`-th
};

/// Defaults of a router: `norm_topk_prob`, `routed_scaling_factor`, `n_group`, `topk_group` and
/// `router_jitter_noise`, and the coefficient of the loss that `lossKey` holds.
struct RouterDefaults {
  bool sigmoid = false, normalized = true, fp32 = false;
  bool bias = false;     ///< on the choice alone
  bool sequence = false; ///< the loss is counted in each sequence, by `seq_aux`
  double scaling = 1;
  std::uint64_t groups = 1, limit = 1;
  const char* lossKey = "router_aux_loss_coef";
  double loss = 0.001, jitter = 0;
};

/// Defaults of routed experts. `num_experts`, `num_experts_per_tok` and `moe_intermediate_size`
/// say them; `dense` is the number of layers without experts at the beginning.
struct Experts {
  std::uint64_t count, active, width;
  std::uint64_t shared = 0;      ///< each as wide as an expert
  std::uint64_t sharedWidth = 0; ///< of the one shared expert whose width is a key of its own
  std::uint64_t dense = 0;
  RouterDefaults router = {};
  bool cut = false; ///< gates of GPT-OSS, with an offset and a bound
};

/// Defaults of the shares that are dropped.
struct Dropout {
  double attention = 0, hidden = 0;
};

struct Architecture {
  const char* type; ///< `model_type`
  ModelSizes shape;
  const char* note = nullptr; ///< what of it the language does not say
  llvm::ArrayRef<RenamedKey> renamed = {};
  const Experts* experts = nullptr;
  bool latent = false; ///< attention of DeepSeek
  bool gated = true;   ///< the feed-forward part
  bool bothWidths =
      false; ///< `intermediate_size` is the width of the gate and what it gates together
  const char* activation = "silu";
  Norm norm = {};
  bool embeddingNorm = false, postNorms = false;
  Positions positions = Positions::Rotary;
  double base = 10'000, share = 1;
  const char* scaling = nullptr; ///< of positions, where the file says nothing of it
  std::uint64_t turned = 0;      ///< elements of a head that turn, `rotary_dim`; 0: by the share
  double localBase = 0;          ///< of the layers with a window, where it is another; 0: the same
  bool unscaledWindows = false;  ///< scaled are the positions of the other layers alone
  WindowedLayers windows = WindowedLayers::None;
  std::uint64_t window = 0, pattern = 0;
  Flag tied = {"tie_word_embeddings"};
  Flag bias = {};                    ///< of all linear layers
  Flag qkvBias = {"attention_bias"}; ///< of queries, keys and values
  bool outputBias = true;            ///< `qkvBias` adds one to the attention's output, too
  Flag qkNorm = {};
  const char* qkNormKind = "head";
  Flag parallel = {};              ///< attention beside the feed-forward part
  std::uint64_t parallelNorms = 1; ///< 2: each part has its own
  Dropout dropout = {};
  Flag alibi = {}, multiQuery = {}; ///< `multiQuery`: one key-value head
  bool scaledEmbeddings = false;    ///< by the root of the hidden size
  double attentionCap = 0, logitCap = 0, queryScalar = 0, attentionScale = 0, logitScale = 1;
  std::uint64_t predictionLayers = 0;
  double initialization = 0.02;
};

// What rows have in common.
constexpr Norm at5{"rms", "rms_norm_eps", 1e-5}, layerNorm{"layer", "layer_norm_eps", 1e-5},
    fixedLayer{"layer", nullptr, 1e-5};
constexpr Flag always{nullptr, true}, tiedByDefault{"tie_word_embeddings", true};

/// Null where nobody knows it.
const Architecture* findArchitecture(llvm::StringRef type);

/// Models that also see or hear, with the kinds of their text parts.
llvm::ArrayRef<RenamedKey> textKinds();
/// The kind of the text part of a model that also sees or hears; empty where `type` has none.
llvm::StringRef textKindOf(llvm::StringRef type);

/// A kind that no model of the language is.
struct UnsupportedArchitecture {
  const char* type;
  const char* reason;
  const char* nearest = nullptr; ///< kind as which `--as` reads it, and what that leaves out
  const char* without = nullptr;
};
llvm::ArrayRef<UnsupportedArchitecture> unsupportedArchitectures();
const UnsupportedArchitecture* findUnsupportedArchitecture(llvm::StringRef type);

// The rows, of DenseArchitectures.cpp, PlainArchitectures.cpp and ExpertArchitectures.cpp.
llvm::ArrayRef<Architecture> denseArchitectures();
llvm::ArrayRef<Architecture> plainArchitectures();
llvm::ArrayRef<Architecture> expertArchitectures();

} // namespace dpl::imports
