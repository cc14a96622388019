//===- CollectiveCost.cpp - Time and bytes of a collective over a hierarchy -------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "cost/collectives/Channels.h"
#include "cost/collectives/Torus.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double never = std::numeric_limits<double>::infinity();

double latencyOf(const LinkLevel& level) { return toSeconds(level.latency); }

/// Bytes per second of the links that a pattern uses.
double bandwidthFor(const Pattern& pattern, const GroupShape& shape, std::size_t l,
                    const LinkLevel& level) {
  double sustained = sustainedBandwidth(level, shape, l);
  if (l == 0 && !shape.torus.empty() && (pattern.farther || pattern.rooted))
    sustained *= (pattern.farther ? shareOfExchange(shape.torus) : shareOfMessage(shape.torus)) /
                 shareOfNeighbours(shape.torus);
  if (pattern.atOnce)
    sustained *= moreToAll(level, shape, l);
  return pattern.inSwitch ? sustained / level.efficiency * level.inSwitch : sustained;
}

/// Calls `visit` with the levels whose links a phase uses.
template <class Visit>
void eachLevel(const AlgorithmPhase& phase, const GroupShape& shape, Visit visit) {
  if (!phase.flat)
    return visit(phase.level, LevelLoad{1, 1, 1});
  for (std::size_t l = 0; l <= phase.level; ++l)
    if (const LevelLoad load = phase.pattern->load(shape, l); load.average > 0)
      visit(l, load);
}

/// Adds the load of a phase on links, and calls `visit` with each level that it uses.
template <class Visit>
void addLoad(CollectiveCost& cost, const AlgorithmPhase& phase, double bytes,
             const GroupShape& shape, llvm::ArrayRef<LinkLevel> levels, Visit visit) {
  const double sent = phase.sent() * bytes;
  eachLevel(phase, shape, [&](std::size_t l, const LevelLoad& load) {
    const double seconds = sent * load.port / bandwidthFor(*phase.pattern, shape, l, levels[l]);
    cost.bytesPerLevel[l] += sent * load.average;
    cost.secondsPerLevel[l] += seconds;
    visit(l, load, seconds);
  });
}

/// Adds the phases one after another. In a phase over several levels the busiest level sets the
/// time of the bytes, and the largest latency is that of every step.
void addClosedForm(CollectiveCost& cost, const Phases& phases, double bytes,
                   const GroupShape& shape, llvm::ArrayRef<LinkLevel> levels) {
  for (const AlgorithmPhase& phase : phases) {
    double slowest = 0, latency = 0;
    addLoad(cost, phase, bytes, shape, levels,
            [&](std::size_t l, const LevelLoad&, double seconds) {
              slowest = std::max(slowest, seconds);
              latency = std::max(latency, latencyOf(levels[l]));
            });
    cost.latency += static_cast<double>(phase.steps()) * latency;
    cost.seconds += static_cast<double>(phase.steps()) * latency + slowest;
  }
}

// ---- NCCL

/// Time in which a pipeline of slices fills: this value for scale-up links, the latency for the
/// network. Fitted to measured collectives (docs/reference/accuracy.md).
constexpr double scaleUpFill = 2e-6;
/// Slices are limited by buffers: filling does not grow beyond transfers of this length.
constexpr double longestFilled = 1e-3;

using HopCounts = std::array<double, linkLevelCount>;

/// Bytes of the slices of in-switch sums: a chunk of each rank of a domain on each channel
/// (github.com/NVIDIA/nccl, src/enqueue.cc and src/transport/nvls.cc at 5067397c: thresholds by
/// size, 16 channels for Hopper's 450 GB/s and 32 for twice that, at most 64 KiB between domains).
double sliceInSwitch(double bytes, const GroupShape& shape, const LinkLevel& domain) {
  constexpr double kib = 1024, channel = 450e9 / 16;
  const double chunks =
      static_cast<double>(domain.bandwidth) / 8 / channel * real(shape.inside.front());
  if (shape.ranks() > shape.inside.front())
    return chunks * (bytes < chunks * 64 * kib ? 32 : 64) * kib;
  double chunk = 128 * kib;
  for (const double pieces : {64, 8, 2})
    if (bytes < pieces * chunks * chunk)
      chunk /= 2;
    else
      break;
  return chunks * chunk;
}

/// A level whose links an NCCL algorithm uses: awaited messages, the latency of each, and seconds
/// in which the links carry the bytes at the algorithm's rate.
struct UsedLevel {
  bool inside; ///< inside a scale-up domain
  double hops, latency, seconds;
};

/// Phases of an algorithm that overlap, slice after slice, with any protocol.
class PipelinedPhases {
public:
  PipelinedPhases(const CollectiveCost& cost, const AlgorithmInfo& row, const HopCounts& hops,
                  double filled, double serial, double channels, llvm::ArrayRef<LinkLevel> levels)
      : column(static_cast<std::size_t>(row.hop)),
        overhead(toSeconds(levels.front().collectiveOverhead)), serial(serial), filled(filled),
        channels(channels) {
    for (std::size_t l = 0; l < levels.size(); ++l) {
      if (hops[l] <= 0 && cost.secondsPerLevel[l] <= 0)
        continue;
      const bool inside = levels[l].isScaleUp();
      used.push_back(
          {inside, hops[l], latencyOf(levels[l]), cost.secondsPerLevel[l] / row.reached});
      fill = std::max(fill, inside ? scaleUpFill : used.back().latency);
    }
  }

  /// Uses a protocol if it is faster than those tried so far.
  void tryProtocol(CollectiveCost& cost, const Protocol& protocol) const {
    if (protocol.base[column] == never)
      return;
    double latency = overhead + protocol.base[column] + serial, slowest = channels;
    for (const UsedLevel& level : used) {
      const double hopTime = (level.inside ? protocol.inside : protocol.network)[column];
      latency += level.hops * (hopTime + level.latency);
      slowest = std::max(
          slowest, level.seconds / (level.inside ? protocol.insideShare : protocol.networkShare));
    }
    // k slices of a transfer of T take T + k·fill, and T/k until the last link has the first one;
    // the best k is √(T/fill).
    const double filling = std::max(filled, 2 * std::sqrt(fill * std::min(slowest, longestFilled)));
    const double seconds = latency + slowest + filling;
    if (seconds < cost.seconds)
      cost.seconds = seconds, cost.latency = latency, cost.protocol = &protocol;
  }

private:
  std::size_t column;
  double overhead, serial, filled, channels;
  double fill = 0;
  llvm::SmallVector<UsedLevel, linkLevelCount> used;
};

void addNccl(CollectiveCost& cost, const AlgorithmInfo& row, const Phases& phases, double bytes,
             const GroupShape& shape, llvm::ArrayRef<LinkLevel> levels) {
  HopCounts hops{};
  for (const AlgorithmPhase& phase : phases)
    addLoad(cost, phase, bytes, shape, levels, [&](std::size_t l, const LevelLoad& load, double) {
      hops[l] += static_cast<double>(phase.steps()) * load.hops;
    });
  cost.seconds = never;
  // Slices are gathered, summed and distributed at once: two are in transit while a third is
  // summed.
  const double filled = row.hop == HopKind::Switch
                            ? 2 * cost.secondsPerLevel.front() *
                                  std::min(1.0, sliceInSwitch(bytes, shape, levels.front()) / bytes)
                            : 0;
  const PipelinedPhases pipe(cost, row, hops, filled, row.serial ? row.serial(shape) : 0,
                             channelTime(row.hop, bytes, shape, levels), levels);
  for (const Protocol& protocol : protocols())
    pipe.tryProtocol(cost, protocol);
}
} // namespace

PhaseTime dpl::cost::timeOf(const AlgorithmPhase& phase, double bytes, const GroupShape& shape,
                            llvm::ArrayRef<LinkLevel> levels) {
  CollectiveCost sums;
  PhaseTime time;
  addLoad(sums, phase, bytes, shape, levels, [&](std::size_t l, const LevelLoad&, double) {
    time.latency = std::max(time.latency, latencyOf(levels[l]));
  });
  time.seconds = sums.secondsPerLevel, time.bytes = sums.bytesPerLevel;
  return time;
}

double dpl::cost::sustainedBandwidth(const LinkLevel& level) {
  return static_cast<double>(level.bandwidth) / 8 * level.efficiency * level.inStep / level.taper();
}

double dpl::cost::moreToAll(const LinkLevel& level, const GroupShape& shape, std::size_t l) {
  return level.pair > 0 ? level.taper() / level.taperTo(shape.widthAt(l) - 1) : 1;
}

double dpl::cost::sustainedBandwidth(const LinkLevel& level, const GroupShape& shape,
                                     std::size_t l) {
  const double share = level.peerLinks > 0 ? static_cast<double>(shape.inside[l] - 1) /
                                                 static_cast<double>(level.peerLinks)
                                           : 1;
  const double ofTorus = l == 0 ? shareOfNeighbours(shape.torus) : 1;
  return sustainedBandwidth(level) * std::min(1.0, share) * ofTorus;
}

double dpl::cost::messageTime(double bytes, const LinkLevel& level) {
  static constexpr std::uint64_t two[] = {2};
  return costOf(CollectiveKind::SendReceive, Algorithm::Direct, bytes, {two}, level).seconds;
}

CollectiveCost dpl::cost::costOf(CollectiveKind kind, Algorithm algorithm, double bytes,
                                 const GroupShape& shape, llvm::ArrayRef<LinkLevel> levels) {
  CollectiveCost cost;
  cost.algorithm = algorithm;
  if (shape.ranks() < 2)
    return cost;
  const AlgorithmInfo& row = *algorithms()[static_cast<std::size_t>(algorithm)];
  const Phases phases = phasesOf(kind, algorithm, shape);
  if (phases.empty())
    cost.seconds = never;
  else if (row.nccl && levels.front().library == CollectiveLibrary::Nccl)
    addNccl(cost, row, phases, bytes, shape, levels);
  else
    addClosedForm(cost, phases, bytes, shape, levels);
  return cost;
}

namespace {
/// Bits of the rows that a library has for a kind of collective; the fastest one is chosen.
unsigned rowsFor(CollectiveLibrary library, CollectiveKind kind) {
  constexpr auto libraries = static_cast<std::size_t>(CollectiveLibrary::Nccl) + 1,
                 kinds = static_cast<std::size_t>(CollectiveKind::Reduce) + 1;
  static const auto all = [] {
    std::array<std::array<unsigned, kinds>, libraries> sets{};
    const llvm::ArrayRef<const AlgorithmInfo*> rows = algorithms();
    for (std::size_t i = 0; i < rows.size(); ++i)
      for (std::size_t l = 0; l < libraries; ++l)
        if (!rows[i]->onlyStated && rows[i]->isIn(static_cast<CollectiveLibrary>(l)))
          for (const CollectiveKind done : rows[i]->kinds)
            sets[l][static_cast<std::size_t>(done)] |= 1U << i;
    return sets;
  }();
  return all[static_cast<std::size_t>(library)][static_cast<std::size_t>(kind)];
}

/// Calls `visit` with the cost of each algorithm that is considered.
template <class Visit>
void eachWeighed(CollectiveKind kind, double bytes, const GroupShape& shape,
                 llvm::ArrayRef<LinkLevel> levels, Visit visit) {
  const CollectiveLibrary library = levels.front().library;
  const AlgorithmChoice stated = levels.front().algorithm;
  const bool states = stated != AlgorithmChoice::Fastest;
  const auto named = static_cast<Algorithm>(states ? static_cast<std::size_t>(stated) - 1 : 0);
  if (states && library == CollectiveLibrary::ClosedForm && !phasesOf(kind, named, shape).empty())
    return visit(costOf(kind, named, bytes, shape, levels));
  for (unsigned left = rowsFor(library, kind); left != 0; left &= left - 1) {
    const auto algorithm = static_cast<Algorithm>(std::countr_zero(left));
    if (algorithm == Algorithm::Pat && !levels.front().pat)
      continue;
    // With NCCL a cluster can set only the order of rings.
    const bool reordered =
        states && library == CollectiveLibrary::Nccl && algorithm == Algorithm::Ring;
    visit(costOf(kind, reordered ? named : algorithm, bytes, shape, levels));
  }
}
} // namespace

CollectiveCost dpl::cost::collectiveCost(CollectiveKind kind, double bytes, const GroupShape& shape,
                                         llvm::ArrayRef<LinkLevel> levels) {
  CollectiveCost best;
  if (shape.ranks() < 2)
    return best;
  bool any = false;
  eachWeighed(kind, bytes, shape, levels, [&](const CollectiveCost& cost) {
    if (!any || cost.seconds < best.seconds)
      best = cost;
    any = true;
  });
  if (!any)
    best.seconds = never;
  return best;
}

llvm::SmallVector<CollectiveCost, 8> dpl::cost::algorithmCosts(CollectiveKind kind, double bytes,
                                                               const GroupShape& shape,
                                                               llvm::ArrayRef<LinkLevel> levels) {
  llvm::SmallVector<CollectiveCost, 8> costs;
  if (shape.ranks() > 1)
    eachWeighed(kind, bytes, shape, levels,
                [&](const CollectiveCost& cost) { costs.push_back(cost); });
  return costs;
}

double dpl::cost::busFactor(CollectiveKind kind, double ranks) {
  switch (kind) {
  case CollectiveKind::AllReduce:
    return 2 * (ranks - 1) / ranks;
  case CollectiveKind::AllGather:
  case CollectiveKind::ReduceScatter:
  case CollectiveKind::AllToAll:
    return (ranks - 1) / ranks;
  case CollectiveKind::SendReceive:
  case CollectiveKind::Broadcast:
  case CollectiveKind::Reduce:
    return 1;
  }
  return 1;
}
