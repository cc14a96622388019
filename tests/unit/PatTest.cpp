//===- PatTest.cpp - Parallel aggregated trees beside rings -----------------------------------===//
#include "cost/collectives/CollectiveCost.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double us = 1e-6;

/// Nodes with ports of 50 GB/s and no latency beyond NCCL's own.
std::vector<LinkLevel> nodesOf(std::uint64_t each, std::uint64_t ranks) {
  LinkLevel inside, outside;
  inside.devices = each, inside.bandwidth = 8 * 450'000'000'000;
  outside.level = Level::Cluster, outside.devices = ranks, outside.bandwidth = 8 * 50'000'000'000;
  for (LinkLevel* level : {&inside, &outside})
    level->library = CollectiveLibrary::Nccl, level->pat = true;
  return {inside, outside};
}
Algorithm chosen(CollectiveKind kind, double bytes, std::vector<std::uint64_t> inside,
                 const std::vector<LinkLevel>& levels) {
  return collectiveCost(kind, bytes, {inside}, levels).algorithm;
}
} // namespace

// NCCL's tuner: 8 us, 14/3.5 us for each doubling of the ranks, 2.8 us a rank, and three fourths of
// the bandwidth.
TEST(Pat, IsTimedAsNcclsTunerDoes) {
  const std::vector<std::uint64_t> ranks{1, 64};
  const CollectiveCost cost =
      costOf(CollectiveKind::AllGather, Algorithm::Pat, 64, {ranks}, nodesOf(1, 64));
  EXPECT_NEAR(cost.latency, (8 + 6 * 4 + 64 * 2.8) * us, 1e-12);
  const double bytes = 64e9, large = costOf(CollectiveKind::AllGather, Algorithm::Pat, bytes,
                                            {ranks}, nodesOf(1, 64))
                                         .seconds;
  EXPECT_NEAR(large, bytes * 63 / 64 / (0.75 * 50e9), 1e-3);
}

TEST(Pat, IsTakenForSmallBuffersOfGroupsWithOneRankANode) {
  const std::vector<LinkLevel> levels = nodesOf(8, 512);
  for (const CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter}) {
    EXPECT_EQ(chosen(kind, 1 << 20, {1, 64}, levels), Algorithm::Pat);
    EXPECT_EQ(chosen(kind, 1 << 30, {1, 64}, levels), Algorithm::Ring);
    EXPECT_EQ(chosen(kind, 1 << 20, {8, 512}, levels), Algorithm::Ring); // eight ranks a node
  }
  std::vector<LinkLevel> before = levels; // of NCCL 2.23
  for (LinkLevel& level : before)
    level.pat = false;
  EXPECT_EQ(chosen(CollectiveKind::AllGather, 1 << 20, {1, 64}, before), Algorithm::Ring);
}
