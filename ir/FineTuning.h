#pragma once
//===- FineTuning.h - Frozen weights, adapters and documents of a layout ----------------------===//
#include "ir/Basics.h"

namespace dpl::ir {

/// Parts of a model that can be frozen. Norm holds the gains of norms and all biases of layers,
/// FeedForward dense and shared feed-forward networks.
enum class ModelPart : std::uint8_t {
  Embedding,
  Attention,
  FeedForward,
  Experts,
  Router,
  Norm,
  Head
};
/// Linear layers of a transformer layer that can have an adapter, as PEFT names them.
enum class AdapterModule : std::uint8_t { Query, Key, Value, Output, Gate, Up, Down };
/// The number format in which frozen weights are held. Parameters: that of `precision.parameters`.
enum class FrozenFormat : std::uint8_t { Parameters, FP32, BF16, FP16, Int8, NF4 };

/// Low-rank adapters next to frozen GEMMs (arXiv 2106.09685).
struct Adapters {
  std::uint64_t rank = 8;
  double alpha = 16;  ///< factor of the update is alpha / rank
  double dropout = 0; ///< dropout rate of the inputs
  std::vector<AdapterModule> modules;
  bool on(AdapterModule module) const;
  template <class V> void fields(V& v) {
    v("rank", rank), v("alpha", alpha), v("dropout", dropout), v("modules", modules);
  }
};

/// What training leaves unchanged.
struct FineTuning {
  std::vector<ModelPart> frozen;
  FrozenFormat format = FrozenFormat::Parameters;
  bool doubleQuantization = true; ///< for NF4: the block constants are quantized too
  AtMostOne<Adapters> adapters;
  bool freezes(ModelPart part) const;
  /// Whether the GEMMs of frozen layers dequantize their weights.
  bool quantizes() const { return format == FrozenFormat::Int8 || format == FrozenFormat::NF4; }
  template <class V> void fields(V& v) {
    v("frozen", frozen), v("frozen_weights", format), v("double_quantization", doubleQuantization);
    v("lora", adapters);
  }
};

/// The documents that fill the sequences of a batch.
struct Documents {
  std::uint64_t length = 0; ///< mean tokens of a document
  bool packed = true;       ///< a sequence holds several documents instead of padding
  template <class V> void fields(V& v) { v("mean_length", length), v("packed", packed); }
};

} // namespace dpl::ir
