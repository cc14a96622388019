#pragma once
//===- OptimizerRow.h - The state of each optimizer -------------------------------------------===//
#include "ir/Layout.h"

namespace dpl::cost {

/// What an optimizer keeps for the weights that it trains, and how it updates them.
struct OptimizerRow {
  ir::OptimizerKind kind;
  /// Moments per parameter: of matrices (see `matrices`), and of all other weights.
  unsigned matrixMoments, otherMoments;
  /// Bits of a moment's element, with its share of block constants; 0: those of
  /// `precision.moments`.
  double bits;
  /// The weights that count as matrices.
  enum class Matrices : std::uint8_t { None, Hidden, All } matrices;
  bool factored;       ///< matrices have the sums of rows and columns of their second moment
  bool orthogonalizes; ///< the update of a matrix is its momentum after Newton-Schulz iterations
};
const OptimizerRow& optimizerRow(ir::OptimizerKind kind);

/// Moments per parameter of weights that are not matrices; SGD without momentum has none.
double momentsOf(const ir::Layout& layout);
/// The smallest number of moments that any parameter has.
double leastMoments(const ir::Layout& layout);
/// Bits of one element of a moment.
double momentBits(const ir::Layout& layout);
/// Bits of a master weight; 0 without one.
double masterBits(const ir::Layout& layout);
/// Bits of optimizer state per parameter that is not a matrix.
inline double stateBits(const ir::Layout& layout) {
  return masterBits(layout) + momentsOf(layout) * momentBits(layout);
}

/// Bits per frozen weight, and per frozen weight that is quantized.
double frozenBits(const ir::Layout& layout);
double quantizedBits(const ir::Layout& layout);
/// The same where `tuning` quantizes.
double quantizedBits(const ir::FineTuning& tuning);

/// FLOP of the iterations that orthogonalize a matrix.
double orthogonalizationFlop(double rows, double columns);

} // namespace dpl::cost
