//===- ServersTest.cpp - Workers that send their gradients to servers of the parameters -------===//
#include "simulate/engine/Servers.h"
#include "support/math/Distribution.h"
#include <gtest/gtest.h>
#include <numeric>

using namespace dpl::simulate;

namespace {
/// Each with a link of a byte a ps of its own.
void addWorkers(Servers& servers, std::uint32_t workers, std::uint64_t latency = 0) {
  servers.links.assign(workers, 1), servers.ways.clear();
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    servers.ways.push_back({{worker}, latency});
}
/// Two servers of 100 bytes each, links of a byte a ps.
Servers two(bool duplex, std::uint32_t pieces = 1) {
  Servers out;
  out.bytes = {100, 100};
  out.duplex = duplex, out.slices = pieces;
  addWorkers(out, 8);
  return out;
}
ServersTime timeOf(WorkerSynchronization waiting, Servers servers, double compute = 0,
                   std::uint32_t bound = 0, std::uint32_t workers = 8) {
  if (servers.ways.size() != workers)
    addWorkers(servers, workers);
  return run({workers, 10, waiting, bound, 0, ExchangeMode::Serial}, servers,
             [&](std::uint32_t, std::uint32_t) { return compute; });
}
double meanAge(const WorkersTime& t) {
  return std::accumulate(t.ages.begin(), t.ages.end(), 0.0) / static_cast<double>(t.ages.size());
}
} // namespace

// Of 8 workers each server gets 800 bytes and sends 800 back. In p pieces the last one alone goes
// back behind the last that comes, on a link of its own.
TEST(Servers, OfABarrier_CarryTheBytesOfAllWorkers) {
  for (const std::uint32_t pieces : {1U, 4U, 10U}) {
    EXPECT_NEAR(timeOf(WorkerSynchronization::Barrier, two(false, pieces)).workers.step, 1600, 10)
        << pieces;
    EXPECT_NEAR(timeOf(WorkerSynchronization::Barrier, two(true, pieces)).workers.step,
                800 + 800.0 / pieces, 5)
        << pieces;
  }
  const ServersTime full = timeOf(WorkerSynchronization::Barrier, two(false));
  EXPECT_DOUBLE_EQ(full.workers.step, 1600);
  EXPECT_DOUBLE_EQ(full.exchange, 1600);
  EXPECT_DOUBLE_EQ(full.busiest, 1);
  EXPECT_DOUBLE_EQ(full.mean, 1);
  EXPECT_DOUBLE_EQ(full.waiting, 8);
  EXPECT_DOUBLE_EQ(full.atOnce, 8);
  // One who comes late is waited for before the exchange, and not in it.
  const ServersTime one =
      run({8, 10, WorkerSynchronization::Barrier, 0, 0, ExchangeMode::Serial}, two(false),
          [](std::uint32_t worker, std::uint32_t) { return worker * 200; });
  EXPECT_LT(one.exchange, 1600);
  EXPECT_NEAR(one.workers.step, 7 * 200 + one.exchange, 1);
  // The last one computes for 1400, all of them for 700 on average.
  EXPECT_DOUBLE_EQ(one.workers.waiting, 700 / one.workers.step);
  // A latency each way, and what is computed before.
  Servers late = two(false);
  addWorkers(late, 8, 30);
  EXPECT_DOUBLE_EQ(timeOf(WorkerSynchronization::Barrier, late, 500).workers.step, 500 + 60 + 1600);
}

// Computations are drawn, so that one too many would change the numbers of whatever is drawn next.
TEST(Servers, AskOnceForTheComputationOfEachWorkerInEachStep) {
  std::vector<std::uint32_t> asked(std::size_t{8} * 10);
  (void)run({8, 10, WorkerSynchronization::Barrier, 0, 0, ExchangeMode::Serial}, two(false),
            [&](std::uint32_t worker, std::uint32_t step) {
              EXPECT_LT(step, 10U);
              if (step < 10)
                ++asked[step * 8 + worker];
              return 0.0;
            });
  EXPECT_EQ(asked, std::vector<std::uint32_t>(80, 1));
}

// With as many servers as workers a worker's own link is as busy as theirs; with more it is busier.
TEST(Servers, BeyondTheWorkers_LeaveTheWorkersLinks) {
  Servers many;
  many.duplex = false;
  for (const std::size_t count : {8U, 16U}) {
    many.bytes.assign(count, 800.0 / static_cast<double>(count));
    EXPECT_NEAR(timeOf(WorkerSynchronization::Barrier, many).workers.step, 1600, 1) << count;
  }
}

// What comes back has its own bytes, and who is slow to come sets the pace of a barrier: half of
// all over a slow port, or over a link that four workers share.
TEST(Servers, WhoseWorkersHaveNarrowWays_WaitForThem) {
  Servers half = two(true);
  half.back = 0.5;
  EXPECT_DOUBLE_EQ(timeOf(WorkerSynchronization::Barrier, half).workers.step, 800 + 400);
  Servers slow = two(true);
  slow.links[3] = 0.125;
  EXPECT_DOUBLE_EQ(timeOf(WorkerSynchronization::Barrier, slow).workers.step, 2 * 200 / 0.125);
  Servers apart = two(true);
  apart.links.push_back(0.25);
  for (std::uint32_t worker = 0; worker < 4; ++worker)
    apart.ways[worker].links.push_back(8);
  EXPECT_DOUBLE_EQ(timeOf(WorkerSynchronization::Barrier, apart).workers.step, 2 * 4 * 200 / 0.25);
}

// The busiest sets the pace: 8 × 150 bytes each way; the mean stays.
TEST(Servers, ThatAreUneven_RaiseTheMaximumAndNotTheMean) {
  Servers hot = two(false);
  hot.bytes = {150, 50};
  const ServersTime t = timeOf(WorkerSynchronization::Barrier, hot);
  EXPECT_DOUBLE_EQ(t.workers.step, 2400);
  EXPECT_DOUBLE_EQ(t.busiest, 1);
  EXPECT_NEAR(t.mean, (2400 + 800) / 2 / 2400.0, 1e-9);
}

// One worker alone sends 200 bytes and gets 200 back, over its own link, 400 a step; whoever waits
// for nobody is as old as there are others.
TEST(Servers, WithoutABarrier_AnswerEachWorker) {
  EXPECT_DOUBLE_EQ(timeOf(WorkerSynchronization::Never, two(true), 100, 0, 1).workers.step, 500);
  // Equal workers come at once.
  EXPECT_NEAR(timeOf(WorkerSynchronization::Never, two(true), 100'000).workers.step, 101'600, 1);
  const Distribution times = Distribution::logNormal(0.3);
  const ServersTime t = run({8, 100, WorkerSynchronization::Never, 0, 0, ExchangeMode::Serial},
                            two(true), [&](std::uint32_t worker, std::uint32_t step) {
                              Draws draws({7, 0, worker, step});
                              return 100'000 * times.sample(draws);
                            });
  EXPECT_NEAR(meanAge(t.workers), 7, 0.2);
  // A bound of 0 is a barrier of those that are answered one by one.
  EXPECT_DOUBLE_EQ(timeOf(WorkerSynchronization::Bounded, two(false)).workers.step, 1600);
}

// What varies spreads them. A busy server's link has 8 × 100 bytes a step of all in each direction,
// or both on one: no step is shorter, and it comes near.
TEST(Servers, ThatSetThePace_AreTwiceAsFastInBothDirections) {
  const Distribution times = Distribution::logNormal(0.5);
  const auto step = [&](bool duplex) {
    return run({8, 100, WorkerSynchronization::Never, 0, 0, ExchangeMode::Serial}, two(duplex),
               [&](std::uint32_t worker, std::uint32_t at) {
                 Draws draws({7, 0, worker, at});
                 return 300 * times.sample(draws);
               });
  };
  const ServersTime both = step(true), one = step(false);
  // The rates of those that end early are counted without what comes behind.
  EXPECT_GT(both.workers.step, 0.98 * 800);
  EXPECT_LT(both.workers.step, 1000);
  EXPECT_GT(one.workers.step, 0.98 * 1600);
  EXPECT_LT(one.workers.step, 1700);
  EXPECT_GT(one.busiest, 0.95);
}

// Beside the next step: one exchange at a time, so that the longer of the two sets the pace.
TEST(Servers, BesideComputation_HideBehindIt) {
  Servers servers = two(true);
  addWorkers(servers, 1);
  const auto step = [&](double compute) {
    return run({1, 200, WorkerSynchronization::Never, 0, 0, ExchangeMode::Overlapped}, servers,
               [&](std::uint32_t, std::uint32_t) { return compute; })
        .workers.step;
  };
  EXPECT_NEAR(step(1000), 1000, 10);
  EXPECT_NEAR(step(100), 400, 10);
}
