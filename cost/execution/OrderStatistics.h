#pragma once
//===- OrderStatistics.h - The mean of the slowest of n devices -------------------------------===//
#include "ir/Cluster.h"

namespace dpl::cost {

/// E[max of n] / mean for n devices with this jitter, `inNode` of them per node. 1 without jitter
/// or for n = 1. Recent results are cached.
///
/// Log-normal, σ² = ln(1 + cv²): n·∫ e^{−σ²/2 + σx} φ(x) Φ(x)^{n−1} dx by quadrature, with an inner
/// integral over the part that the devices of a node share. Gamma: ∫ 1 − F(x)^n dx. Exponential
/// above a fixed part: 1 + cv·(H_n − 1). Pareto of shape a: (1 − 1/a)·Γ(n + 1)·Γ(1 − 1/a)/Γ(n + 1 −
/// 1/a). Mixture of two log-normals: ∫ 1 − F(x)^n dx. Measured times: the sum of each time
/// multiplied by the probability that it is the largest of n.
double barrierAmplification(const ir::Jitter& jitter, double n, double inNode);

/// The share of one device's times above `x` times their mean.
double shareAbove(const ir::Jitter& jitter, double x);

/// Standard deviation divided by the mean; for Pareto times the shape.
double variation(const ir::Jitter& jitter);

} // namespace dpl::cost
