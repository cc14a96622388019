#pragma once
//===- Recompute.h - What is kept for the backward pass and what runs again -------------------===//
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
  AlternateProducts ///< of the products of a layer the second, the fourth …
};
/// What a policy may keep of a layer: its input, what operators give, and what products in 8 and 4
/// bits read backward.
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
  std::vector<ModuleKind> modules; ///< of Selective
  RecomputeMethod method = RecomputeMethod::Uniform;
  std::uint64_t layers = 1; ///< of Full
  bool inAdvance = false;   ///< an operation of the schedule, ahead of the backward pass
  std::vector<SavedOperator> saved, offloaded; ///< of Saved: kept here, kept in the host's memory
  bool has(ModuleKind m) const;
  bool saves(SavedOperator op) const; ///< here or there
  bool offloads(SavedOperator op) const;
  template <class V> void fields(V& v) {
    v("kind", kind), v("modules", modules), v("method", method), v("layers", layers);
    v("in_advance", inAdvance);
    if (kind == RecomputeKind::Saved)
      v("saved", saved), v("offloaded", offloaded);
  }
};

} // namespace dpl::ir
