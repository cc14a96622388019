#pragma once
//===- OrderStatistics.h - What a barrier waits for -------------------------------------------===//

namespace dpl::cost {

/// E[max of n] / mean for log-normal times of coefficient of variation `cv`: with σ² = ln(1 + cv²),
/// n·∫ e^{−σ²/2 + σx} φ(x) Φ(x)^{n−1} dx, by quadrature. 1 for cv = 0 or n = 1.
/// A pair that was asked for lately is remembered; the value is the same either way.
double barrierAmplification(double cv, double n);

} // namespace dpl::cost
