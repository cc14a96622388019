//===- CompressionTest.cpp - What reductions become that are compressed -----------------------===//
//
// Bytes against closed forms worked out by hand; steps of small plans.
#include "cost/programs/Compression.h"
#include "ir/Arithmetic.h"
#include "tests/unit/TinyPlan.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::ir;

namespace {
Plan planOf(const std::string& rest, const std::string& mesh = "data = 16",
            const std::string& cluster = "") {
  return test::tinyPlan(mesh, rest, cluster);
}

/// Of 25 million gradients of 4 bytes over `ranks`.
cost::CompressedReduction of(CompressionKind kind, double ranks,
                             CollectiveKind collective = CollectiveKind::AllReduce) {
  Plan plan;
  Compression c;
  c.kind = kind, c.density = 0.01, c.rank = 4;
  plan.layout.compression = {c};
  plan.layout.precision.reduce = DataType::FP32;
  cost::ReducedGradients g;
  g.kind = collective, g.elements = 25e6, g.ranks = ranks;
  if (kind == CompressionKind::LowRank) // one matrix of 4096 × 1024, the rest as it is
    g.inFactors = 4096 * 1024, g.leftFactor = 4096, g.rightFactor = 1024;
  return cost::compressed(plan, g, {});
}
/// What one rank sends of its part of a gather, or of an all-reduce in a ring.
double sentBy(const cost::ReductionCollective& call, double n) {
  return (call.kind == CollectiveKind::AllReduce ? 2 : 1) * (n - 1) / n * call.bytes;
}
/// Bytes of the gradients of a step.
std::map<CollectiveKind, double> sent(const Plan& plan) {
  std::map<CollectiveKind, double> bytes;
  for (const Collective& c : plan.collectives)
    if (c.purpose == CollectivePurpose::GradientReduce)
      bytes[c.kind] += real(c.count) * real(c.bytes);
  return bytes;
}
} // namespace

TEST(Compression, TopK_IsGatheredAndWinsBelowAHundredRanksOnly) {
  // 1 % of the values with an index each, from every other rank; a ring sends 2(n−1)/n·100 MB.
  const auto at64 = of(CompressionKind::TopK, 64), at128 = of(CompressionKind::TopK, 128);
  EXPECT_EQ(at64.payload, 250'000 * 8.0); // 50 times less
  ASSERT_EQ(at64.collectives.size(), 1U);
  EXPECT_EQ(at64.collectives[0].kind, CollectiveKind::AllGather);
  EXPECT_NEAR(sentBy(at64.collectives[0], 64), 126e6, 1);
  EXPECT_NEAR(sentBy({CollectiveKind::AllReduce, 100e6}, 64), 196.9e6, 0.1e6);
  EXPECT_NEAR(sentBy(at128.collectives[0], 128), 254e6, 1); // more than 198
  // Equal at a density of 2·value / (n·(value + index)): 1 % of 100 ranks.
  const auto equal = of(CompressionKind::TopK, 100);
  EXPECT_NEAR(sentBy(equal.collectives[0], 100), sentBy({CollectiveKind::AllReduce, 100e6}, 100),
              1);
}

TEST(Compression, Quantised_IsExchangedSummedAndGathered) {
  // A byte a value and a scale of 4 bytes for each 256 of them.
  const double payload = 25e6 + 4 * std::ceil(25e6 / 256);
  const auto made = of(CompressionKind::Quantised, 64);
  ASSERT_EQ(made.collectives.size(), 2U);
  EXPECT_EQ(made.collectives[0].kind, CollectiveKind::AllToAll);
  EXPECT_EQ(made.collectives[1].kind, CollectiveKind::AllGather);
  EXPECT_EQ(made.collectives[0].bytes, payload);
  EXPECT_EQ(made.collectives[1].bytes, payload);
  EXPECT_EQ(of(CompressionKind::Quantised, 64, CollectiveKind::ReduceScatter).collectives.size(),
            1U);
}

// 25.6 million values of 4 bytes are 26 MB with the scales of their blocks. They are read (102.4
// MB), coded and summed (2 × 26), the part of a 64th is coded again (26 / 64), and what is gathered
// is read and written whole (26 + 102.4); what was not sent is read, kept (2 × 102.4) and
// subtracted.
TEST(Compression, Quantised_TakesTheTimeOfTheBytesThatItMoves) {
  Device device;
  device.memoryBandwidth = 8'000'000'000; // 1 GB/s
  for (const bool feedback : {false, true}) {
    Plan plan;
    Compression c;
    c.kind = CompressionKind::Quantised, c.feedback = feedback;
    plan.layout.compression = {c};
    plan.layout.precision.reduce = plan.layout.precision.gradients = DataType::FP32;
    cost::ReducedGradients g;
    g.kind = CollectiveKind::AllReduce, g.elements = 25.6e6, g.ranks = 64;
    const double megabytes = 102.4 + 2 * 26 + 26 / 64.0 + 26 + 102.4;
    EXPECT_NEAR(cost::compressed(plan, g, {device}).coding,
                1e-3 * (megabytes + (feedback ? 3 * 102.4 : 0)), 1e-9);
  }
}

TEST(Compression, LowRank_SendsFactorsOfMatricesAndTheRestWhole) {
  const auto made = of(CompressionKind::LowRank, 64);
  const double rest = 25e6 - 4096 * 1024;
  ASSERT_EQ(made.collectives.size(), 2U);
  EXPECT_EQ(made.collectives[0].bytes, 4 * (4 * 4096 + rest));
  EXPECT_EQ(made.collectives[1].bytes, 4 * 4 * 1024.0);
  EXPECT_NEAR(4096 * 1024.0 / (4 * (4096 + 1024)), 204.8, 1e-9); // of the matrix alone
  EXPECT_EQ(made.payload, made.collectives[0].bytes + made.collectives[1].bytes);
}

TEST(Compression, OfAPlan_IsWhatItSends) {
  const double whole = sent(planOf(""))[CollectiveKind::AllReduce];
  auto topK = sent(planOf("  compression = top_k { density = 0.01 }\n"));
  EXPECT_EQ(topK.count(CollectiveKind::AllReduce), 0U);
  EXPECT_NEAR(topK[CollectiveKind::AllGather], 16 * 0.02 * whole, 1e-4 * whole);
  auto bits = sent(planOf("  compression = quantized { bits = 4, block = 128 }\n"));
  EXPECT_NEAR(bits[CollectiveKind::AllToAll], whole * (0.5 + 4.0 / 128) / 4, 1e-4 * whole);
  EXPECT_EQ(bits[CollectiveKind::AllToAll], bits[CollectiveKind::AllGather]);
  const Plan factors = planOf("  compression = low_rank\n");
  EXPECT_LT(sent(factors)[CollectiveKind::AllReduce], 0.05 * whole);
  EXPECT_NEAR(test::valueOf(factors, "gradient_compression.ratio"),
              whole / sent(factors)[CollectiveKind::AllReduce],
              0.01 * test::valueOf(factors, "gradient_compression.ratio"));
}

TEST(Compression, TakesMemoryForWhatWasNotSent) {
  const Plan plan = planOf("  compression = low_rank\n"),
             forgets = planOf("  compression = quantized\n"),
             keeps = planOf("  compression = quantized { error_feedback = true }\n"),
             whole = planOf("");
  const double parameters = real(whole.costs.front().parameters);
  EXPECT_EQ(real(keeps.memory.front().buffers) - real(forgets.memory.front().buffers),
            4 * parameters);
  EXPECT_GT(plan.memory.front().buffers, whole.memory.front().buffers + 4 * 100'000'000);
}

TEST(Compression, BetweenReplicas_IsOfTheShards) {
  const std::string sharded = "  shard { optimizer = data, gradients = data, parameters = data }\n",
                    mesh = "replica = 2 across node, data = 8 within node";
  auto whole = sent(planOf(sharded, mesh)),
       bits = sent(planOf(sharded + "  compression = quantized\n", mesh));
  EXPECT_EQ(whole[CollectiveKind::ReduceScatter], bits[CollectiveKind::ReduceScatter]);
  EXPECT_NEAR(bits[CollectiveKind::AllToAll],
              whole[CollectiveKind::AllReduce] * (1 + 4.0 / 256) / 4,
              1e-3 * whole[CollectiveKind::AllReduce]);
  // Without replicas the scattering itself is an exchange.
  auto alone = sent(planOf(sharded + "  compression = quantized\n"));
  EXPECT_EQ(alone.count(CollectiveKind::ReduceScatter), 0U);
  EXPECT_GT(alone[CollectiveKind::AllToAll], 0);
}

TEST(Compression, PaysWhereTheLinkIsSlow) {
  const std::string slow = ", nic { bandwidth = 10Gbps per nic, count = 0.125 per gpu }";
  const Plan whole = planOf("", "data = 16", slow),
             factors = planOf("  compression = low_rank\n", "data = 16", slow);
  EXPECT_LT(test::valueOf(factors, "step_time"), 0.5 * test::valueOf(whole, "step_time"));
  EXPECT_GT(test::valueOf(factors, "gradient_compression.speedup"), 5);
  // Slow coding costs its own time, on the device that computes.
  const Plan coded = planOf("  compression = low_rank { throughput = 1GB/s }\n", "data = 16", slow);
  const double bytes = 4 * real(whole.costs.front().parameters);
  EXPECT_NEAR(test::valueOf(coded, "time.compression"), bytes / 1e9, 1e-3);
  EXPECT_GT(test::valueOf(coded, "step_time"), test::valueOf(factors, "step_time") +
                                                   0.9 * bytes / 1e9 -
                                                   test::valueOf(factors, "time.compression"));
}

// From the calls of both plans, each with what it takes.
TEST(Compression, TheGain_IsWholeReductionsOverCodingAndExchange) {
  const auto reductions = [](const Plan& plan) {
    double seconds = 0;
    for (const Collective& c : plan.collectives)
      if (c.purpose == CollectivePurpose::GradientReduce)
        seconds += real(c.count) * toSeconds(c.time);
    return seconds;
  };
  const std::string slow = ", nic { bandwidth = 10Gbps per nic, count = 0.125 per gpu }";
  for (const std::string& cluster : {std::string(), slow})
    for (const char* kind : {"top_k { density = 0.01 }", "quantized", "low_rank { rank = 8 }"}) {
      const Plan whole = planOf("", "data = 16", cluster),
                 plan = planOf(std::string("  compression = ") + kind + "\n", "data = 16", cluster);
      const double both = reductions(plan) + test::valueOf(plan, "time.compression");
      EXPECT_NEAR(test::valueOf(plan, "gradient_compression.speedup") * both / reductions(whole), 1,
                  1e-3)
          << kind << cluster;
    }
}

TEST(Compression, PartsAddUpToTheStep) {
  for (const char* rest : {"  compression = top_k { density = 0.01 }\n",
                           "  compression = quantized\n  overlap.gradients = false\n",
                           "  compression = quantized\n  shard { optimizer = data, gradients = "
                           "data, parameters = data "
                           "}\n"}) {
    const Plan plan = planOf(rest);
    EXPECT_GT(test::valueOf(plan, "time.compression"), 0);
    EXPECT_NEAR(test::valueOf(plan, "time.compute") + test::valueOf(plan, "time.launch_bound") +
                    test::valueOf(plan, "time.compression") + test::valueOf(plan, "time.exposed") +
                    test::valueOf(plan, "time.bubble") + test::valueOf(plan, "time.optimizer"),
                test::valueOf(plan, "step_time"), 1e-9);
    EXPECT_NEAR(test::valueOf(plan, "time.bubble"), 0, 1e-9) << rest;
  }
}

/// Gradients are coded once, whether the last backward pass runs whole or in halves.
TEST(Compression, UnderSchedulesWithBothKindsOfBackward_CodesOnce) {
  const auto codingOf = [](const char* schedule) {
    const Plan plan =
        planOf(std::string("  compression = quantized\n  schedule = ") + schedule + "\n",
               "pipeline = 2, data = 8");
    EXPECT_NEAR(test::valueOf(plan, "step_time"), test::valueOf(plan, "time.schedule"), 1e-9);
    return test::valueOf(plan, "time.compression");
  };
  EXPECT_NEAR(codingOf("dualpipe_v"), codingOf("v_half"), 1e-9);
}
