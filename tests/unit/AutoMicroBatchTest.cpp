//===- AutoMicroBatchTest.cpp - `micro_batch = auto` is the best of all sizes
//---------------------===//
#include "planner/AutoMicroBatch.h"
#include "figures/Figures.h"
#include "tests/unit/CompiledPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
std::string file(const std::string& size, const std::string& memory, const std::string& batch) {
  return fmt::format(R"(
import std.models
import std.clusters
model llm from models.gpt2_small
cluster pod from clusters.dgx_h100 {{ nodes = 1, node.gpu.memory = {} }}
layout plan for llm on pod {{
  batch = {}
  mesh {{ pipeline = 4, data = 2 }}
  micro_batch = {}
}}
)",
                     memory, batch, size);
}
ir::Plan planOf(const std::string& size, const std::string& memory, const std::string& batch) {
  return test::completedPlan("plan.dpl", file(size, memory, batch));
}
} // namespace

TEST(AutoMicroBatch, Sizes_AreTheDivisors) {
  EXPECT_EQ(planner::microBatchSizes(12), (std::vector<std::uint64_t>{1, 2, 3, 4, 6, 12}));
  EXPECT_EQ(planner::microBatchSizes(1), std::vector<std::uint64_t>{1});
  // More than 24 divisors: the powers of two.
  EXPECT_EQ(planner::microBatchSizes(720'720), (std::vector<std::uint64_t>{1, 2, 4, 8, 16}));
}

TEST(AutoMicroBatch, IsTheFastestOfAllSizes) {
  for (const char* batch : {"96seq", "256seq"}) {
    const ir::Plan found = planOf("auto", "80GiB", batch);
    const double step = figures::Figures(found).value("step_time").value_or(0);
    EXPECT_FALSE(found.layout.microBatchAutomatic);
    for (const std::uint64_t size : planner::microBatchSizes(found.layout.batch / 2)) {
      const ir::Plan other = planOf(fmt::format("{}seq", size), "80GiB", batch);
      EXPECT_LE(step, figures::Figures(other).value("step_time").value_or(0) * (1 + 1e-9)) << size;
      if (size == found.layout.microBatch) {
        EXPECT_EQ(step, figures::Figures(other).value("step_time").value_or(0));
      }
    }
  }
}

// With less memory it is smaller, and fits.
TEST(AutoMicroBatch, Fits) {
  const ir::Plan roomy = planOf("auto", "80GiB", "256seq"),
                 tight = planOf("auto", "6GiB", "256seq");
  ASSERT_FALSE(testing::Test::HasFailure());
  EXPECT_LT(tight.layout.microBatch, roomy.layout.microBatch);
  for (const ir::RankMemory& rank : tight.memory)
    EXPECT_GE(rank.headroom(), 0);
}
