//===- LinkRatesTest.cpp - Links whose rates vary in simulated steps --------------------------===//
#include "simulate/diagnosis/Diagnosis.h"
#include "simulate/plan/Simulation.h"
#include "tests/unit/CompiledPlan.h"
#include <cmath>

using namespace dpl;
using namespace dpl::simulation;

namespace {
/// Data ranks of 100 ms a step, which reduce so many parameters in a ring behind it.
ir::Plan planOf(std::uint64_t nodes, const std::string& links,
                std::uint64_t parameters = 250'000'000, const std::string& more = "") {
  return test::completedPlan("links.dpl", fmt::format(R"(
import std.textbook
cluster flat from textbook.flat {{
  nodes = {}
  nic {{ bandwidth = 50GB/s per nic, latency = 10us }}
  collectives = closed_form {{ algorithm = ring }}
  {}
}}
model workload from layer_list {{
  layer[0] {{ name = "all", parameters = {}, time {{ forward = 5ms, backward = 7.5ms }} }}
}}
layout plain for workload on flat {{
  mesh {{ data = rest }}
  batch = {}sample
  optimizer_time = 0s
  overlap.gradients = false
  {}
}}
)",
                                                      nodes, links, parameters, 8 * nodes, more));
}

SimulationRequest requestOf(std::uint64_t steps) {
  SimulationRequest request;
  request.steps = steps, request.messages = true, request.links = false;
  return request;
}
SimulationResult resultOf(const ir::Plan& plan, std::uint64_t steps) {
  return runSteps(plan, requestOf(steps));
}

constexpr double ms = 1e9;
/// ps that a ring of all-reduce takes for its bytes, four of a parameter.
double bytesOf(std::uint64_t nodes, std::uint64_t parameters = 250'000'000) {
  const auto n = static_cast<double>(nodes);
  return 2 * (n - 1) / n * static_cast<double>(parameters) * 4 / 50e9 * 1e12;
}

/// The mean of the largest of n log-normal numbers of mean 1: the integral of 1 − F(x)^n.
double largestLogNormal(double n, double cv) {
  const double sigma = std::sqrt(std::log1p(cv * cv)), center = -sigma * sigma / 2, dx = 1e-4;
  double sum = 0;
  for (double x = dx / 2; x < 40; x += dx)
    sum += (1 - std::pow(std::erfc((center - std::log(x)) / (sigma * std::sqrt(2.0))) / 2, n)) * dx;
  return sum;
}
} // namespace

// Every rank of a ring waits for its neighbours in each of its steps, so that the slowest link sets
// the pace from the first on: of n ranks the slowest of n links out and n in.
TEST(LinkRates, OfARing_AreThoseOfItsSlowestLink) {
  for (const std::uint64_t nodes : {2U, 8U, 16U}) {
    const double cv = 0.3;
    const ir::Plan plan = planOf(nodes, "link_jitter { jitter = lognormal { cv = 0.3 } }");
    const SimulationResult result = resultOf(plan, 400);
    const double bytes = bytesOf(nodes), rest = static_cast<double>(result.steady) - bytes;
    EXPECT_NEAR(rest, 100 * ms + 2 * static_cast<double>(nodes - 1) * 1e7, 1e4);
    const double links = 2 * static_cast<double>(nodes);
    ASSERT_TRUE(result.halfWidth());
    EXPECT_NEAR(result.sample().mean(), rest + bytes * largestLogNormal(links, cv),
                2 * *result.halfWidth()) // four standard errors
        << nodes;
    EXPECT_LT(*result.halfWidth(), 0.05 * bytes);
  }
}

TEST(LinkRates, OfTwoValues_GiveStepsOfTwoLengths) {
  const SimulationResult result =
      resultOf(planOf(2, "link_jitter { jitter = measured { times = [1, 3] } }"), 400);
  const double bytes = bytesOf(2), rest = static_cast<double>(result.steady) - bytes;
  std::size_t quick = 0;
  for (const std::uint64_t step : result.steps) {
    const bool of = static_cast<double>(step) < static_cast<double>(result.steady);
    quick += of;
    EXPECT_NEAR(static_cast<double>(step), rest + (of ? 0.5 : 1.5) * bytes, 4);
  }
  EXPECT_NEAR(static_cast<double>(quick), 400.0 / 16, 4 * std::sqrt(400.0 / 16)); // all four links
}

// Of two links, which each are at twice the rate or two thirds of it, a message has the slower: at
// twice the rate in a quarter of the time, and 1/4 · 2 + 3/4 · 2/3 = 1.
TEST(LinkRates, ThatChangeOftenInAMessage_BringTheirMeanRate) {
  const std::string often = "link_jitter { jitter = measured { times = [1, 3] }, interval = 10us }";
  const SimulationResult result = resultOf(planOf(2, often), 10);
  EXPECT_NEAR(result.sample().mean(), static_cast<double>(result.steady), 0.02 * bytesOf(2));
}

TEST(LinkRates, ThatLastLongerThanAStep_ChangeWithSteps) {
  const std::string jitter = "link_jitter { jitter = gamma { cv = 0.4 }";
  const SimulationResult each = resultOf(planOf(4, jitter + " }"), 20);
  EXPECT_EQ(resultOf(planOf(4, jitter + ", interval = 10s }"), 20).steps, each.steps);
  EXPECT_NE(resultOf(planOf(4, jitter + ", interval = 105ms }"), 20).steps, each.steps);
  SimulationRequest alone = requestOf(20);
  alone.threads = 1;
  EXPECT_EQ(runSteps(planOf(4, jitter + " }"), alone).steps, each.steps);
}

TEST(LinkRates, OfASpreadOfNothing_AndOfNoMessages_DoNotVary) {
  EXPECT_EQ(resultOf(planOf(4, "link_jitter { jitter = gamma { cv = 0 } }"), 5).steps.size(), 1U);
  EXPECT_EQ(resultOf(planOf(4, "link_jitter { jitter = gamma { cv = 0.4 } }", 0), 5).steps.size(),
            1U);
}

TEST(LinkRates, AreOfTheMessageLevelAlone) {
  const ir::Plan plan = planOf(4, "link_jitter { jitter = gamma { cv = 0.4 } }");
  EXPECT_NE(whyNotSimulated(plan, SimulationRequest{}), "");
  EXPECT_EQ(whyNotSimulated(plan, requestOf(5)), "");
  const ir::Plan often = planOf(4, "link_jitter { jitter = gamma { cv = 0.4 }, interval = 1ns }");
  EXPECT_NE(whyNotSimulated(often, requestOf(5)), "");
}

// A tenth of the links is at a twentieth of its rate from some moment on.
TEST(LinkRates, OfAFewSlowLinks_AreNamedAsTheCause) {
  const ir::Plan plan = planOf(
      16, "link_jitter { jitter = bimodal { fraction = 0.1, slowdown = 20 }, interval = 40ms }",
      1'000'000'000);
  const diagnosis::Diagnosis found = diagnosis::diagnose(plan, requestOf(8), {});
  ASSERT_NE(found.verdict, nullptr);
  EXPECT_STREQ(found.verdict->key, "link_jitter");
  const ir::Plan even = planOf(16, "", 1'000'000'000);
  const diagnosis::Diagnosis quiet = diagnosis::diagnose(even, requestOf(8), {});
  ASSERT_NE(quiet.verdict, nullptr);
  EXPECT_STREQ(quiet.verdict->key, "bandwidth");
}
