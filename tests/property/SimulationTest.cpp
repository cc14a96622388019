//===- SimulationTest.cpp - Simulated steps beside the plan's, on random plans ----------------===//
#include "simulate/plan/Simulation.h"
#include "cost/execution/StepSweep.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include "tests/unit/Jitters.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <random>
#include <set>

using namespace dpl;
using namespace dpl::simulation;

TEST(Simulation, WithoutNoise_IsThePlansStepToThePicosecond) {
  std::uint64_t made = 0, compared = 0, unfolded = 0;
  std::set<ir::ScheduleKind> schedules;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed())
      continue;
    if (!plan.steady.empty())
      continue; // its steps are not simulated one by one
    ++made;
    const StepShape folded(plan, Detail::Folded);
    StepRun run(folded);
    const std::uint64_t step = run.run({});
    ASSERT_EQ(run.run({}), step) << seed; // nothing of a step is left for the next
    if (run.sharedMessages() == 0) {
      ++compared;
      schedules.insert(plan.layout.schedule);
      ASSERT_EQ(step, cost::endOfSchedule(plan)) << seed << " " << ir::name(plan.layout.schedule);
    }
    // Every device, each arriving at each collective.
    const StepShape every(plan, Detail::Collective), some(plan, Detail::Operation);
    if (every.segments() > 2e6)
      continue;
    ++unfolded;
    StepRun all(every), groups(some);
    ASSERT_EQ(all.run({}), step) << seed << " " << ir::name(plan.layout.schedule);
    ASSERT_EQ(groups.run({}), step) << seed;
  }
  EXPECT_GE(compared * 10, made * 3);
  EXPECT_GE(unfolded * 2, made);
  EXPECT_GE(schedules.size(), 12U);
  RecordProperty("plans", std::to_string(made));
  RecordProperty("without_shared_links", std::to_string(compared));
  RecordProperty("unfolded", std::to_string(unfolded));
}

namespace {
std::vector<std::uint64_t> valuesOf(const SimulatedRankTimes& t) {
  return {t.compute, t.collectives, t.peerWait, t.inputWait, t.loading, t.sending, t.barrier};
}
std::uint64_t sharedBy(StepRun& run) {
  std::uint64_t all = 0;
  for (const std::uint64_t of : run.messagesOfAll()->shared())
    all += of;
  return all;
}
} // namespace

// Who notes waits runs every segment; who does not adds up passes that are as one before them.
TEST(Simulation, PassesThatAreAddedUp_TakeWhatTheirSegmentsDo) {
  std::uint64_t compared = 0;
  for (std::uint64_t seed = 1; seed <= test::plansToMake() / 3; ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed() || !plan.steady.empty())
      continue;
    for (const Detail detail : {Detail::Folded, Detail::Operation, Detail::Collective}) {
      const StepShape shape(plan, detail);
      if (shape.segments() > 1e5)
        continue;
      ++compared;
      std::mt19937_64 random(seed);
      std::vector<double> factors(shape.simulatedRanks());
      StepRun sums(shape), segments(shape);
      for (int step = 0; step < 2; ++step) {
        StepWaits waits(shape.simulatedRanks());
        segments.note(&waits);
        for (double& factor : factors)
          factor = 0.5 + static_cast<double>(random() % 1000) * 1e-3;
        ASSERT_EQ(sums.run({factors}), segments.run({factors}))
            << seed << " " << ir::name(plan.layout.schedule);
        for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
          ASSERT_EQ(valuesOf(sums.times()[unit]), valuesOf(segments.times()[unit]))
              << seed << " " << ir::name(plan.layout.schedule) << ", unit " << unit;
      }
    }
  }
  EXPECT_GE(compared * 10, test::plansToMake());
  RecordProperty("compared", std::to_string(compared));
}

TEST(Simulation, AsMessages_IsThePlansStepWhereNoLinkIsShared) {
  std::uint64_t made = 0, unshared = 0, folded = 0;
  std::set<std::string> schedules, algorithms;
  // Messages take longer than anything else here: fewer plans.
  for (std::uint64_t seed = 1; seed <= test::plansToMake() / 3; ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    for (ir::LinkType& link : plan.cluster.network.links) // of every second, flows are hashed
      if (link.kind == ir::LinkKind::Leaf && seed % 2 == 0)
        link.count = 4;
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed() || !plan.steady.empty())
      continue;
    const std::uint64_t expected = cost::endOfSchedule(plan);
    const bool folds = StepNetwork::folds(plan);
    const StepShape one(plan, Detail::Folded), every(plan, Detail::Collective);
    const bool small = every.segments() < 2e5;
    if (!folds && !small)
      continue;
    ++made;
    // What nobody shares, and messages in turn, takes what the plan says on every plan.
    const StepNetwork network(folds ? one : every, seed);
    StepRun inTurn(folds ? one : every, {}, &network, {{}, true});
    ASSERT_EQ(inTurn.run({}), expected) << seed << " " << ir::name(plan.layout.schedule);
    StepRun run(folds ? one : every, {}, &network);
    const std::uint64_t step = run.run({});
    const std::uint64_t shared = sharedBy(run);
    LinkLoadHistory use(network.links.capacities().size(), step);
    run.messagesOfAll()->record(&use);
    ASSERT_EQ(run.run({}), step) << seed; // nothing of a step is left for the next
    for (std::uint32_t link = 0; link < network.links.capacities().size(); ++link)
      for (const double& work : use.over(link))
        ASSERT_LE(work, network.links.capacities()[link] * use.binLength() * (1 + 1e-6))
            << seed << " " << network.links.nameOf(link) << " in part "
            << &work - use.over(link).begin();
    if (shared == 0) {
      ++unshared;
      schedules.insert(ir::name(plan.layout.schedule));
      for (const ir::Collective& c : plan.collectives)
        algorithms.insert(ir::name(c.algorithm));
      ASSERT_EQ(step, expected) << seed << " " << ir::name(plan.layout.schedule);
    }
    if (!folds || !small)
      continue;
    ++folded;
    const StepNetwork ofAll(every, seed);
    StepRun all(every, {}, &ofAll);
    // Where rates change ends are rounded anew, each device's by itself: some ps.
    ASSERT_NEAR(static_cast<double>(all.run({})), static_cast<double>(step),
                10 * static_cast<double>(shared))
        << seed << " " << ir::name(plan.layout.schedule);
  }
  // Sanitizers make few plans, of which fewer may be unshared.
  const bool many = made >= 100;
  EXPECT_GE(unshared * 10, made * (many ? 3 : 2));
  EXPECT_GE(folded * 5, made);
  // All that random plans have, of many plans.
  EXPECT_GE(schedules.size(), made > 1000 ? 16U : many ? 8U : 4U);
  EXPECT_GE(algorithms.size(), made > 1000 ? 7U : many ? 4U : 2U);
  RecordProperty("schedules", fmt::format("{}", fmt::join(schedules, " ")));
  RecordProperty("algorithms", fmt::format("{}", fmt::join(algorithms, " ")));
  RecordProperty("plans", std::to_string(made));
  RecordProperty("without_shared_links", std::to_string(unshared));
  RecordProperty("folded", std::to_string(folded));
}

// Both have the same random numbers, so that what differs is what the level hides: 200 plans of
// 3000.
TEST(Simulation, AtTheOperationLevel_IsWithinOnePercentOfTheCollectiveLevel) {
  const std::uint64_t wanted = test::plansToMake() / 15;
  std::uint64_t compared = 0;
  double worst = 0;
  for (std::uint64_t seed = 1; compared < wanted && seed <= test::plansToMake(); ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    plan.cluster.jitter = test::jitter(ir::JitterKind::LogNormal, 0.05);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed() || !plan.steady.empty() ||
        StepShape(plan, Detail::Collective).segments() > 1e5)
      continue;
    ++compared;
    const auto meanAt = [&](Detail detail) {
      return runSteps(plan, {detail, 4, seed, 1}).sample().mean();
    };
    const double all = meanAt(Detail::Collective), off = meanAt(Detail::Operation) / all - 1;
    worst = std::max(worst, std::abs(off));
    EXPECT_LE(std::abs(off), 0.01) << seed << " " << ir::name(plan.layout.schedule);
  }
  EXPECT_EQ(compared, wanted);
  RecordProperty("plans", std::to_string(compared));
  RecordProperty("largest_difference", std::to_string(worst));
}
