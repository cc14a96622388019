//===- CollectiveCost.cpp - Time and bytes of a collective over a hierarchy -------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <limits>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
double latencyOf(const LinkLevel& level) { return toSeconds(level.latency); }

/// Of the hops of a ring over the whole group in group order, the share that crosses links of
/// level l and of no outer one. Ranks of a group are contiguous by unit.
double ringHops(const std::vector<std::uint64_t>& inside, std::size_t l, std::size_t spanned) {
  const double below = l == 0 ? 1 : static_cast<double>(inside[l - 1]);
  return 1 / below - (l < spanned ? 1 / static_cast<double>(inside[l]) : 0);
}

/// Of what a rank sends in an all-to-all, the share for peers whose common unit is of level l.
double peerShare(const std::vector<std::uint64_t>& inside, std::size_t l) {
  const double below = l == 0 ? 1 : static_cast<double>(inside[l - 1]);
  const double n = static_cast<double>(inside.back());
  return n > 1 ? (static_cast<double>(inside[l]) - below) / (n - 1) : 0;
}

/// Adds one phase over the whole group: the busiest level sets the pace, every level's latency the
/// step. A unit of r ranks sends through r ports, so a ring's traffic out of it is spread over
/// them.
void addFlat(CollectiveCost& cost, const Phase& phase, double bytes, const Group& group,
             const Cluster& cluster) {
  const double sent = phase.sent() * bytes;
  const bool ring =
      phase.kind == PhaseKind::RingReduceScatter || phase.kind == PhaseKind::RingAllGather;
  double slowest = 0, latency = 0;
  for (std::size_t l = 0; l <= phase.level; ++l) {
    const LinkLevel& level = cluster.levels[l];
    const double share = ring ? ringHops(group.inside, l, phase.level) : peerShare(group.inside, l);
    if (share <= 0)
      continue;
    // A ring leaves a unit once and its parallel copies spread that over the unit's ports.
    const double ports = l == 0 ? 1 : static_cast<double>(group.inside[l - 1]);
    const double carried = ring ? sent / ports : sent * share;
    slowest = std::max(slowest, carried / sustainedBandwidth(level));
    latency = std::max(latency, latencyOf(level));
    cost.bytesPerLevel[l] += sent * share;
  }
  cost.latency += static_cast<double>(phase.steps()) * latency;
  cost.seconds += static_cast<double>(phase.steps()) * latency + slowest;
}
} // namespace

double dpl::cost::sustainedBandwidth(const LinkLevel& level) {
  return static_cast<double>(level.bandwidth) / 8 * level.efficiency / level.oversubscription;
}

double dpl::cost::messageTime(double bytes, const LinkLevel& level) {
  return latencyOf(level) + bytes / sustainedBandwidth(level);
}

CollectiveCost dpl::cost::costOf(CollectiveKind kind, Algorithm algorithm, double bytes,
                                 const Group& group, const Cluster& cluster) {
  CollectiveCost cost;
  cost.algorithm = algorithm;
  cost.bytesPerLevel.assign(cluster.levels.size(), 0);
  if (group.size < 2)
    return cost;
  const std::vector<Phase> phases = phasesOf(kind, algorithm, group.inside);
  if (phases.empty())
    cost.seconds = std::numeric_limits<double>::infinity();
  for (const Phase& phase : phases) {
    if (phase.flat) {
      addFlat(cost, phase, bytes, group, cluster);
      continue;
    }
    const LinkLevel& level = cluster.levels[phase.level];
    const double sent = phase.sent() * bytes;
    const double latency = static_cast<double>(phase.steps()) * latencyOf(level);
    cost.latency += latency;
    cost.seconds += latency + sent / sustainedBandwidth(level);
    cost.bytesPerLevel[phase.level] += sent;
  }
  return cost;
}

CollectiveCost dpl::cost::collectiveCost(CollectiveKind kind, double bytes, const Group& group,
                                         const Cluster& cluster) {
  CollectiveCost best = costOf(kind, Algorithm::Direct, bytes, group, cluster);
  for (Algorithm a : {Algorithm::Ring, Algorithm::Hierarchical, Algorithm::Tree}) {
    CollectiveCost cost = costOf(kind, a, bytes, group, cluster);
    if (cost.seconds < best.seconds)
      best = std::move(cost);
  }
  return best;
}

double dpl::cost::exposedReductions(double count, double interval, double each) {
  if (count <= 0)
    return 0;
  // finish_j = max(ready_j, finish_{j−1}) + each with ready_j = j × interval.
  return each > interval ? count * (each - interval) + interval : each;
}
