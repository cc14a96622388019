//===- JitteredStep.cpp - The mean step of a plan whose devices have jitter -------------------===//
#include "cost/execution/JitteredStep.h"
#include "cost/compute/RelativeTimes.h"
#include "cost/execution/OrderStatistics.h"
#include "cost/execution/SharedJitter.h"
#include "cost/execution/StepSweep.h"
#include "ir/Arithmetic.h"
#include "ir/LockstepGroups.h"
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The step of one column without the optimizer step, in which the computation of ranks is
/// multiplied by factors.
class StepResponse {
public:
  explicit StepResponse(const Plan& of)
      : plan(withoutUpdate(of)), nominal(plan.stagePrograms), sweep(plan) {}

  /// Steps from now on are those of columns whose ranks take these times relative to the plan's.
  void setColumn(std::vector<double> times) {
    equal = std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>()) == times.end();
    relative = std::move(times);
  }
  /// Picoseconds of the step with the factor `factor` on rank `slow` and `others` on all others.
  double at(double others, std::size_t slow, double factor) {
    std::vector<const StepChunks*> of;
    for (const Chunk& chunk : plan.chunks)
      of.push_back(&chunksAt((chunk.rank == slow ? factor : others) * relative[chunk.rank]));
    mixed.mix(of);
    return real(sweep.run(mixed));
  }
  double at(double all) {
    return equal ? real(sweep.run(chunksAt(all * relative.front()))) : at(all, SIZE_MAX, all);
  }

private:
  static Plan withoutUpdate(const Plan& of) {
    Plan out = of;
    out.layout.setsUpdateTime = true, out.layout.update = 0;
    return out;
  }
  const StepChunks& chunksAt(double factor) {
    std::unique_ptr<StepChunks>& chunks = known[factor];
    if (chunks)
      return *chunks;
    chunks = std::make_unique<StepChunks>();
    plan.stagePrograms = nominal;
    for (StageProgram& body : plan.stagePrograms)
      for (SegmentLoop& block : body.loops)
        for (Segment& s : block.segments)
          if (ComputeSegment* const compute = s.asCompute();
              compute && compute->kind != ComputeKind::Offload)
            compute->time = whole(real(compute->time) * factor);
    chunks->addAll(plan, [](const Collective&) { return true; });
    return *chunks;
  }

  Plan plan;
  const std::vector<StageProgram> nominal;
  StepSweep sweep;
  StepChunks mixed;
  std::vector<double> relative{1}; ///< by pipeline rank; one entry if all are equal
  bool equal = true;
  std::map<double, std::unique_ptr<StepChunks>> known; ///< step chunks by factor
};

using RankGroups = std::vector<std::vector<std::size_t>>;
constexpr std::size_t mostResponses = 32; ///< each needs up to five executions of the schedule

/// The ranks in groups that compute equally long, the fastest first.
RankGroups equallyLong(const Plan& plan) {
  std::map<std::uint64_t, std::vector<std::size_t>> byTime;
  for (std::size_t rank = 0; rank < plan.schedule.size(); ++rank) {
    std::uint64_t sum = 0;
    for (const std::uint64_t time : plan.schedule[rank].duration)
      sum += time;
    byTime[sum].push_back(rank);
  }
  RankGroups out;
  for (auto& [time, group] : byTime)
    out.push_back(std::move(group));
  return out;
}

/// The 8 slowest ranks by themselves, and the others in groups of equally many with similar times.
/// The slowest ranks limit the step, so that their responses differ most.
RankGroups similarlyLong(const RankGroups& byTime, std::size_t ranks) {
  constexpr std::size_t slowest = 8;
  RankGroups out(mostResponses);
  std::size_t i = 0;
  for (const std::vector<std::size_t>& group : byTime)
    for (const std::size_t rank : group) {
      const std::size_t others = ranks - slowest, at = i < others
                                                           ? i * (mostResponses - slowest) / others
                                                           : mostResponses + i - ranks;
      out[at].push_back(rank), ++i;
    }
  return out;
}

/// For each rank, the rank whose response is measured in its place: with at most 16 ranks the rank
/// itself, otherwise the nearest of three ranks that compute equally long. If too many ranks would
/// be measured, because most stages differ, it is the middle rank of a group with similar times.
std::vector<std::size_t> standIns(const Plan& plan) {
  constexpr std::size_t few = 16, ofEach = 3;
  const std::size_t ranks = plan.schedule.size();
  std::vector<std::size_t> out(ranks);
  std::iota(out.begin(), out.end(), 0);
  if (ranks <= few)
    return out;
  RankGroups groups = equallyLong(plan);
  std::size_t measured = 0;
  for (const std::vector<std::size_t>& group : groups)
    measured += std::min(ofEach, group.size());
  const bool tooMany = measured > mostResponses;
  if (tooMany)
    groups = similarlyLong(groups, ranks);
  for (const std::vector<std::size_t>& group : groups)
    for (std::size_t i = 0; i < group.size(); ++i) {
      const std::size_t part = std::min(ofEach - 1, i * ofEach / group.size());
      out[group[i]] = group[tooMany ? group.size() / 2 : part * (group.size() - 1) / (ofEach - 1)];
    }
  return out;
}

/// The response of the step to one slow or one fast rank.
RankResponse responseOf(StepResponse& step, std::size_t rank, double base, double mean, double low,
                        const std::vector<double>& knots) {
  RankResponse out;
  out.always = std::max(0.0, (base - step.at(mean, rank, low)) / (mean - low));
  double before = 0, at = mean;
  for (const double knot : knots) {
    const double more =
        std::max(before, step.at(mean, rank, knot) - base - out.always * (knot - mean));
    out.slopes.push_back((more - before) / (knot - at));
    before = more, at = knot;
  }
  return out;
}

/// A factor below the mean: one of ten draws is below it or, if such a factor is not below the
/// mean, one of a million draws. None if the factor does not vary.
std::optional<double> belowMean(const SlowestDeviceDistribution& law) {
  for (const double share : {0.9, 1 - 1e-6})
    if (const double value = law.exceededBy(share); value < law.mean())
      return value;
  return std::nullopt;
}

/// The factors at which responses are evaluated: up to beyond the slowest of `all` draws, and at
/// the factor of a rare slow device, which most steps do not have.
std::vector<double> knotsOf(const SlowestDeviceDistribution& law, const Jitter& jitter,
                            double all) {
  const double mean = law.mean(), most = std::max(law.exceededBy(0.5 / all), mean * 1.0001);
  std::vector<double> knots = {mean + (most - mean) / 3, mean + (most - mean) / 1.5,
                               most + (most - mean) / 2};
  const double rare = jitter.kind == JitterKind::Rare       ? jitter.share
                      : jitter.kind == JitterKind::Measured ? 1 / real(jitter.times.size())
                                                            : 1;
  if (const double slow = law.exceededBy(rare / 2); slow > 1.001 * knots.back())
    knots.push_back(slow);
  return knots;
}

/// Columns whose ranks have equally many devices of each relative time.
struct ColumnKind {
  std::shared_ptr<const SlowestDeviceDistribution> law; ///< of its slowest rank
  std::vector<double> relative; ///< by pipeline rank, its mean factor relative to that of `law`
  double columns = 0;
};

/// Finds the kinds of columns. With more than a few kinds, all devices count as slow as those that
/// set the pace of the plan.
class ColumnKinds {
public:
  ColumnKinds(const Plan& plan, const std::vector<std::vector<std::uint32_t>>& joined,
              const RelativeTimes& times, double inNode)
      : jitter(plan.cluster.jitter), inNode(inNode), grid(plan) {
    constexpr std::size_t few = 8;
    std::map<std::vector<DeviceCounts>, double> known;
    if (times.differ())
      for (const std::vector<std::uint32_t>& column : joined)
        ++known[countsOf(column, times)];
    if (known.empty() || known.size() > few)
      known = {{std::vector<DeviceCounts>(grid.ranks, {{1, real(joined.front().size())}}),
                real(joined.size())}};
    for (const auto& [ranks, columns] : known)
      add(ranks, columns);
  }
  std::vector<ColumnKind> kinds;

private:
  using DeviceCounts = std::map<double, double>; ///< number of devices by relative time
  using Law = std::shared_ptr<const SlowestDeviceDistribution>;

  std::vector<DeviceCounts> countsOf(const std::vector<std::uint32_t>& column,
                                     const RelativeTimes& times) const {
    std::vector<DeviceCounts> out(grid.ranks);
    for (std::uint32_t rank = 0; rank < grid.ranks; ++rank)
      for (const std::uint32_t replica : column)
        ++out[rank][times.of(rank, grid.deviceOf(replica, rank))];
    return out;
  }
  const Law& lawOf(const DeviceCounts& counts) {
    Law& law = laws[counts];
    if (!law) {
      std::vector<RelativeDevices> all;
      for (const auto& [relative, devices] : counts)
        all.push_back({relative, devices});
      law = std::make_shared<const SlowestDeviceDistribution>(jitter, all, inNode);
    }
    return law;
  }
  void add(const std::vector<DeviceCounts>& ranks, double columns) {
    ColumnKind& kind = kinds.emplace_back();
    kind.columns = columns;
    for (const DeviceCounts& counts : ranks)
      if (const Law& law = lawOf(counts); !kind.law || law->mean() > kind.law->mean())
        kind.law = law;
    for (const DeviceCounts& counts : ranks)
      kind.relative.push_back(lawOf(counts)->mean() / kind.law->mean());
  }

  const Jitter& jitter;
  const double inNode;
  const PipelineReplicas grid;
  std::map<DeviceCounts, Law> laws;
};

/// The pipeline ranks whose response is measured, how many ranks each stands for, and the index of
/// each rank's response.
struct MeasuredRanks {
  std::vector<std::size_t> ranks, counts, indexOf;
};
MeasuredRanks measuredRanksOf(const Plan& plan) {
  MeasuredRanks out;
  std::map<std::size_t, std::size_t> index;
  for (const std::size_t like : standIns(plan)) {
    const auto [at, isNew] = index.try_emplace(like, out.ranks.size());
    if (isNew)
      out.ranks.push_back(like), out.counts.push_back(0);
    ++out.counts[at->second];
    out.indexOf.push_back(at->second);
  }
  return out;
}

/// The distribution of the columns of a kind; `all` is the number of ranks of all columns.
SlowestReplicaDistribution replicaOf(StepResponse& step, const ColumnKind& kind,
                                     const Jitter& jitter, const MeasuredRanks& measured,
                                     double all) {
  const SlowestDeviceDistribution& law = *kind.law;
  const double mean = law.mean();
  const std::vector<double> knots = knotsOf(law, jitter, all);
  SlowestReplicaDistribution out(law, mean, knots);
  step.setColumn(kind.relative);
  out.base = step.at(mean);
  const std::optional<double> low = belowMean(law);
  if (!low)
    return out;
  out.allFast = step.at(*low), out.fast = *low;
  for (std::size_t i = 0; i < measured.ranks.size(); ++i) {
    out.ranks.push_back(responseOf(step, measured.ranks[i], out.base, mean, *low, knots));
    out.ranks.back().ranks = measured.counts[i];
  }
  return out;
}

/// The mean time until the slowest column reaches the barrier, ps. `joined` has, for each column,
/// the columns of single devices that it consists of.
double meanToBarrier(const Plan& plan, StepResponse& step,
                     const std::vector<std::vector<std::uint32_t>>& joined) {
  const Jitter& jitter = plan.cluster.jitter;
  const double devices = real(joined.front().size());
  const double all = real(joined.size()) * real(plan.schedule.size());
  const RelativeTimes times(plan);
  const bool common = jitter.kind == JitterKind::LogNormal && jitter.node > 0;
  const ReplicaSet set = common ? replicaSetOf(plan, joined, times) : ReplicaSet();
  const double inNode = common ? devices / real(set.replicas.front().front().size()) : 1;
  const MeasuredRanks measured = measuredRanksOf(plan);
  if (set.shares()) {
    const ColumnKind slow{std::make_shared<SlowestDeviceDistribution>(jitter, devices, inNode),
                          std::vector<double>(plan.schedule.size(), 1), real(joined.size())};
    SlowestReplicaDistribution replica = replicaOf(step, slow, jitter, measured, all);
    if (replica.ranks.empty())
      return replica.base;
    replica.slow = knotsOf(*slow.law, jitter, all)[1], replica.allSlow = step.at(replica.slow);
    return meanOfSlowest(replica, measured.indexOf, set, jitter);
  }
  const ColumnKinds columns(plan, joined, times, inNode);
  std::vector<SlowestReplicaDistribution> replicas;
  replicas.reserve(columns.kinds.size());
  std::vector<EqualColumns> varying;
  double constant = 0, most = 0; // ps of the slowest column that does not vary, or of any
  for (const ColumnKind& kind : columns.kinds) {
    replicas.push_back(replicaOf(step, kind, jitter, measured, all));
    if (replicas.back().ranks.empty())
      constant = std::max(constant, replicas.back().base);
    else
      varying.push_back({&replicas.back(), kind.columns});
    if (kind.law->discrete)
      most = std::max(most, step.at(kind.law->values.back()));
  }
  if (varying.empty())
    return constant;
  // With one pipeline rank whose whole computation is waited for, the step is a single barrier.
  if (const RankResponse& only = replicas.front().ranks.front();
      !times.differ() && plan.schedule.size() == 1 &&
      *std::max_element(only.slopes.begin(), only.slopes.end()) <= 1e-6 * only.always)
    return replicas.front().base +
           only.always * (barrierAmplification(jitter, real(plan.cluster.devices()),
                                               real(plan.cluster.gpusPerNode)) -
                          columns.kinds.front().law->mean());
  const double largest = meanOfLargest(varying);
  // SlowestReplicaDistribution takes sums as normally distributed, which have no largest value.
  return most > 0 ? std::min(largest, most) : largest;
}
} // namespace

double dpl::cost::jitterOf(const Plan& plan) {
  const Jitter& jitter = plan.cluster.jitter;
  const double devices = real(plan.cluster.devices()), inNode = real(plan.cluster.gpusPerNode);
  if (!jitter.varies())
    return 0;
  const double full = real(endOfSchedule(plan));
  const double barrier = barrierAmplification(jitter, devices, inNode) - 1;
  // A synchronization mode other than a barrier has a simulation of its own.
  if (!plan.layout.dataRanks.empty() || plan.chunkPrograms.empty())
    return full * barrier;
  StepResponse step(plan);
  const double steady = step.at(1);
  const double waits =
      meanToBarrier(plan, step, joinedReplicas(plan, synchronizingGroups(plan))) - steady;
  // After the barrier the step waits for the slowest optimizer step.
  return std::max(0.0, waits) + std::max(0.0, full - steady) * barrier;
}
