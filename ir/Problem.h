#pragma once
//===- Problem.h - What a phase of a run is to reach in place of its steps --------------------===//
#include "ir/Basics.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dpl::ir {

/// The quantity that has to fall to `goalValue`: the distance from the minimum or the loss, both as
/// a share of their values at the start, or the loss itself.
enum class GoalKind : std::uint8_t { Distance, Loss, LossValue };
/// The source of the staleness of gradients: the simulated steps of the data ranks, or a number
/// of updates that the file states, the same for all or drawn from 0 to that number.
enum class StalenessSource : std::uint8_t { Simulated, Fixed, Uniform };
/// The weight of a gradient that is s updates old: 1; 1 / (1 + s) before the gradient enters
/// momentum (Inverse); or 1 / (1 + s) of the whole step, after momentum (InverseStep).
enum class StalenessWeight : std::uint8_t { None, Inverse, InverseStep };
/// The new gradient's factor in the momentum buffer: 1, or 1 − momentum.
enum class MomentumForm : std::uint8_t { Sum, Average };

/// A `quadratic` block: the loss is half the sum of curvature times x squared, and each x starts at
/// 1.
struct Problem {
  std::string name;
  std::vector<double> curvatures;
  double noise = 0; ///< variance of one coordinate of the gradient of one sample
  GoalKind goal = GoalKind::Distance;
  double goalValue = 0;
  /// Whether the goal is reached only when no later gradient can use parameters that miss it.
  bool steady = false;
  std::uint64_t mostSteps = 1; ///< updates after which the search for the goal is given up
  StalenessSource staleness = StalenessSource::Simulated;
  std::uint64_t updates = 0; ///< staleness of Fixed, the largest of Uniform
  StalenessWeight weight = StalenessWeight::None;
  MomentumForm momentum = MomentumForm::Sum;
  template <class V> void fields(V& v) {
    v("name", name), v("curvatures", curvatures), v("noise", noise), v("goal", goal);
    v("goal_value", goalValue), v("steady", steady), v("max_steps", mostSteps);
    v("staleness", staleness), v("updates", updates), v("staleness_weight", weight);
    v("momentum_form", momentum);
  }
};

/// A binary number format; E4M3, E5M2 and E2M1 name the bits of exponent and mantissa.
enum class NumberFormat : std::uint8_t { FP32, FP16, BF16, E4M3, E5M2, E2M1 };
/// Ring begins at value `firstRank`, goes to the last value and continues with the first, as a ring
/// all-reduce sums one slice.
enum class SumOrder : std::uint8_t { LeftToRight, RightToLeft, Pairwise, Ring };
/// The factor of gradients before they are stored: a number, or one that is halved when a gradient
/// overflows and doubled after `window` steps without an overflow.
enum class LossScaleKind : std::uint8_t { Fixed, Dynamic };

/// A `numbers` block: values in a number format, stored and summed in it.
struct Numbers {
  std::string name;
  std::vector<double> magnitudes;       ///< magnitudes of listed values
  std::vector<std::uint64_t> negatives; ///< 1 for each listed value that is negative, otherwise 0
  double deviation = 0;                 ///< standard deviation of normal values
  NumberFormat format = NumberFormat::FP32;
  SumOrder order = SumOrder::LeftToRight;
  std::uint64_t firstRank = 0;
  LossScaleKind scaling = LossScaleKind::Fixed;
  double scale = 1;         ///< scale of Fixed, first scale of Dynamic
  std::uint64_t window = 1; ///< steps without an overflow before Dynamic doubles
  std::uint64_t steps = 1;  ///< steps that are examined for Dynamic
  template <class V> void fields(V& v) {
    v("name", name), v("magnitudes", magnitudes), v("negatives", negatives);
    v("deviation", deviation), v("format", format), v("order", order);
    v("first_rank", firstRank), v("scaling", scaling), v("scale", scale), v("window", window);
    v("steps", steps);
  }
};

} // namespace dpl::ir
