//===- TorusTest.cpp - What groups have of the links of a torus -------------------------------===//
#include "cost/collectives/Torus.h"
#include "cost/collectives/CollectiveCost.h"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using testing::ElementsAre;

namespace {
constexpr double us = 1e-6;

std::vector<TorusRanks> ranksOf(std::vector<std::uint64_t> sizes, std::vector<Stride> strides) {
  std::uint64_t devices = 1;
  for (const std::uint64_t size : sizes)
    devices *= size;
  return torusRanks(strides, {std::move(sizes)}, devices);
}

/// A domain of so many devices, each with 60 GB/s of links and a latency of 1 us.
LinkLevel domainOf(std::uint64_t devices) {
  LinkLevel level;
  level.devices = devices, level.bandwidth = 8 * 60'000'000'000, level.latency = 1'000'000;
  return level;
}
} // namespace

TEST(Torus, RanksOfAGroup_LieAlongItsDimensions) {
  const TorusRanks alone8{1, 1, 8};
  EXPECT_THAT(ranksOf({8, 8, 8}, {{8, 1, 8}}), ElementsAre(TorusRanks{8, 1, 8}, alone8, alone8));
  EXPECT_THAT(ranksOf({8, 8, 8}, {{64, 8, 512}}),
              ElementsAre(alone8, TorusRanks{8, 1, 8}, TorusRanks{8, 1, 8}));
  // Eight in a row of four: two rows.
  EXPECT_THAT(ranksOf({4, 8}, {{8, 1, 8}}), ElementsAre(TorusRanks{4, 1, 4}, TorusRanks{2, 1, 8}));
  EXPECT_THAT(ranksOf({8, 8}, {{4, 2, 8}}), ElementsAre(TorusRanks{4, 2, 8}, alone8));
  // Data ranks beyond context ranks in one row, and those beyond tensor ranks between them.
  EXPECT_THAT(ranksOf({16, 2}, {{4, 4, 16}, {4, 1, 4}}),
              ElementsAre(TorusRanks{16, 1, 16}, TorusRanks{1, 1, 2}));
  EXPECT_THAT(ranksOf({16, 2}, {{2, 8, 16}, {2, 1, 2}}),
              ElementsAre(TorusRanks{4, 4, 16}, TorusRanks{1, 1, 2}));
  // What is further apart than the domain is wide has one rank in it.
  EXPECT_THAT(ranksOf({4, 4}, {{8, 16, 128}}),
              ElementsAre(TorusRanks{1, 1, 4}, TorusRanks{1, 1, 4}));
}

TEST(Torus, ARingHasBothWays_ALineOne_AndWhatLiesBetweenSharesThem) {
  const TorusRanks none{1, 1, 8};
  EXPECT_DOUBLE_EQ(shareOfNeighbours({{8, 1, 8}, none, none}), 2.0 / 6);
  EXPECT_DOUBLE_EQ(shareOfNeighbours({{4, 1, 8}, none, none}), 1.0 / 6);
  EXPECT_DOUBLE_EQ(shareOfNeighbours({{4, 2, 8}, none, none}), 1.0 / 6);
  EXPECT_DOUBLE_EQ(shareOfNeighbours({{2, 2, 8}, none, none}), 0.5 / 6);
  EXPECT_DOUBLE_EQ(shareOfNeighbours({{8, 1, 8}, {8, 1, 8}, {8, 1, 8}}), 1);
  // Two devices have one link between them.
  EXPECT_DOUBLE_EQ(shareOfNeighbours({{2, 1, 2}, {4, 1, 4}}), 1);
  EXPECT_DOUBLE_EQ(shareOfNeighbours({{2, 1, 2}, {1, 1, 4}}), 1.0 / 3);
  EXPECT_DOUBLE_EQ(shareOfMessage({none, {2, 1, 8}, none}), 1.0 / 6);
  EXPECT_DOUBLE_EQ(shareOfMessage({{2, 4, 8}, none, none}), 0.25 / 6);
  EXPECT_DOUBLE_EQ(shareOfNeighbours({}), 1);
}

// 2Σ(k − 1) latencies, and 2(n − 1)/n of the buffer over all links of a device.
TEST(Torus, AnAllReduceByDimensions_WaitsForTheirStepsAndUsesAllLinks) {
  const std::vector<TorusRanks> cube(3, {8, 1, 8});
  const LinkLevel level = domainOf(512);
  const std::vector<std::uint64_t> ranks{512};
  const double bytes = 1e9;
  const CollectiveCost cost =
      costOf(CollectiveKind::AllReduce, Algorithm::Dimensions, bytes, {ranks, cube}, level);
  EXPECT_NEAR(cost.latency, 2 * 3 * 7 * us, 1e-12);
  EXPECT_NEAR(cost.seconds, 42 * us + 2 * 511.0 / 512 * bytes / 60e9, 1e-12);
  // One ring through all waits longer.
  EXPECT_NEAR(
      costOf(CollectiveKind::AllReduce, Algorithm::Ring, bytes, {ranks, cube}, level).latency,
      2 * 511 * us, 1e-12);
  EXPECT_EQ(collectiveCost(CollectiveKind::AllReduce, bytes, {ranks, cube}, level).algorithm,
            Algorithm::Dimensions);
}

// d·k/8 over a link of a ring of 16 ranks: of four links of 15 GB/s.
TEST(Torus, AnExchangeIsBoundedByItsFullestLink) {
  const std::vector<TorusRanks> row{{16, 1, 16}, {1, 1, 16}};
  const std::vector<std::uint64_t> ranks{16};
  EXPECT_NEAR(costOf(CollectiveKind::AllToAll, Algorithm::Direct, 16e6, {ranks, row}, domainOf(256))
                  .seconds,
              1 * us + 16e6 * 16 / 8 / 15e9, 1e-12);
  // A line of four in it: four pairs meet in the middle, each with a fourth of the buffer.
  const std::vector<TorusRanks> line{{4, 1, 16}, {1, 1, 16}};
  const std::vector<std::uint64_t> four{4};
  EXPECT_NEAR(costOf(CollectiveKind::AllToAll, Algorithm::Direct, 16e6, {four, line}, domainOf(256))
                  .seconds,
              1 * us + 16e6 / 15e9, 1e-12);
  // No exchange beats the middle: half of all bytes cross it, in each direction over 2·16 links.
  const std::vector<TorusRanks> all{{16, 1, 16}, {16, 1, 16}};
  const std::vector<std::uint64_t> square{256};
  EXPECT_NEAR(
      costOf(CollectiveKind::AllToAll, Algorithm::Direct, 16e6, {square, all}, domainOf(256))
          .secondsPerLevel[0],
      256 * 16e6 / 4 / (2 * 16 * 15e9), 1e-12);
}
