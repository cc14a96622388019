//===- PartitionTest.cpp - Splits of layers against all splits --------------------------------===//
//
// Of random costs: what is exact is held to every split there is, on its own objective; what is
// executed to the fastest of all. DPL_PROPERTY_PLANS sets how many cases are made (1,000).
#include "cost/execution/RankSchedules.h"
#include "cost/execution/StepSweep.h"
#include "cost/partition/LayerSplits.h"
#include "cost/partition/SplitRun.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <numeric>

using namespace dpl;
using namespace dpl::cost;
using ir::ScheduleKind;

namespace {
std::uint64_t casesToMake() {
  return std::getenv("DPL_PROPERTY_PLANS") ? test::plansToMake() : 1000;
}

/// Costs of small layers on the stages of a schedule: equal ones, two kinds or all different.
struct Case {
  PipelineShape shape;
  StageCosts costs;
  bool overlapped = true;

  Case(test::Random& random, PipelineShape of, std::uint64_t layers, std::uint64_t kinds)
      : shape(of) {
    costs.placement = of.placement();
    costs.microBatches = of.microBatches;
    costs.hasEnds = !random.oneIn(8);
    overlapped = !random.oneIn(4);
    const std::uint64_t sort = random.below(3);
    for (std::uint64_t i = 0; i < layers; ++i)
      base.push_back(sort == 0   ? 300
                     : sort == 1 ? (i * 4 < layers ? 300 : random.size({450, 600}))
                                 : 100 + random.below(900));
    const std::uint64_t restored = random.oneIn(4) ? 5 + random.below(20) : 0;
    const std::uint64_t head = costs.hasEnds ? random.below(4) * 300 + random.below(300) : 0;
    for (std::uint64_t k = 0; k < kinds; ++k) {
      StageCosts::RankCostSums kind;
      const std::uint64_t pace = 2 + k;
      kind.time = kind.state = kind.saved = kind.restored = {0};
      for (const std::uint64_t time : base) {
        kind.time.push_back(kind.time.back() + 3 * time * pace);
        kind.state.push_back(kind.state.back() + 50 + time / 10);
        kind.saved.push_back(kind.saved.back() + 10);
        kind.restored.push_back(kind.restored.back() + restored);
      }
      if (costs.hasEnds)
        kind.first = {3 * 20 * pace, 40, 2, 0}, kind.last = {3 * head * pace, 80, 5, 30};
      costs.rankCostSums.push_back(kind);
    }
    for (std::uint64_t rank = 0; rank < costs.placement.ranks; ++rank)
      costs.rankCostSumsOf.push_back(random.below(kinds)), costs.room.push_back(1 << 20);
    for (std::uint64_t copy = 0; copy < costs.placement.stageReplicas(); ++copy) {
      costs.live.push_back(1 + random.below(costs.placement.ranks));
      costs.restored.push_back(restored > 0 ? 1 + random.below(costs.live.back()) : 0);
    }
    const std::uint64_t send = random.size({0, 10, 200});
    for (std::uint64_t stage = 0; stage < costs.stages(); ++stage)
      costs.message.push_back(2 * send);
  }

  /// Takes memory away, so that some splits do not fit.
  void limit(test::Random& random) {
    for (std::uint64_t& room : costs.room)
      room = 200 + random.below(900);
  }

  template <class Visit> void eachSplit(const Visit& visit) const {
    LayerSplit split(costs.stages(), 0);
    const auto place = [&](const auto& self, std::size_t stage, std::uint64_t left) -> void {
      const std::uint64_t least = costs.leastLayers(stage);
      if (stage + 1 == split.size()) {
        split[stage] = left;
        if (left >= least)
          visit(split);
        return;
      }
      for (std::uint64_t n = least; n <= left; ++n)
        split[stage] = n, self(self, stage + 1, left - n);
    };
    place(place, 0, costs.layers());
  }

private:
  std::vector<std::uint64_t> base;
};

/// Executes splits of a case, a third of a pass forward.
class Runner {
public:
  explicit Runner(const Case& of) : of(of), stages(of.costs.stageCosts()) {
    const PerRankSchedules lists = perRankSchedules(of.shape);
    const std::vector<llvm::ArrayRef<ir::ScheduledAction>> views(lists.begin(), lists.end());
    const std::vector<ChunkTime> noTimes(of.costs.placement.stageReplicas());
    Executor run;
    run.run(of.costs.placement, of.shape.microBatches, views, noTimes, true);
    order = std::make_unique<StoredOrder>(of.costs.placement, of.shape.microBatches, lists, run);
  }
  std::uint64_t step(const LayerSplit& split) {
    std::vector<ChunkTime> times(of.costs.placement.stageReplicas());
    for (std::size_t stage = 0, begin = 0; stage < split.size(); begin += split[stage++])
      for (std::size_t d = 0; d < stages[stage].replicas.size(); ++d) {
        const std::uint64_t both = stages[stage].replicas[d].time(begin, begin + split[stage]);
        ChunkTime& time = times[d * stages.size() + stage];
        time.forward = both / 3, time.backward = both - both / 3, time.weight = both / 3;
        time.sendForward = stage + 1 < split.size() ? of.costs.message[stage] / 2 : 0;
        time.sendBackward = stage > 0 ? of.costs.message[stage - 1] / 2 : 0;
      }
    order->sweep(times, of.overlapped);
    std::uint64_t end = 0;
    for (const SweptRank& rank : order->ranks())
      end = std::max(end, rank.end);
    return end;
  }

private:
  const Case& of;
  std::vector<StageCost> stages;
  std::unique_ptr<StoredOrder> order;
};

/// The slowest stage, then the sum of all; nothing where a stage does not fit.
std::optional<std::pair<std::uint64_t, std::uint64_t>> objective(const Case& of,
                                                                 const LayerSplit& split) {
  const std::vector<StageCost> stages = of.costs.stageCosts();
  std::uint64_t slowest = 0, sum = 0;
  for (std::size_t stage = 0, begin = 0; stage < split.size(); begin += split[stage++]) {
    if (stages[stage].lacks(begin, begin + split[stage]) > 0)
      return std::nullopt;
    const std::uint64_t time = stages[stage].time(begin, begin + split[stage]);
    slowest = std::max(slowest, time), sum += time;
  }
  return std::pair(slowest, sum);
}
} // namespace

TEST(Partition, IsTheBestOfAllSplits) {
  test::Random random(1);
  std::uint64_t limited = 0;
  for (std::uint64_t made = 0; made < casesToMake(); ++made) {
    const std::uint64_t ranks = 1 + random.below(5);
    Case of(random, {ScheduleKind::OneForwardOneBackward, ranks, 1, 8}, ranks + random.below(8),
            1 + random.below(2));
    if (random.oneIn(2))
      of.limit(random);
    std::optional<std::pair<std::uint64_t, std::uint64_t>> best;
    of.eachSplit([&](const LayerSplit& split) {
      if (const auto value = objective(of, split); value && (!best || *value < *best))
        best = value;
    });
    const std::optional<std::uint64_t> slowest = leastSlowest(of.costs);
    ASSERT_EQ(slowest.has_value(), best.has_value()) << made;
    limited += best ? 0 : 1;
    if (!best)
      continue;
    ASSERT_EQ(*slowest, best->first) << made;
    const std::optional<LayerSplit> found = leastSum(of.costs, *slowest);
    ASSERT_TRUE(found) << made;
    ASSERT_EQ(objective(of, *found), best) << made;
  }
  EXPECT_GT(limited, 0U);
}

TEST(Partition, OfTheWay_IsTheLeastBoundOfAllSplits) {
  test::Random random(2);
  for (std::uint64_t made = 0; made < casesToMake(); ++made) {
    const std::uint64_t ranks = 2 + random.below(4), m = ranks + random.below(16);
    Case of(random, {ScheduleKind::OneForwardOneBackward, ranks, 1, m}, ranks + random.below(8), 1);
    RankCosts costs(of.costs);
    std::uint64_t least = UINT64_MAX;
    of.eachSplit([&](const LayerSplit& split) { least = std::min(least, costs.bound(split)); });
    ASSERT_EQ(costs.bound(*leastBusiest(of.costs)), least) << made;
  }
}

TEST(Partition, OfTheSlowestRank_NeverPassesItsBounds) {
  test::Random random(3);
  std::uint64_t proven = 0, exact = 0;
  for (std::uint64_t made = 0; made < casesToMake(); ++made) {
    const auto kind = random.pick({ScheduleKind::Interleaved, ScheduleKind::VHalf});
    const std::uint64_t ranks = 2 + random.below(2);
    Case of(random, {kind, ranks, 2, 4 * ranks}, 2 * ranks + random.below(5), 1);
    RankCosts costs(of.costs);
    std::uint64_t least = UINT64_MAX;
    of.eachSplit([&](const LayerSplit& split) { least = std::min(least, costs.slowest(split)); });
    const LayerSplit from = *leastSum(of.costs, *leastSlowest(of.costs));
    const SlowestRank found = leastSlowestRank(of.costs, from);
    ASSERT_EQ(found.time, costs.slowest(found.split)) << made;
    ASSERT_GE(found.time, least) << made;
    ASSERT_LE(found.least, least) << made;
    proven += found.time == found.least, exact += found.time == least;
  }
  EXPECT_GE(exact * 100, casesToMake() * 99);
  RecordProperty("proven", static_cast<int>(proven));
  RecordProperty("exact", static_cast<int>(exact));
}

namespace {
/// How far the chosen splits of a schedule are behind the fastest of all, in rising order, and
/// those with the least slowest stage.
struct Behind {
  std::vector<double> chosen, leastSlowest;
  std::uint64_t executed = 0;

  Behind(ScheduleKind kind, std::uint64_t cases) {
    test::Random random(4);
    const std::uint64_t chunks = ir::chunksOf(kind) == 0 ? 2 : ir::chunksOf(kind);
    for (std::uint64_t made = 0; made < cases; ++made) {
      PipelineShape shape{kind, 2, chunks, 4};
      do {
        shape.ranks = 2 + random.below(chunks == 1 ? 4 : 2);
        shape.microBatches = shape.ranks * random.size({2, 4, 8});
      } while (scheduleInfo(kind).legal(shape) != ScheduleRule::Legal);
      const Case of(random, shape, shape.placement().stages() + random.below(8), 1);
      Runner runner(of);
      std::uint64_t fastest = UINT64_MAX;
      of.eachSplit(
          [&](const LayerSplit& split) { fastest = std::min(fastest, runner.step(split)); });
      const ChosenSplit found = chooseSplit(of.costs, {}, 96, [&](const LayerSplit& split) {
        return std::optional(SplitOutcome{0, runner.step(split)});
      });
      const auto behind = [&](const SplitOutcome& outcome) {
        return static_cast<double>(outcome.step) / static_cast<double>(fastest) - 1;
      };
      chosen.push_back(behind(*found.outcome));
      leastSlowest.push_back(behind(*found.evenest));
      executed += found.executed;
    }
    std::sort(chosen.begin(), chosen.end());
    std::sort(leastSlowest.begin(), leastSlowest.end());
  }
  double usual() const { return chosen[chosen.size() * 99 / 100]; }
};
} // namespace

TEST(Partition, ExecutedOf1F1B_IsNearTheFastestOfAllSplits) {
  const Behind behind(ScheduleKind::OneForwardOneBackward, casesToMake());
  EXPECT_LE(behind.usual(), 0.01);
  const auto slower = std::count_if(behind.leastSlowest.begin(), behind.leastSlowest.end(),
                                    [](double by) { return by > 0; });
  RecordProperty("usual", std::to_string(behind.usual()));
  RecordProperty("most", std::to_string(behind.chosen.back()));
  RecordProperty("least_slowest_is_slower", static_cast<int>(slower));
  RecordProperty("least_slowest_most", std::to_string(behind.leastSlowest.back()));
  RecordProperty("executed", static_cast<int>(behind.executed));
}

TEST(Partition, ExecutedOfOtherSchedules_IsNearTheFastestOfAllSplits) {
  for (const auto& [kind, most] : {std::pair(ScheduleKind::GPipe, 0.01),
                                   {ScheduleKind::ZeroBubbleH1, 0.01},
                                   {ScheduleKind::Interleaved, 0.02},
                                   {ScheduleKind::VHalf, 0.06},
                                   {ScheduleKind::DualPipeV, 0.02},
                                   {ScheduleKind::DualPipe, 0.02}}) {
    const Behind behind(kind, casesToMake() / 5);
    EXPECT_LE(behind.usual(), most) << ir::name(kind);
    RecordProperty(ir::name(kind), std::to_string(behind.usual()) + ", at most " +
                                       std::to_string(behind.chosen.back()));
  }
}

TEST(Partition, OfAPlan_HasTheStepThatThePassesWrite) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    plan.layout.split = ir::SplitKind::Balanced;
    plan.layout.splitLayers.clear();
    plan.layout.embeddingSlots = plan.layout.headSlots = 0;
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed() || plan.splitChoice.empty())
      continue;
    const ir::SplitChoice& choice = plan.splitChoice.front();
    ASSERT_EQ(choice.step, endOfSchedule(plan)) << seed;
    ASSERT_LE(choice.step, choice.leastSlowest) << seed;
    ASSERT_LE(choice.least, choice.slowest) << seed;
    if (choice.even > 0) {
      ASSERT_LE(choice.step, choice.even) << seed; // nothing lacks memory
    }
    ++compared;
  }
  EXPECT_GE(compared * 4, test::plansToMake());
}

/// Of rows that find an order by what passes take: with more passes than are put in order for a
/// split a shorter step is, and the rest is as long as its middle.
TEST(Partition, OfAStepThatIsCutShort_IsNearlyTheStepThatThePassesWrite) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; compared < 4; ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    if (!scheduleInfo(plan.layout.schedule).byTime)
      continue;
    plan.layout.split = ir::SplitKind::Balanced;
    plan.layout.splitLayers.clear();
    plan.layout.embeddingSlots = plan.layout.headSlots = 0;
    DiagnosticEngine unheard;
    ir::Plan whole = plan;
    if (runPipeline(whole, unheard, {}).failed() || whole.splitChoice.empty())
      continue;
    plan.layout.batch *=
        2 * mostActionsByTime / (whole.mesh.microBatches * whole.chunks.size()) + 1;
    if (runPipeline(plan, unheard, {}).failed() || plan.splitChoice.empty())
      continue;
    ASSERT_LT(splitMicroBatches(plan), plan.mesh.microBatches) << seed;
    const auto step = static_cast<double>(endOfSchedule(plan));
    EXPECT_NEAR(static_cast<double>(plan.splitChoice.front().step), step, step * 0.01)
        << seed << ", " << ir::name(plan.layout.schedule);
    ++compared;
  }
}

TEST(Partition, AFairSplit_KeepsWhatStagesNeed) {
  test::Random random(5);
  for (std::uint64_t made = 0; made < casesToMake(); ++made) {
    const std::uint64_t ranks = 1 + random.below(9);
    Case of(random, {ScheduleKind::OneForwardOneBackward, ranks, 1, 8}, ranks + random.below(30),
            1 + random.below(2));
    const LayerSplit fair = fairSplit(of.costs);
    ASSERT_EQ(fair.size(), ranks) << made;
    ASSERT_EQ(std::accumulate(fair.begin(), fair.end(), std::uint64_t{0}), of.costs.layers());
    for (std::uint64_t stage = 0; stage < ranks; ++stage)
      ASSERT_GE(fair[stage], of.costs.leastLayers(stage)) << made;
    // No rank is more than one layer above its share.
    RankCosts costs(of.costs);
    std::uint64_t longest = 0;
    for (const StageCosts::RankCostSums& kind : of.costs.rankCostSums)
      for (std::size_t i = 0; i + 1 < kind.time.size(); ++i)
        longest = std::max(longest, kind.time[i + 1] - kind.time[i]);
    if (of.costs.rankCostSums.size() == 1) {
      const std::uint64_t ends =
          of.costs.rankCostSums[0].first.time + of.costs.rankCostSums[0].last.time;
      ASSERT_LE(costs.slowest(fair),
                (of.costs.rankCostSums[0].time.back() + ends) / ranks + longest + ends)
          << made;
    }
  }
}
