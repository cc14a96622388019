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

/// Adds one phase over the whole group: the busiest level sets the pace, every level's latency the
/// step.
void addFlat(CollectiveCost& cost, const Phase& phase, double bytes, const GroupShape& shape,
             llvm::ArrayRef<LinkLevel> levels) {
  const double sent = phase.sent() * bytes;
  double slowest = 0, latency = 0;
  for (std::size_t l = 0; l <= phase.level; ++l) {
    const Load load = phase.pattern->load(shape, l);
    if (load.average <= 0)
      continue;
    slowest = std::max(slowest, sent * load.port / sustainedBandwidth(levels[l]));
    latency = std::max(latency, latencyOf(levels[l]));
    cost.bytesPerLevel[l] += sent * load.average;
  }
  cost.latency += static_cast<double>(phase.steps()) * latency;
  cost.seconds += static_cast<double>(phase.steps()) * latency + slowest;
}

/// Adds one phase whose messages all cross the links of one level.
void addInside(CollectiveCost& cost, const Phase& phase, double bytes,
               llvm::ArrayRef<LinkLevel> levels) {
  const LinkLevel& level = levels[phase.level];
  const double sent = phase.sent() * bytes;
  const double latency = static_cast<double>(phase.steps()) * latencyOf(level);
  cost.latency += latency;
  cost.seconds += latency + sent / sustainedBandwidth(level);
  cost.bytesPerLevel[phase.level] += sent;
}
} // namespace

double dpl::cost::sustainedBandwidth(const LinkLevel& level) {
  return static_cast<double>(level.bandwidth) / 8 * level.efficiency / level.oversubscription;
}

double dpl::cost::messageTime(double bytes, const LinkLevel& level) {
  return latencyOf(level) + bytes / sustainedBandwidth(level);
}

CollectiveCost dpl::cost::costOf(CollectiveKind kind, Algorithm algorithm, double bytes,
                                 const GroupShape& shape, llvm::ArrayRef<LinkLevel> levels) {
  CollectiveCost cost;
  cost.algorithm = algorithm;
  if (shape.ranks() < 2)
    return cost;
  const Phases phases = phasesOf(kind, algorithm, shape);
  if (phases.empty())
    cost.seconds = std::numeric_limits<double>::infinity();
  for (const Phase& phase : phases) {
    if (phase.flat)
      addFlat(cost, phase, bytes, shape, levels);
    else
      addInside(cost, phase, bytes, levels);
  }
  return cost;
}

CollectiveCost dpl::cost::collectiveCost(CollectiveKind kind, double bytes, const GroupShape& shape,
                                         llvm::ArrayRef<LinkLevel> levels) {
  CollectiveCost best;
  if (shape.ranks() > 1)
    best.seconds = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < algorithms().size(); ++i) {
    if (!algorithms()[i]->does(kind))
      continue;
    const CollectiveCost cost = costOf(kind, static_cast<Algorithm>(i), bytes, shape, levels);
    if (cost.seconds < best.seconds)
      best = cost;
  }
  return best;
}
