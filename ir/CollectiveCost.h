#pragma once
//===- CollectiveCost.h - Time and bytes of a collective over a hierarchy ---------------------===//
#include "ir/CollectiveAlgorithm.h"

namespace dpl::ir {

/// A collective over one group while every other group of the same kind runs it too.
struct CollectiveCost {
  double seconds = 0;
  double latency = 0; ///< of `seconds`, what does not depend on the bytes
  Algorithm algorithm = Algorithm::Ring;
  std::vector<double>
      bytesPerLevel; ///< sent by one device over the links of each level, on average
};

/// Time of one algorithm; `seconds` is infinite when it cannot run on this group.
CollectiveCost costOf(CollectiveKind kind, Algorithm algorithm, double bytes, const Group& group,
                      const Cluster& cluster);

/// The fastest algorithm for `bytes` (d, the whole buffer of a rank). A group of one rank costs
/// nothing.
CollectiveCost collectiveCost(CollectiveKind kind, double bytes, const Group& group,
                              const Cluster& cluster);

/// Bytes a second that one device sustains over a level's links: bandwidth × efficiency ÷ taper.
double sustainedBandwidth(const LinkLevel& level);

/// One message between two devices whose innermost common unit is of that level.
double messageTime(double bytes, const LinkLevel& level);

/// §8 of docs/cost-model.md: `count` reductions of `each` seconds, of which one becomes ready every
/// `interval` seconds and the last at count × interval; what remains after the last is ready.
double exposedReductions(double count, double interval, double each);

} // namespace dpl::ir
