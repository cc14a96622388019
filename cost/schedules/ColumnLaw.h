#pragma once
//===- ColumnLaw.h - The largest of many columns of varying ranks -----------------------------===//
#include "cost/JitterLaw.h"
#include <cstddef>
#include <vector>

namespace dpl::cost {

/// How the step of a column responds to the factor of one of its ranks.
struct RankResponse {
  std::size_t ranks = 1; ///< that respond so
  /// ps by unit of its factor that the step is longer whoever is the slowest: its part of filling
  /// and draining the pipeline.
  double always = 0;
  /// The same in addition where the rank is the slowest of its column, between the knots.
  std::vector<double> slopes;
};

/// The step of a column as `base`, plus what each rank adds always, plus the largest of what one
/// of them adds as the slowest. The factor of whoever adds most is integrated over; the others then
/// are at most as slow, and the sum of what they add is taken as normal.
class ColumnLaw {
public:
  /// `law` is that of the factor of each rank, `mean` its mean, `knots` above it in rising order.
  ColumnLaw(const JitterLaw& law, double mean, std::vector<double> knots)
      : law(law), mean(mean), knots(std::move(knots)) {}
  /// ps of the largest of so many columns, on average.
  double meanOfLargest(double columns) const;

  double base = 0;              ///< ps, all ranks at their mean
  double allFast = 0, fast = 1; ///< ps with all ranks at the factor `fast`
  std::vector<RankResponse> ranks;
  /// Variance of the logarithm of a further log-normal factor, of mean 1, which all ranks of `each`
  /// columns have in common.
  double common = 0, each = 1;

private:
  struct Part {
    double weight = 0, mean = 0, deviation = 0;
  };
  double addsAt(const RankResponse& rank, double factor) const;
  std::vector<Part> parts() const;
  double withCommon(const std::vector<double>& at, const std::vector<double>& above,
                    double columns) const;
  const JitterLaw& law;
  double mean;
  std::vector<double> knots;
};

} // namespace dpl::cost
