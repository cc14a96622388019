#pragma once
//===- OrderStatistics.h - What a barrier waits for -------------------------------------------===//
#include "ir/Cluster.h"

namespace dpl::cost {

/// E[max of n] / mean of times that vary like this on n devices, `inNode` of them in a node. 1
/// where nothing varies or n = 1. A triple that was asked for lately is remembered; the value is
/// the same either way.
///
/// Log-normal, σ² = ln(1 + cv²): n·∫ e^{−σ²/2 + σx} φ(x) Φ(x)^{n−1} dx by quadrature, where a part
/// is common to the devices of a node nested in another over that part. Gamma: ∫ 1 − F(x)^n dx.
/// Exponential beyond a fixed part: 1 + cv·(H_n − 1). Pareto of shape a: (1 − 1/a)·Γ(n + 1)·Γ(1 −
/// 1/a)/Γ(n + 1 − 1/a). A mixture of two log-normals: ∫ 1 − F(x)^n dx; measured times: the sum of
/// each times the probability that the largest of n is it.
double barrierAmplification(const ir::Jitter& jitter, double n, double inNode);

/// The share of one device's times that are above `x` times their mean.
double shareAbove(const ir::Jitter& jitter, double x);

/// The standard deviation over the mean; of Pareto times the shape.
double variation(const ir::Jitter& jitter);

} // namespace dpl::cost
