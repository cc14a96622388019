#pragma once
//===- SlowestReplicaDistribution.h - Distribution of the slowest column ----------------------===//
#include "cost/execution/SlowestDeviceDistribution.h"
#include <cstddef>
#include <vector>

namespace dpl::cost {

/// The effect of a rank's jitter factor on the step of its column (one device of each pipeline
/// rank).
struct RankResponse {
  std::size_t ranks = 1; ///< number of ranks with this response
  /// Picoseconds per unit of its factor that the step gets longer whichever rank is the slowest:
  /// its part of the pipeline's warm-up and cool-down.
  double always = 0;
  /// Further picoseconds per unit of its factor if the rank is the slowest of its column, one slope
  /// for each interval between the knots.
  std::vector<double> slopes;
};

/// The step of a column is `base`, plus the part that each rank always adds, plus the largest part
/// that one rank adds as the slowest. The distribution is integrated over the factor of that
/// slowest rank. The other ranks are at most as slow, and the sum of their parts is taken as
/// normally distributed.
class SlowestReplicaDistribution {
public:
  /// `law` is the distribution of each rank's factor, `mean` its mean; `knots` are factors above
  /// the mean in rising order.
  SlowestReplicaDistribution(const SlowestDeviceDistribution& law, double mean,
                             std::vector<double> knots)
      : distribution(law), mean(mean), knots(std::move(knots)) {}
  /// The mean of the slowest of `columns` columns, ps.
  double meanOfLargest(double columns) const;
  /// The step of a column whose pipeline ranks have these factors, ps. `responses` has the index of
  /// each rank's response in `ranks`.
  double stepAt(const std::vector<double>& factors,
                const std::vector<std::size_t>& responses) const;

  double base = 0;              ///< ps, all ranks at their mean
  double allFast = 0, fast = 1; ///< ps if all ranks have the factor `fast`
  double allSlow = 0, slow = 2; ///< ps if all ranks have the factor `slow`; used by `stepAt` only
  std::vector<RankResponse> ranks;

  struct RankContribution {
    double weight = 0, mean = 0, deviation = 0;
  };
  /// The time of a column as a mixture of normal distributions.
  std::vector<RankContribution> contributions() const;
  bool isDiscrete() const { return distribution.discrete; }

private:
  double addsAt(const RankResponse& rank, double factor) const;
  /// The part that even the fastest columns add.
  double leastAdded() const;
  /// Picoseconds by which the parts of all ranks at the factor `slow` exceed `allSlow`.
  double countedTwice() const;
  const SlowestDeviceDistribution& distribution;
  double mean;
  std::vector<double> knots;
};

/// A number of columns with the same distribution.
struct EqualColumns {
  const SlowestReplicaDistribution* replica = nullptr;
  double columns = 0;
};
/// The mean of the slowest of all columns, ps.
double meanOfLargest(const std::vector<EqualColumns>& all);

} // namespace dpl::cost
