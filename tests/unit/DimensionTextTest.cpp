//===- DimensionTextTest.cpp - Dimensions of a printed plan -----------------------------------===//
#include "ir/DimensionText.h"
#include "CompiledPlan.h"
#include "support/UnitTable.h"
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::ir;

TEST(DimensionText, OfEachNameAndEachQuotientAndProductOfTwo_ReadsBack) {
  EXPECT_EQ(dimensionText({}), "");
  EXPECT_EQ(readDimension(""), Dimension{});
  for (const NamedDimension& one : namedDimensions()) {
    EXPECT_EQ(dimensionText(one.dimension), one.typeName);
    for (const NamedDimension& other : namedDimensions())
      for (const Dimension& made :
           {one.dimension.times(other.dimension), one.dimension.over(other.dimension),
            one.dimension.over(other.dimension).over(other.dimension)})
        EXPECT_EQ(readDimension(dimensionText(made)), made) << dimensionText(made);
  }
}

TEST(DimensionText, WithoutAName_IsTheBaseUnit) {
  const Dimension rate = *dimensionNamed("TokenRate"), time = *dimensionNamed("Duration");
  EXPECT_EQ(dimensionText(rate.over(time)), "tok/s^2");
  EXPECT_EQ(dimensionText(Dimension{}.over(time).over(time)), "1/s^2");
  EXPECT_EQ(dimensionText(time.times(time)), "s^2");
}

TEST(DimensionText, ThatIsWrittenOtherwise_IsNone) {
  // One text a dimension: a plan that is read prints as it was.
  for (const char* text : {"bytes", "B", "B/s", "GB^2", "s·s", "s^", "s^1", "s^999999999", "s^-1",
                           "1", "1/", "/s", "tok/s/s", "s^2/tok^0", "FLOP·B", "s ", "·"})
    EXPECT_EQ(readDimension(text), std::nullopt) << text;
}

TEST(DimensionText, OfNumbersOfAPlan_StandsInItsText) {
  const std::string text = R"(
import std.models
import std.clusters

model llm from models.gpt2_small
cluster pod from clusters.dgx_h100 { nodes = 1, energy_price = 0.1usd/kWh, price = 2usd/h per gpu }

layout plan for llm on pod {
  mesh { data = rest }
  batch = 64seq
  let share = 3GiB / 1tok
  assert memory.peak / tokens_per_step <= share
  assert energy.per_token <= 0.5J/tok
  assert cost.per_token <= 0.5usd/Mtok
  assert sequences_per_step / step_time >= 1seq/s
  assert step_time * step_time < 3s * 1000s
  assert tokens_per_second / step_time < 3Ttok/s / 1s
}
)";
  const Plan plan = test::completedPlan("plan.dpl", text);
  std::vector<std::string> dimensions;
  for (const Assertion& assertion : plan.assertions)
    for (const AssertionNode& node : assertion.nodes)
      if (!node.dimension.empty())
        dimensions.push_back(node.dimension);
  EXPECT_THAT(dimensions,
              testing::IsSupersetOf({"B/tok", "TokenEnergy", "TokenPrice", "SequenceRate"}));
  DiagnosticEngine diags;
  const FailureOr<Plan> back = read(print(plan), "plan.ir", diags);
  ASSERT_FALSE(back.failed());
  EXPECT_EQ(print(*back), print(plan));
}
