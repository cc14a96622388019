//===- SharedStorageTest.cpp - Checkpoints of two runs on one storage -------------------------===//
#include "simulate/engine/SharedStorage.h"
#include "cost/run/Checkpoints.h"
#include "tests/unit/DrawnRuns.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::test;
using simulate::ConcurrentRun;
using simulate::SavedRun;
using simulate::SharedTime;

namespace {
SharedTime once(const SavedRun& run, const std::vector<ConcurrentRun>& overlap,
                std::uint32_t i = 0) {
  simulate::Draws draws({5, i, 0, 0});
  return simulate::draw(run, overlap, draws);
}
/// An hour of work and a checkpoint of 5 minutes, 24 times.
const SavedRun hourly{day, hour, 5 * minute, 0, never, 0};
} // namespace

// Bytes over the shared bandwidth: of n that write at once each takes n times as long.
TEST(SharedStorage, OfRunsThatWriteAtOnce_TakesItsBytesOverTheShare) {
  for (const std::size_t others : {0U, 1U, 3U}) {
    const SharedTime of = once(hourly, std::vector<ConcurrentRun>(others, {hourly, 0}));
    const double each = static_cast<double>(others + 1) * 5 * minute;
    EXPECT_NEAR(of.time.time, 24 * (hour + each), 1e-6);
    EXPECT_NEAR(of.writing, 24 * each, 1e-6);
    EXPECT_EQ(of.written, 24);
  }
  // The other is two minutes ahead: three are shared, which is two more for this one.
  const SharedTime behind = once({hour, hour, 5 * minute, 0, never, 0}, {{hourly, 2 * minute}});
  EXPECT_NEAR(behind.time.saving, 8 * minute, 1e-6);
  // Half an hour ahead they never meet.
  EXPECT_NEAR(once(hourly, {{hourly, hour / 2}}).time.time, 24 * (hour + 5 * minute), 1e-6);
}

// Of two equal ones that begin anywhere: they meet with 2C/(τ + C), and half of C is shared then.
// Beside training the same of what is written.
TEST(SharedStorage, OfEqualRunsThatBeginAnywhere_TakesTheClosedForm) {
  const SavedRun waits{30 * minute, 10 * minute, 5 * minute, 0, never, 0},
      copies{30 * minute, 10 * minute, 1 * minute, 5 * minute, never, 0};
  for (const SavedRun& run : {waits, copies}) {
    std::vector<double> more;
    for (std::uint32_t i = 0; i < 5000; ++i) {
      simulate::Draws draws({9, i, 0, 0});
      const SharedTime of = simulate::draw(run, simulate::anywhere(run, draws), draws);
      more.push_back(of.writing / of.written - 5 * minute);
    }
    const double write = 5 * minute, each = run.interval + run.blocked;
    const simulate::Sample sample(std::move(more));
    EXPECT_NEAR(sample.mean(), 2 * write / each * write / 2, 3 * sample.standardError());
  }
  // What takes longer to write than it is to the next is left out: it writes for 5 of 6 intervals.
  const SavedRun slow{day, minute, 0, 5.5 * minute, never, 0};
  double most = 0;
  for (std::uint32_t i = 0; i < 200; ++i) {
    simulate::Draws draws({9, i, 0, 0});
    most = std::max(most, simulate::anywhere(slow, draws).ahead);
  }
  EXPECT_GT(most, 5.5 * minute);
  EXPECT_LT(most, 6 * minute);
}

TEST(SharedStorage, ThatIsFullAllTheTime_CarriesWhatItCan) {
  // Both write more than they work: the storage is never idle for long.
  const SavedRun eager{day, minute, 10 * minute, 0, never, 0};
  const SharedTime of = once(eager, {{eager, 0}, {eager, minute / 2}});
  EXPECT_NEAR(of.time.time / of.written, 3 * 10 * minute, 1.5 * minute);
}

TEST(SharedStorage, BesideTraining_HoldsNobodyUpButIsReadableLater) {
  const SavedRun copied{day, hour, 5, 5 * minute, never, 0};
  const SharedTime of = once(copied, {{copied, 0}});
  EXPECT_NEAR(of.time.time, day + 24 * 5, 1e-6);
  EXPECT_NEAR(of.writing / of.written, 10 * minute, 1e-6);
}

// Alone it is the run that fails by itself.
TEST(SharedStorage, OfOneRun_MeansAreTheExactForm) {
  const SavedRun run{30 * day, 90 * minute, 5 * minute, 0, 21 * hour, 20 * minute};
  std::vector<double> all, shared;
  for (std::uint32_t i = 0; i < 1000; ++i) {
    const SharedTime of = once(run, {}, i);
    all.push_back(of.time.time);
    EXPECT_NEAR(of.time.time, run.work + of.time.saving + of.time.rework + of.time.restarting,
                1e-6 * run.work);
  }
  const simulate::Sample sample(std::move(all));
  const double exact =
      run.work * cost::timeOverWork({run.interval, run.blocked, 0}, {run.between, run.restart});
  EXPECT_LE(std::abs(sample.mean() - exact), 3 * sample.standardError());
  // Beside another, who fails as often, its checkpoints take longer, and no more than twice.
  for (std::uint32_t i = 0; i < 100; ++i) {
    const SharedTime of = once(run, {{run, hour}}, i);
    shared.push_back(of.writing / of.written);
  }
  EXPECT_GT(simulate::Sample(shared).mean(), 5.05 * minute);
  EXPECT_LT(simulate::Sample(shared).mean(), 6 * minute);
}
