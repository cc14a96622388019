//===- OptimizerRow.cpp - The state of each optimizer -----------------------------------------===//
#include "cost/compute/OptimizerRow.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
using Matrices = OptimizerRow::Matrices;
/// bitsandbytes at 0.45 holds moments in blocks of 256 elements with one fp32 constant each
/// (bitsandbytes/optim/optimizer.py). Adafactor is that of transformers without `beta1`
/// (optimization.py; arXiv 1804.04235). Muon trains hidden matrices, and AdamW the rest
/// (arXiv 2502.16982; Megatron-LM at d98e8a64, optimizer/emerging_optimizers.py). Lion has one
/// moment (arXiv 2302.06675).
constexpr OptimizerRow rows[] = {
    {OptimizerKind::AdamW, 2, 2, 0, Matrices::None, false, false},
    {OptimizerKind::Adam, 2, 2, 0, Matrices::None, false, false},
    {OptimizerKind::Sgd, 1, 1, 0, Matrices::None, false, false},
    {OptimizerKind::Muon, 1, 2, 0, Matrices::Hidden, false, true},
    {OptimizerKind::AdamW8Bit, 2, 2, 8 + 32.0 / 256, Matrices::None, false, false},
    {OptimizerKind::Adafactor, 0, 1, 0, Matrices::All, true, false},
    {OptimizerKind::Lion, 1, 1, 0, Matrices::None, false, false},
};
} // namespace

const OptimizerRow& dpl::cost::optimizerRow(OptimizerKind kind) {
  return *llvm::find_if(rows, [&](const OptimizerRow& row) { return row.kind == kind; });
}

double dpl::cost::momentsOf(const Layout& layout) {
  if (layout.optimizer == OptimizerKind::Sgd && layout.optimizerSettings.momentum == 0)
    return 0;
  return optimizerRow(layout.optimizer).otherMoments;
}

double dpl::cost::leastMoments(const Layout& layout) {
  const OptimizerRow& row = optimizerRow(layout.optimizer);
  return row.matrices == Matrices::None
             ? momentsOf(layout)
             : std::min(momentsOf(layout), static_cast<double>(row.matrixMoments));
}

double dpl::cost::momentBits(const Layout& layout) {
  const double own = optimizerRow(layout.optimizer).bits;
  return own > 0 ? own : real(bitsOf(layout.precision.moments));
}

double dpl::cost::masterBits(const Layout& layout) {
  return layout.precision.hasMaster ? real(bitsOf(layout.precision.master)) : 0;
}

double dpl::cost::frozenBits(const Layout& layout) {
  const FineTuning* tuning = layout.fineTuningOrNull();
  switch (tuning ? tuning->format : FrozenFormat::Parameters) {
  case FrozenFormat::Parameters:
    return real(bitsOf(layout.precision.parameters));
  case FrozenFormat::FP32:
    return 32;
  case FrozenFormat::BF16:
  case FrozenFormat::FP16:
  case FrozenFormat::Int8: // weights outside of quantized GEMMs
  case FrozenFormat::NF4:
    break;
  }
  return 16;
}

/// NF4 has one fp32 constant for each block of 64 weights. Double quantization holds it in 8 bits,
/// with one fp32 constant for each 256 of them (arXiv 2305.14314, section 3). int8 has one fp32
/// constant per row, which is below 0.1 % and not counted.
double dpl::cost::quantizedBits(const FineTuning& tuning) {
  if (tuning.format == FrozenFormat::Int8)
    return 8;
  return 4 + (tuning.doubleQuantization ? 8.0 / 64 + 32.0 / (64 * 256) : 32.0 / 64);
}

double dpl::cost::quantizedBits(const Layout& layout) {
  const FineTuning* tuning = layout.fineTuningOrNull();
  return tuning && tuning->quantizes() ? quantizedBits(*tuning) : frozenBits(layout);
}

/// Each of five steps computes X·Xᵀ, its square, and their sum times X (Keller Jordan's Muon). The
/// smaller dimension is that of the square matrices.
double dpl::cost::orthogonalizationFlop(double m, double n) {
  constexpr double steps = 5;
  const double few = std::min(m, n), many = std::max(m, n);
  return steps * (4 * few * few * many + 2 * few * few * few);
}
