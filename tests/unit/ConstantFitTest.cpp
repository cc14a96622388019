//===- ConstantFitTest.cpp - Constants fitted to errors that were planted ---------------------===//
#include "driver/score/ConstantFit.h"
#include "driver/score/Constants.h"
#include "support/math/Random.h"
#include "tests/unit/CompiledPlan.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::score;

namespace {
constexpr std::size_t launch = 0, matmul = 1;
const ConstantUse matmulOfH100{matmul, 90, 700'000}, launchOfH100{launch, 90, 55'000'000};

/// Rows of five families. The step shrinks as a power of the rate of GEMMs and grows with launches.
/// Measured are the predictions with both constants multiplied by a factor of the family, and noise
/// of a hundredth.
class Planted {
public:
  Planted() {
    simulate::Draws draws({7});
    for (unsigned i = 0; i < 100; ++i) {
      ScoredRow& row = history.scores.rows.emplace_back();
      row.constants.capability = 90;
      row.constants.values[matmul] = matmulOfH100.value;
      row.constants.values[launch] = launchOfH100.value;
      SensitiveRow sensitive;
      sensitive.row = &row;
      sensitive.family = fmt::format("family {}", i % 5);
      sensitive.exponents[matmul] = -0.9 + 0.5 * draws.uniform();
      if (i % 2 == 0)
        sensitive.exponents[launch] = 0.3 * draws.uniform();
      sensitive.error =
          -std::log(factor(i % 5)) * sensitive.exponents[matmul] + 0.01 * (2 * draws.uniform() - 1);
      history.rows.push_back(sensitive);
    }
  }
  /// What the rate of GEMMs has to be multiplied by: 10 % less in four families.
  static double factor(unsigned family) { return family == 4 ? 1.2 : 0.9; }
  ConstantHistory history;
};
} // namespace

TEST(ConstantFit, OfPlantedErrors_FindsTheFactorOfMostRows) {
  const Planted planted;
  std::vector<const SensitiveRow*> rows;
  for (const SensitiveRow& row : planted.history.rows)
    if (row.family != "family 4")
      rows.push_back(&row);
  const ConstantFactors factors = fitConstants(rows);
  ASSERT_EQ(factors.size(), 2U);
  EXPECT_NEAR(factors.at(matmulOfH100), 0.9, 0.01);
  EXPECT_NEAR(factors.at(launchOfH100), 1, 0.05); // errors do not depend on it
}

TEST(ConstantFit, OfAllButOneFamily_MovesIfThisFamilyDiffers) {
  const Planted planted;
  for (const ConstantBasis& basis : constantBases(planted.history)) {
    EXPECT_EQ(basis.families.size(), 5U);
    EXPECT_EQ(basis.rows, basis.use.constant == matmul ? 100U : 50U);
    EXPECT_LE(basis.least, basis.fitted);
    EXPECT_GE(basis.most, basis.fitted);
    if (basis.use.constant == matmul)
      EXPECT_NEAR(basis.least, 0.7 * 0.9, 0.01); // without the family that differs
  }
}

TEST(ConstantFit, ConstantsOfAPlan_AreThoseThatNobodySets) {
  const ir::Plan plan = test::completedPlan("constants.dpl", R"(
import std.models
import std.clusters
model llm from models.llama3_8b
cluster node from clusters.dgx_h100 { nodes = 2 }
layout plan for llm on node { mesh { data = 4, tensor = 4 }, batch = 64seq, shard.optimizer = data }
)");
  RowSettings settings;
  const PlanConstants all = constantsOf(plan, settings);
  EXPECT_EQ(all.capability, 90U);
  EXPECT_EQ(all.values[matmul], 700'000U);
  EXPECT_EQ(all.values[launch], 55'000'000U);
  EXPECT_EQ(all.values[2], 0U);       // rates of 8 bits
  EXPECT_EQ(all.values[9], 650'000U); // in_step_efficiency
  settings.set("cluster.node.gpu.sustained.matmul", "0.6");
  EXPECT_EQ(constantsOf(plan, settings).values[matmul], 0U);
  settings.set("cluster.node.gpu.sustained", "devices.a100_40.sustained");
  EXPECT_EQ(constantsOf(plan, settings).values[5], 0U); // rate of memory
}
