#pragma once
//===- ClosedForms.h - Stability, noise floor and drift of SGD on a quadratic -----------------===//
#include "simulate/converge/Problem.h"
#include <optional>

namespace dpl::converge {

/// The learning rate below which SGD with momentum is stable on a curvature of 1, with gradients
/// that are always `staleness` = s updates old: the largest x for which all roots of
/// r^(s+1) − (1 + β)·r^s + β·r^(s−1) + x lie in the unit circle. Without momentum it is
/// 2·sin(π / (2·(2s + 1))), without staleness 2·(1 + β).
double stabilityLimit(double momentum, std::uint64_t staleness);

/// The learning rate below which the method is stable: for every staleness up to `most`, or only
/// for the staleness `most` if `alone` is set.
double stableBelow(const Quadratic& problem, const Method& method, std::uint64_t most, bool alone);

/// The expected loss at which gradient noise and descent balance, for gradients that are not stale.
/// Empty if the method is unstable.
std::optional<double> noiseFloor(const Quadratic& problem, const Method& method);

/// The expected squared distance of a worker's parameters from the mean of all `workers` when they
/// average after `period` local steps, as the mean over coordinates. `variance` is the noise
/// variance of one worker's gradient.
double drift(const Quadratic& problem, const Method& method, double variance, std::uint64_t workers,
             std::uint64_t period);

} // namespace dpl::converge
