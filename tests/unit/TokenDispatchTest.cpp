//===- TokenDispatchTest.cpp - What dispatchers of tokens send, and how fast ------------------===//
#include "cost/collectives/TokenDispatch.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr double width = 7168, tokens = 4096;

FeedForward experts(std::uint64_t groups = 1, std::uint64_t limit = 1) {
  FeedForward f;
  f.kind = FeedForwardKind::Experts;
  f.experts = 256, f.active = 8;
  f.router.groups = groups, f.router.groupLimit = limit;
  return f;
}
Kernels with(DispatchKind kind, bool fp8 = false) {
  Kernels kernels;
  kernels.dispatch = kind, kernels.dispatchFp8 = fp8;
  return kernels;
}

/// Scale-up links and ports as `bandwidth` of rings, bytes/s a device.
struct Machine {
  double scaleUp = 0, port = 0;
};
constexpr Machine h800{160e9, 48.5e9}, h100{364e9, 48.5e9}, b200{684e9, 48.5e9};

struct Ranks {
  std::vector<std::uint64_t> inside;
  std::vector<LinkLevel> levels;
  Ranks(std::uint64_t ranks, std::uint64_t domain, Machine machine) {
    const auto add = [&](Level level, std::uint64_t devices, double bandwidth) {
      LinkLevel l;
      l.level = level, l.devices = devices;
      l.bandwidth = static_cast<std::uint64_t>(std::llround(8 * bandwidth));
      l.library = CollectiveLibrary::Nccl;
      l.inStep = level == Level::Node ? 1 : 0.65;
      levels.push_back(l), inside.push_back(std::min(devices, ranks));
    };
    add(Level::Node, domain, machine.scaleUp);
    if (ranks > domain)
      add(Level::Cluster, ranks, machine.port);
  }
  TokenCollective of(const Kernels& kernels, const FeedForward& f,
                     TokenWay way = TokenWay::Combine) const {
    return exchangeOf(kernels, f, way, {tokens, tokens * 8}, width, {inside}, levels);
  }
};
} // namespace

// 8 ranks: u(1 − (1 − 1/u)^8) of u = 8 is 5.25; 4 chosen groups of 8, a node each: 4(1 − (3/4)^8) =
// 3.6; and a token whose experts are 8 in a row meets two ranks of 4 experts, in one node.
TEST(TokenDispatchTest, ATokenMeetsFewerUnitsThanItHasCopies) {
  EXPECT_NEAR(distinctUnits(experts(), 8), 5.251, 1e-3);
  EXPECT_EQ(distinctUnits(experts(), 1), 1);
  EXPECT_NEAR(distinctUnits(experts(8, 4), 8), 3.600, 1e-3);
  EXPECT_NEAR(distinctUnits(experts(8, 8), 8), distinctUnits(experts(), 8), 1e-9);
  EXPECT_NEAR(distinctUnits(experts(32, 1), 64), 1.992, 1e-3);
  EXPECT_EQ(distinctUnits(experts(32, 1), 8), 1);
}

TEST(TokenDispatchTest, AnAllToAllSendsEachCopy_DispatchersATokenOnceToADomainAndARank) {
  const Ranks ranks(64, 8, h100);
  const double token = width * 2, copies = tokens * 8 * token;
  const TokenCollective all = ranks.of(with(DispatchKind::AllToAll), experts());
  EXPECT_EQ(all.bytes, copies);
  EXPECT_NEAR(all.cost.bytesPerLevel[1], copies * 56 / 64, 1);
  const TokenCollective once = ranks.of(with(DispatchKind::DeepEp), experts());
  EXPECT_NEAR(once.cost.bytesPerLevel[1], tokens * token * 5.251 * 7 / 8, 1e-3 * copies);
  EXPECT_NEAR(once.cost.bytesPerLevel[0],
              tokens * token * 64 * (1 - std::pow(63.0 / 64, 8)) * 7 / 8, 1e-3 * copies);
  // Four nodes at most, of which one is the sender's as often as any other.
  const TokenCollective four = ranks.of(with(DispatchKind::DeepEp), experts(8, 4));
  EXPECT_NEAR(four.cost.bytesPerLevel[1] / once.cost.bytesPerLevel[1], 3.600 / 5.251, 1e-3);
  EXPECT_LT(four.cost.seconds, once.cost.seconds);
}

// Whoever chooses what, each rank gets what all have: less than copies where these are more than
// the other ranks.
TEST(TokenDispatchTest, AGathererSendsEachTokenToAllRanks_AndSumsWhatComesBack) {
  const Ranks ranks(64, 8, h100);
  const Kernels gatherer = with(DispatchKind::AllGather);
  const TokenCollective out = ranks.of(gatherer, experts(), TokenWay::Dispatch),
                        back = ranks.of(gatherer, experts(8, 4), TokenWay::Combine);
  EXPECT_EQ(out.kind, CollectiveKind::AllGather);
  EXPECT_EQ(back.kind, CollectiveKind::ReduceScatter);
  EXPECT_EQ(out.bytes, tokens * width * 2 * 64);
  EXPECT_EQ(back.bytes, out.bytes);
  EXPECT_GT(out.cost.seconds, ranks.of(with(DispatchKind::AllToAll), experts()).cost.seconds);
  const Ranks few(4, 8, h100);
  EXPECT_LT(few.of(gatherer, experts()).cost.seconds,
            few.of(with(DispatchKind::AllToAll), experts()).cost.seconds);
}

TEST(TokenDispatchTest, Fp8GoesOutAndComesBackWide) {
  const Ranks ranks(64, 8, h800);
  const Kernels narrow = with(DispatchKind::DeepEp, true);
  const TokenCollective out = ranks.of(narrow, experts(), TokenWay::Dispatch),
                        back = ranks.of(narrow, experts(), TokenWay::Combine);
  EXPECT_NEAR(out.bytes / back.bytes, (1 + 4.0 / 128) / 2, 1e-9);
  EXPECT_LT(out.cost.seconds, back.cost.seconds);
  EXPECT_EQ(ranks.of(with(DispatchKind::DeepEp), experts(), TokenWay::Dispatch).cost.seconds,
            back.cost.seconds);
}

// What the authors measured, GB/s, where a token to the sender's own rank or node counts: DeepEP on
// H800 and B200 (dispatch in bf16, or combine), Hybrid-EP on H100, B200 and GB200 (called from
// Python). A rate of each is half of what goes on in 16 ranks of H800, whose scale-up links carry
// the rest.
TEST(TokenDispatchTest, RatesAreThoseOfTheBenchmarksOfTheirAuthors) {
  struct Case {
    DispatchKind kind;
    Machine machine;
    std::uint64_t ranks, domain;
    double limit, measured; ///< groups of 8 a token may choose; GB/s over the outermost links
  };
  const Case cases[] = {
      {DispatchKind::DeepEp, h800, 8, 8, 8, 158},    {DispatchKind::DeepEp, h800, 32, 8, 8, 57},
      {DispatchKind::DeepEp, h800, 64, 8, 4, 50},    {DispatchKind::DeepEp, h800, 16, 8, 8, 43},
      {DispatchKind::DeepEp, b200, 8, 8, 8, 391},    {DispatchKind::HybridEp, b200, 8, 8, 8, 533},
      {DispatchKind::HybridEp, b200, 8, 72, 8, 544}, {DispatchKind::HybridEp, b200, 32, 72, 8, 454},
      {DispatchKind::HybridEp, h100, 32, 8, 8, 49},  {DispatchKind::HybridEp, h100, 64, 8, 8, 44},
      {DispatchKind::HybridEp, h100, 16, 8, 8, 56},
  };
  for (const Case& c : cases) {
    const Ranks ranks(c.ranks, c.domain, c.machine);
    const FeedForward f = experts(8, static_cast<std::uint64_t>(c.limit));
    const double units =
        c.ranks > c.domain ? static_cast<double>(c.ranks / c.domain) : static_cast<double>(c.ranks);
    const double seconds = ranks.of(with(c.kind), f).cost.seconds;
    const double rate = tokens * width * 2 * distinctUnits(f, units) / seconds / 1e9;
    EXPECT_NEAR(rate / c.measured, 1, c.ranks == 16 ? 0.3 : 0.12)
        << c.ranks << " ranks: " << rate << " of " << c.measured;
  }
}

// What a step leaves of the network to the library is nothing to dispatchers; what goes further
// leaves through the ports that the nearer traffic has too.
TEST(TokenDispatchTest, PortsCarryWhatGoesFurther) {
  Ranks flat(64, 8, h100), tiered(64, 8, h100);
  LinkLevel leaf = tiered.levels.back();
  leaf.level = Level::Leaf, leaf.devices = 32;
  tiered.levels.insert(tiered.levels.begin() + 1, leaf);
  tiered.inside = {8, 32, 64};
  const Kernels kernels = with(DispatchKind::HybridEp);
  const double one = flat.of(kernels, experts()).cost.seconds;
  EXPECT_NEAR(tiered.of(kernels, experts()).cost.seconds, one, 1e-9);
  tiered.levels.back().oversubscription = 4;
  EXPECT_GT(tiered.of(kernels, experts()).cost.seconds, 1.5 * one);
  flat.levels.back().inStep = 0.1;
  EXPECT_EQ(flat.of(kernels, experts()).cost.seconds, one);
}
