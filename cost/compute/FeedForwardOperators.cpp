//===- FeedForwardOperators.cpp - The operators of feed-forward blocks and experts ------------===//
#include "cost/compute/OperatorBuilder.h"
#include "cost/compute/PolicyOperators.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Clamps the inputs of an activation. There is one 16-bit kernel for each half of a gate and one
/// that joins them. The backward pass of a half also reads its input (Megatron-Core at d98e8a64,
/// fusions/fused_bias_geglu.py, weighted_bias_quick_geglu_impl). With PyTorch's grouped GEMM the
/// compiled activation kernel also clamps.
void clamped(OperatorBuilder& b, ModuleKind around, const char* of, double elements, bool gated) {
  if (b.d.communication.groupedExperts && b.d.kernels.activation == KernelKind::Fused)
    return;
  const double bounded = 2 * elements, joined = gated ? 4 * elements : 0;
  OperatorCost& clamp =
      b.streaming("clamp", ModuleKind::Activation, 2 * bounded + joined, 3 * bounded + joined);
  clamp.saved = bounded;
  clamp.kernels = gated ? 3 : 1;
  clamp.of = of;
  clamp.enclosing = around;
}

/// Biases of experts that GEMMs do not add: `outputs` elements after the second GEMM and `inner`
/// elements before the activation. Megatron-Core at d98e8a64 (moe/experts.py,
/// TEGroupedMLP._apply_bias) computes for each expert the outer product with the router's weights,
/// adds it, and concatenates. Weights are in fp32 if the router's are, or with DeepEP or Hybrid-EP.
/// PyTorch's grouped GEMM adds no bias: each bias is copied to its rows and added, and the second
/// is weighted if the dispatcher sends the weights (torchtitan, models/gpt_oss/model/moe.py;
/// nemo_automodel at 36044ad3, components/moe/experts.py, _apply_bias). The gradient of an
/// unweighted bias is a sum over its rows.
void expertBiases(OperatorBuilder& b, const FeedForward& f, double outputs, double inner,
                  double count) {
  const DispatchKind by = b.d.kernels.dispatch;
  const bool brought = by == DispatchKind::DeepEp || by == DispatchKind::HybridEp;
  const bool wide = brought || (f.router.hasPrecision && f.router.precision == DataType::FP32);
  const bool grouped = b.d.communication.groupedExperts, weighed = !grouped || brought;
  const double weight = wide ? 4 : 2, cast = wide ? 6 : 0; // cast to the wider sum and back
  const double forward = weighed ? 2 + 5 * weight + cast : 8;
  const double backward = weighed ? (grouped ? 0 : 4) + 6 * weight + 2 * cast : 2;
  OperatorCost& biases =
      b.streaming("expert biases", ModuleKind::Moe, forward * outputs + (grouped ? 8 * inner : 0),
                  backward * outputs + 2 * inner);
  biases.kernels = grouped ? 6 : static_cast<unsigned>(2 * count) + (wide ? 2 : 1);
}

/// Kernels launched around the experts, and how often rows of tokens are read or written.
struct PermutationRow {
  DispatchKind dispatch;
  KernelKind kernel;
  unsigned before, after;
  /// Times that rows are read or written, before and after the experts; the backward pass swaps
  /// both. `copies`: one row per expert choice. `received`: rows as they arrive (DeepEP sends one
  /// per rank, the all-gather dispatcher all). `routed`: the tokens of the layer.
  double copies[2], received[2], routed[2];
};
/// Megatron-Core at d98e8a64 (moe/token_dispatcher.py, moe_utils.py) uses PyTorch's gather and
/// scatter-add, which reads its output, and a concatenation per expert. Alternatively it uses
/// Transformer Engine's kernels, of which one makes the row map in three steps. Rows from DeepEP
/// and Hybrid-EP arrive unsorted and are copied for the experts of a rank. Their kernels compute
/// the positions, and those of Hybrid-EP also sort.
constexpr PermutationRow permutations[] = {
    {DispatchKind::AllToAll, KernelKind::Separate, 24, 16, {4, 5}, {0, 0}, {0, 1}},
    {DispatchKind::AllToAll, KernelKind::Fused, 17, 3, {3, 3}, {0, 0}, {1, 1}},
    {DispatchKind::DeepEp, KernelKind::Separate, 18, 5, {2, 3}, {0, 1}, {0, 0}},
    {DispatchKind::DeepEp, KernelKind::Fused, 7, 2, {1, 1}, {1, 1}, {0, 0}},
    {DispatchKind::HybridEp, KernelKind::Separate, 3, 2, {1, 1}, {1, 1}, {0, 0}},
    {DispatchKind::HybridEp, KernelKind::Fused, 3, 2, {1, 1}, {1, 1}, {0, 0}},
    {DispatchKind::AllGather, KernelKind::Separate, 16, 2, {2, 3}, {0, 1}, {0, 0}},
    {DispatchKind::AllGather, KernelKind::Fused, 13, 1, {1, 1}, {1, 1}, {0, 0}},
};
/// torchtitan 0.2.2 pads the rows for PyTorch's grouped GEMM, also with one rank
/// (models/moe/moe.py, utils.py, _permute and _unpermute). Before the experts, rows are gathered by
/// index, joined with a row of zeros and gathered again. After them rows are gathered, scattered
/// into zeros, cast to fp32, multiplied with the router's weights, cast back and added to the
/// output of the shared expert. Compiled layers run all of this eagerly too (apply_compile in
/// models/llama4/infra/parallelize.py).
constexpr PermutationRow paddedRows{
    DispatchKind::AllToAll, KernelKind::Separate, 24, 16, {6, 10}, {0, 0}, {0, 8}};

const PermutationRow& permutationOf(const Division& d) {
  const PermutationRow& row = *llvm::find_if(permutations, [&](const PermutationRow& p) {
    return p.dispatch == d.kernels.dispatch && p.kernel == d.kernels.permutation;
  });
  const bool padded = d.communication.groupedExperts && row.dispatch == paddedRows.dispatch &&
                      row.kernel == paddedRows.kernel;
  return padded ? paddedRows : row;
}
} // namespace

void dpl::cost::addFeedForward(OperatorBuilder& b, ModuleKind module, const char* of,
                               const char* up, const char* down, double hidden, double rows,
                               double width, const FeedForward& f, double count) {
  const bool gated =
      f.kind == FeedForwardKind::Experts ? f.gated : f.kind == FeedForwardKind::Gated;
  const double elements = count * rows * width, wide = gated ? 2 : 1;
  const double parts[] = {width, width};
  b.matmul(up, module, rows, wide * width, hidden, true, count,
           llvm::makeArrayRef(parts).take_front(gated ? 2 : 1));
  if (f.clamp > 0)
    clamped(b, module, of, wide * elements, gated);
  // The kernel of the activation's gradient finds the maximum of what the first GEMM casts.
  if (OperatorCost& cast = b.operators.back();
      isCast(cast) && f.clamp <= 0 && b.d.kernels.activation == KernelKind::Fused)
    cast.backwardInput.bytes -= castCost(b.type, b.d).scan * wide * elements;
  OperatorCost& act = b.streaming("activation", ModuleKind::Activation, elements * 2 * (wide + 1),
                                  elements * 2 * (2 * wide + 1), b.d.kernels.activation);
  // Separate kernels save the activated gate in addition to its product with the other half.
  const bool both = gated && b.d.kernels.activation == KernelKind::Separate;
  act.savedTensors = both ? 2 : 1;
  act.saved = elements * elementBytes(b.type) * act.savedTensors;
  act.kernels = 2;
  act.of = of;
  act.enclosing = module;
  b.readByWeights(width, elements * elementBytes(b.type));
  b.matmul(down, module, rows, hidden, width, false, count);
}

void dpl::cost::addExperts(OperatorBuilder& b, const Model& m, const FeedForward& f) {
  const Division& d = b.d;
  const double h = real(m.hidden), local = d.tokens / d.residualSplit();
  const double split = real(d.expertTensor),
               count = std::max(1.0, real(f.experts) / real(d.expert));
  const double rows = expertRows(f, d);
  const DataType compute = b.type;
  b.type = DataType::BF16; // routing is not quantized
  b.part = ModelPart::Router;
  b.uncounted(b.matmul("router", ModuleKind::Moe, local, real(f.experts), h, false));
  // The router computes softmax, top-k, map and loss in fp32: with separate kernels, or with one
  // fused kernel for scores and top-k and one for the loss.
  const bool fused = d.kernels.router == KernelKind::Fused;
  const double logits = local * real(f.experts) * (fused ? 9 : 12);
  b.streaming("top-k", ModuleKind::Moe, logits, logits).kernels = fused ? 6 : 24;
  b.type = compute;
  b.part = ModelPart::Experts;
  const PermutationRow& p = permutationOf(d);
  const double copies = rows * h * 2,
               own = std::min(local, rows) * h * 2; // fewer rows than tokens with a capacity
  const bool gathers = d.kernels.dispatch == DispatchKind::AllGather;
  const double received = gathers ? gatheredRows(f, d) * h * 2
                                  : copies / real(f.active) * distinctUnits(f, real(d.expert));
  const auto moved = [&](int side) {
    return p.copies[side] * copies + p.received[side] * received + p.routed[side] * own;
  };
  const std::size_t begin = b.operators.size();
  OperatorCost& permute = b.streaming("permute", ModuleKind::Moe, moved(0), moved(1));
  permute.saved = rows * h * elementBytes(compute);
  permute.kernels = p.before;
  permute.exchanged = d.expert > 1;
  permute.temporary = gathers ? received : 0;
  b.readByWeights(h, permute.saved);
  const double width = real(f.width) / split;
  const std::size_t first = b.operators.size();
  addFeedForward(b, ModuleKind::Moe, "expert", "expert up", "expert down", h, rows / count, width,
                 f, count);
  if (m.bias)
    expertBiases(b, f, rows * h, rows * width * (f.gated ? 2 : 1), count);
  for (std::size_t i = first; i < b.operators.size(); ++i)
    b.operators[i].experts = true;
  OperatorCost& back = b.streaming("unpermute", ModuleKind::Moe, moved(1), moved(0));
  back.kernels = p.after;
  // The gradient of the router's weights needs the rows that experts return. Eager layers
  // (`paddedRows`) save the rows in fp32.
  if (d.communication.groupedExperts && d.kernels.dispatch == DispatchKind::AllToAll)
    back.internal = (&p == &paddedRows ? 2 : 1) * copies;
  back.exchanged = d.expert > 1, back.unsavedOutput = d.expert > 1 ? copies : 0;
  back.temporary = gathers ? received : 0;
  for (std::size_t i = begin; i < b.operators.size(); ++i)
    b.operators[i].routed = !f.padded;
  b.part = ModelPart::FeedForward;
  if (f.shared > 0)
    addFeedForward(b, ModuleKind::SharedExperts, "shared expert", "shared expert up",
                   "shared expert down", h, d.tokens,
                   real(f.shared * f.sharedWidth) / real(d.tensor), f, 1);
}
