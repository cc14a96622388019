//===- ClosedFormsTest.cpp - Collectives worked out by hand -----------------------------------===//
//
// Cases with their definitions, beside those of CollectiveTest; n ranks, a message of d bytes, a
// seconds a message, B bytes/s a rank and direction.
#include "cost/collectives/CollectiveCost.h"
#include "simulate/engine/Flows.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double ms = 1e-3, us = 1e-6, MB = 1e6, GB = 1e9;

/// Of n ranks on one switch.
CollectiveCost onSwitch(CollectiveKind kind, Algorithm algorithm, std::uint64_t ranks, double bytes,
                        double latency, double bandwidth) {
  LinkLevel level;
  level.devices = ranks;
  level.latency = static_cast<std::uint64_t>(std::llround(latency * 1e12));
  level.bandwidth = static_cast<std::uint64_t>(std::llround(8 * bandwidth));
  return costOf(kind, algorithm, bytes, {{ranks}}, level);
}
double allReduce(Algorithm algorithm, std::uint64_t ranks, double bytes, double latency,
                 double bandwidth) {
  return onSwitch(CollectiveKind::AllReduce, algorithm, ranks, bytes, latency, bandwidth).seconds;
}

/// When each of some flows that begin together over a link of so many bytes/s ends, seconds.
std::vector<double> endsOf(llvm::ArrayRef<double> bytes, double bandwidth) {
  simulate::EventQueue queue;
  simulate::Flows flows({bandwidth * 1e-12}, queue);
  std::vector<double> ends(bytes.size());
  queue.add(0, simulate::EventPhase::Begins, 0);
  while (!queue.empty()) {
    const simulate::Event event = queue.pop();
    if (!simulate::Flows::isOwn(event))
      for (std::size_t i = 0; i < bytes.size(); ++i)
        flows.begin(event.time(), {0U}, bytes[i], i);
    else if (const auto done = flows.handle(event))
      ends[*done] = 1e-12 * static_cast<double>(event.time());
  }
  return ends;
}
} // namespace

// d* = aB(2(n−1) − 2⌈log2 n⌉)/(2⌈log2 n⌉ − 2(n−1)/n): below it the tree, above it the ring.
TEST(ClosedForms, OfEightRanks_RingAndTreeCrossAt1129Kilobytes) {
  for (const double side : {0.99, 1.01}) {
    const double bytes = side * 1.12941176471 * MB;
    EXPECT_EQ(allReduce(Algorithm::Tree, 8, bytes, 1 * us, 600 * GB) <
                  allReduce(Algorithm::Ring, 8, bytes, 1 * us, 600 * GB),
              side < 1);
  }
}

// No rank sends less than 2(n−1)/n·d: 150 MB of 100 over 4 ranks; and so 700 GB over 1024 ranks at
// 100 GB/s take no less than 13.99 s.
TEST(ClosedForms, NoAllReduceSendsOrTakesLessThanTheBound) {
  for (const Algorithm algorithm : {Algorithm::Ring, Algorithm::Tree, Algorithm::HalvingDoubling}) {
    const CollectiveCost cost =
        onSwitch(CollectiveKind::AllReduce, algorithm, 4, 100 * MB, 0, 50 * GB);
    EXPECT_GE(cost.bytesPerLevel[0], 150 * MB - 1) << static_cast<int>(algorithm);
    EXPECT_GE(allReduce(algorithm, 1024, 700 * GB, 0, 100 * GB), 13.986) << "of any algorithm";
  }
}

// 2(n−1) of a ring, 2(g−1) + 2(M−1) of M nodes of g.
TEST(ClosedForms, StepsOfRingsAndOfTheHierarchy) {
  EXPECT_NEAR(allReduce(Algorithm::Ring, 57, 0, 1 * us, GB) / us, 112, 1e-6);
  EXPECT_NEAR(allReduce(Algorithm::Ring, 64, 0, 1 * us, GB) / us, 126, 1e-6);
  LinkLevel inside, between;
  inside.devices = 8, between.devices = 64;
  for (LinkLevel* level : {&inside, &between})
    level->latency = 1'000'000, level->bandwidth = 8'000'000'000;
  const std::vector<LinkLevel> levels{inside, between};
  const std::vector<std::uint64_t> ranks{8, 64};
  EXPECT_NEAR(
      costOf(CollectiveKind::AllReduce, Algorithm::Hierarchical, 0, {ranks}, levels).seconds / us,
      28, 1e-6);
  // Of the message a port carries 2(M−1)/M/g.
  EXPECT_NEAR(costOf(CollectiveKind::AllReduce, Algorithm::Hierarchical, 1, {ranks}, levels)
                  .bytesPerLevel[1],
              0.21875, 1e-12);
}

// 17.01, 96.12 and 15.87 ms.
TEST(ClosedForms, OfSixtyFourRanksHalvingAndDoublingIsTheFastest) {
  const auto of = [](Algorithm algorithm) {
    return allReduce(algorithm, 64, 100 * MB, 10 * us, 12.5 * GB);
  };
  EXPECT_NEAR(of(Algorithm::Ring), 17.01 * ms, 1e-9);
  EXPECT_NEAR(of(Algorithm::Tree), 96.12 * ms, 1e-9);
  EXPECT_NEAR(of(Algorithm::HalvingDoubling), 15.87 * ms, 1e-9);
}

// Two extra ranks that fold their whole message into four others take 21.06 ms; without folding
// (arXiv 2410.14234) 2⌈log2 6⌉a + 2·5/6·d/B.
TEST(ClosedForms, OfSixRanksHalvingAndDoublingFoldsNothing) {
  EXPECT_NEAR(allReduce(Algorithm::HalvingDoubling, 6, 60 * MB, 10 * us, 10 * GB), 10.06 * ms,
              1e-9);
}

// 384 ring all-reduces of 2048 tokens × 12288 × 2 B over 8 ranks: 33.8 GB, 61.7 ms at 600 GB/s.
// As a reduce-scatter and a gather (sequence parallelism) 80 MB over 4 ranks are 120 MB as well.
TEST(ClosedForms, OfTensorParallelBlocks) {
  const double bytes = 2048.0 * 12288 * 2;
  const CollectiveCost one =
      onSwitch(CollectiveKind::AllReduce, Algorithm::Ring, 8, bytes, 1 * us, 600 * GB);
  EXPECT_NEAR(384 * one.bytesPerLevel[0], 33.822867456 * GB, 1000);
  EXPECT_NEAR(384 * one.seconds, 61.74744576 * ms, 1e-9);
  double halves = 0;
  for (const CollectiveKind kind : {CollectiveKind::ReduceScatter, CollectiveKind::AllGather})
    halves += onSwitch(kind, Algorithm::Ring, 4, 80 * MB, 0, GB).bytesPerLevel[0];
  EXPECT_NEAR(halves, 120 * MB, 1);
  EXPECT_NEAR(
      onSwitch(CollectiveKind::AllReduce, Algorithm::Ring, 4, 80 * MB, 0, GB).bytesPerLevel[0],
      120 * MB, 1);
}

// (n−1)/n of 1000 tokens × 2 copies × 4096 × 2 B leave a rank of 64.
TEST(ClosedForms, OfADispatchOfTokens) {
  EXPECT_NEAR(
      onSwitch(CollectiveKind::AllToAll, Algorithm::Direct, 64, 1000.0 * 2 * 4096 * 2, 0, GB)
          .bytesPerLevel[0],
      16.128 * MB, 1);
}

// Flows of 100 and 300 MB that share 25 GB/s end after 2·100 and 400 MB of it.
TEST(ClosedForms, OfFlowsThatShareALink) {
  const std::vector<double> ends = endsOf({100 * MB, 300 * MB}, 25 * GB);
  EXPECT_NEAR(ends[0], 8 * ms, 1e-9);
  EXPECT_NEAR(ends[1], 16 * ms, 1e-9);
  // 24 senders of 5 MB to one port of 12.5 GB/s, behind 10 us.
  EXPECT_NEAR(10 * us + endsOf(std::vector<double>(24, 5 * MB), 12.5 * GB).back(), 9.61 * ms, 1e-9);
  // Three rings of 8 ranks over the same links of 50 GB/s, 100 MB each and 2 us a step.
  EXPECT_NEAR(14 * (2 * us + endsOf(std::vector<double>(3, 100 * MB / 8), 50 * GB).back()),
              10.528 * ms, 1e-9);
}

// (n−1)(a + d/(nB)): 255 messages of 32 kB, one peer after the other.
TEST(ClosedForms, OfAPairwiseExchange) {
  const CollectiveCost cost =
      onSwitch(CollectiveKind::AllToAll, Algorithm::Pairwise, 256, 8.192 * MB, 5 * us, 25 * GB);
  EXPECT_NEAR(cost.seconds, 1.6014 * ms, 1e-9);
  EXPECT_NEAR(cost.bytesPerLevel[0], 255 * 32e3, 1);
}

// ⌈log2 n⌉(a + d/B) of a binomial tree, (⌈log2 n⌉ + n − 1)a + 2(n−1)/n·d/B of a scatter and a
// gather; a reduction to one rank is the mirror of the tree.
TEST(ClosedForms, OfBroadcasts) {
  const auto of = [](CollectiveKind kind, Algorithm algorithm) {
    return onSwitch(kind, algorithm, 64, 100 * MB, 10 * us, 12.5 * GB).seconds;
  };
  EXPECT_NEAR(of(CollectiveKind::Broadcast, Algorithm::Tree), 48.06 * ms, 1e-9);
  EXPECT_NEAR(of(CollectiveKind::Reduce, Algorithm::Tree), 48.06 * ms, 1e-9);
  EXPECT_NEAR(of(CollectiveKind::Broadcast, Algorithm::ScatterGather), 16.44 * ms, 1e-9);
}

// (c + j − 1)(a + d/(jB)) over c = 15 hops in j = 32 segments.
TEST(ClosedForms, OfAChainInSegments) {
  for (const CollectiveKind kind : {CollectiveKind::Broadcast, CollectiveKind::Reduce})
    EXPECT_NEAR(onSwitch(kind, Algorithm::Chain, 16, 64 * MB, 5 * us, 10 * GB).seconds, 9.43 * ms,
                1e-9);
}

// 2(n−1)/n·d/T: 1 GB over 16 ranks in 50 ms.
TEST(ClosedForms, OfBusBandwidth) {
  EXPECT_NEAR(busFactor(CollectiveKind::AllReduce, 16) * 1 * GB / (50 * ms), 37.5 * GB, 1);
  EXPECT_EQ(busFactor(CollectiveKind::Broadcast, 16), 1);
}

// Hops between nodes of a ring over ranks on nodes 0,1,0,1,0,1,0,1 and on 0,0,0,0,1,1,1,1: all 8,
// and 2. A reduce-scatter and a gather go round once less a hop, 7 pieces of 8 each.
TEST(ClosedForms, OfHopsBetweenNodes) {
  LinkLevel inside, between;
  inside.devices = 4, between.devices = 8;
  for (LinkLevel* level : {&inside, &between})
    level->bandwidth = 8'000'000'000;
  const std::vector<LinkLevel> levels{inside, between};
  const std::vector<std::uint64_t> ranks{4, 8};
  const auto hops = [&](Algorithm algorithm) {
    const double sent =
        costOf(CollectiveKind::AllReduce, algorithm, 1, {ranks}, levels).bytesPerLevel[1];
    return sent * 8 / (2 * 7.0 / 8); // of all ranks, over what goes over one hop
  };
  EXPECT_NEAR(hops(Algorithm::ScatteredRing), 8, 1e-12);
  EXPECT_NEAR(hops(Algorithm::Ring), 2, 1e-12);
}

// What must cross the middle of a machine does: 1 GB over 600 GB/s are 1.67 ms. Of 16 ranks in two
// halves, each with so much to the other.
TEST(ClosedForms, NoAllReduceIsFasterThanTheBisection) {
  LinkLevel inside, between;
  inside.devices = 8, between.devices = 16;
  inside.bandwidth = static_cast<std::uint64_t>(8 * 10e12);
  between.bandwidth = static_cast<std::uint64_t>(8 * 600 * GB / 8);
  const std::vector<LinkLevel> levels{inside, between};
  const std::vector<std::uint64_t> ranks{8, 16};
  for (const Algorithm algorithm :
       {Algorithm::Ring, Algorithm::Hierarchical, Algorithm::Tree, Algorithm::HalvingDoubling})
    EXPECT_GE(costOf(CollectiveKind::AllReduce, algorithm, 1 * GB, {ranks}, levels).seconds,
              1.66666666667 * ms * (1 - 1e-9))
        << static_cast<int>(algorithm);
  EXPECT_NEAR(costOf(CollectiveKind::AllReduce, Algorithm::Hierarchical, 1 * GB, {ranks}, levels)
                  .secondsPerLevel[1],
              1.66666666667 * ms, 1e-9);
}
