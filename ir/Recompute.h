#pragma once
//===- Recompute.h - Saved activations and recomputation --------------------------------------===//
#include "ir/Basics.h"

namespace dpl::ir {

enum class RecomputeKind : std::uint8_t { None, Selective, Full, Saved };
enum class RecomputeMethod : std::uint8_t { Uniform, Block };
enum class ModuleKind : std::uint8_t {
  CoreAttention,
  Attention,
  Mlp,
  Norm,
  Activation,
  Moe,
  SharedExperts,
  MlaUp,
  AlternateProducts ///< the second, the fourth … GEMM of a layer
};
/// Tensors of a layer that a policy may save: its input, outputs of operators, and quantized
/// operands of 8-bit and 4-bit GEMMs.
enum class SavedOperator : std::uint8_t {
  Input,
  QueryKeyValue,
  Context,
  Projection,
  Up,
  Down,
  Quantization
};

struct Recompute {
  RecomputeKind kind = RecomputeKind::None;
  std::vector<ModuleKind> modules; ///< for Selective
  RecomputeMethod method = RecomputeMethod::Uniform;
  std::uint64_t layers = 1; ///< layers per group (Uniform) or per chunk (Block), for Full
  bool inAdvance = false; ///< recomputation is an action of the schedule, before the backward pass
  std::vector<SavedOperator> saved, offloaded; ///< tensors on the device, in host memory; for Saved
  bool has(ModuleKind m) const;
  bool saves(SavedOperator op) const; ///< whether it is saved on the device or in host memory
  bool offloads(SavedOperator op) const;
  template <class V> void fields(V& v) {
    v("kind", kind), v("modules", modules), v("method", method), v("layers", layers);
    v("in_advance", inAdvance);
    if (kind == RecomputeKind::Saved)
      v("saved", saved), v("offloaded", offloaded);
  }
};

} // namespace dpl::ir
