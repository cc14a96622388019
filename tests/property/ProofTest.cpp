//===- ProofTest.cpp - What needs no groups to be proved is what ends in groups ---------------===//
#include "cost/execution/Proof.h"
#include "cost/execution/RankSchedules.h"
#include "tests/property/RandomShape.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using dpl::test::Random;

namespace {
/// Lists in which passes change their places, near ones and far ones, or one is missing.
void change(Random& random, PerRankSchedules& lists) {
  for (std::uint64_t changes = random.below(3); changes > 0; --changes) {
    ActionList& schedule = lists[random.below(lists.size())];
    const std::size_t a = random.below(schedule.size()),
                      b = random.oneIn(2) ? std::min(a + 1, schedule.size() - 1)
                                          : random.below(schedule.size());
    std::swap(schedule[a], schedule[b]);
    if (random.oneIn(8))
      schedule.erase(schedule.begin() + static_cast<std::ptrdiff_t>(a));
    if (schedule.empty())
      return;
  }
}
} // namespace

TEST(Proof, OfWhoWaitsInPassesAlone_IsThatOfItsGroups) {
  std::uint64_t sound = 0, broken = 0;
  Proof proof;
  Executor executor;
  GroupedRun groups;
  for (std::uint64_t seed = 1; seed <= 4 * test::plansToMake(); ++seed) {
    const test::RandomShape of(seed);
    Exchanges& exchanges = *scheduleInfo(of.shape.kind).exchanges;
    if (!waitsInActionsOnly(exchanges))
      continue;
    PerRankSchedules schedules = perRankSchedules(of.shape, of.times);
    Random random(seed);
    change(random, schedules);
    const std::vector<llvm::ArrayRef<ScheduledAction>> views(schedules.begin(), schedules.end());
    const Placement placement = of.shape.placement();
    const std::uint64_t count = of.shape.microBatches;
    const bool ends = groups.run(placement, count, views, exchanges);
    ASSERT_EQ(proof.flawOf(of.shape.kind, placement, count, views).text.empty(), ends)
        << seed << ": " << of.name();
    if (ends) {
      ASSERT_TRUE(executor.run(placement, count, views, of.times, true, {}, {}, {}, true).completed)
          << seed;
      ASSERT_TRUE(executor.inSendOrder()) << seed;
    }
    ++(ends ? sound : broken);
  }
  EXPECT_GT(sound, test::plansToMake() / 3);
  EXPECT_GT(broken, test::plansToMake() / 3);
}
