//===- ExpertVolumeTest.cpp - Who sends how many tokens to whose experts ----------------------===//
#include "cost/step/ExpertVolume.h"
#include "simulate/plan/Simulation.h"
#include "support/math/TokenRouting.h"
#include "tests/unit/CompiledPlan.h"
#include <cmath>
#include <gmock/gmock.h>
#include <numeric>

using namespace dpl;
using testing::ElementsAre;

namespace {
/// 16 ranks of two experts each, two of which each of 512 tokens a rank chooses.
ir::Plan planWith(const std::string& experts) {
  return test::completedPlan("experts.dpl", fmt::format(R"(
import std.models
import std.textbook
cluster flat from textbook.flat {{ nodes = 16, node.gpu.memory = 10TB }}
model moe from models.decoder {{
  layers = 1, hidden = 1024, heads = 8, vocab = 32_000, context = 512tok
  ffn = experts {{ count = 32, top_k = 2, width = 1024, {} }}
}}
layout plain for moe on flat {{
  mesh {{ data = rest, experts {{ data = 1, expert = rest }} }}
  batch = 16seq
  optimizer_time = 0s
}}
)",
                                                        experts));
}
double sumOf(const std::vector<double>& of) { return std::accumulate(of.begin(), of.end(), 0.0); }
} // namespace

// What is sent is received, and a skewed popularity moves as many tokens as an even one.
TEST(ExpertVolume, CarriesAllChoicesOfAllTokens) {
  for (const char* popularity : {"uniform", "lognormal { cv = 0.5 }", "pareto { shape = 2.0 }"})
    for (const std::uint64_t seed : {1U, 2U}) {
      const ir::Plan plan = planWith(fmt::format("popularity = {}", popularity));
      const cost::ExpertVolume volume = cost::expertVolume(plan, seed);
      ASSERT_EQ(volume.sent.size(), 16U);
      for (const std::vector<double>& row : volume.sent)
        EXPECT_EQ(sumOf(row), 2 * 512) << popularity;
      const std::vector<double>& ranks = volume.ranks;
      ASSERT_EQ(volume.experts.size(), 32U);
      for (std::size_t rank = 0; rank < 16; ++rank)
        EXPECT_EQ(ranks[rank], volume.experts[2 * rank] + volume.experts[2 * rank + 1]);
      EXPECT_EQ(sumOf(ranks), 16 * 2 * 512);
      // No token chooses an expert twice.
      EXPECT_LE(*std::max_element(volume.experts.begin(), volume.experts.end()), 16 * 512);
      const double busiest = *std::max_element(ranks.begin(), ranks.end()) / (2 * 512);
      EXPECT_EQ(busiest > 1.15, llvm::StringRef(popularity) != "uniform") << busiest << popularity;
    }
}

// Of each rank an expert takes ⌈1.25 · 2 · 512/32⌉ = 40.
TEST(ExpertVolume, WithACapacity_HasNoMoreThanThat) {
  const cost::ExpertVolume volume = cost::expertVolume(
      planWith("popularity = pareto { shape = 2.0 }, capacity_factor = 1.25"), 1);
  for (const std::vector<double>& row : volume.sent)
    for (const double tokens : row)
      EXPECT_LE(tokens, 2 * 40);
  EXPECT_LT(sumOf(volume.ranks), 16 * 2 * 512);
}

TEST(ExpertVolume, IsInTheJsonOfSteps) {
  const ir::Plan plan = planWith("popularity = uniform");
  simulation::SimulationRequest request;
  request.steps = 2;
  const Json json = simulation::renderJson(plan, simulation::runSteps(plan, request));
  EXPECT_EQ(json["routing"]["sent"].size(), 16U);
  EXPECT_EQ(json["routing"]["ranks"].size(), 16U);
  const ir::Plan even = planWith("popularity = even");
  EXPECT_FALSE(
      simulation::renderJson(even, simulation::runSteps(even, request)).contains("routing"));
}

// 12 is halved, then 7 and 6 are the most: 7 is halved.
TEST(TokenRouting, CopiesAreOfTheBusiest) {
  EXPECT_THAT(simulate::loadsOfCopies({1, 12, 7}, 2), ElementsAre(1, 6, 6, 3.5, 3.5));
  EXPECT_THAT(simulate::loadsOfCopies({12, 1}, 2), ElementsAre(4, 4, 4, 1));
}
