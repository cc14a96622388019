//===- FieldTextsTest.cpp - The fields of a plan as paths and texts ---------------------------===//
#include "ir/FieldTexts.h"
#include "SamplePlan.h"
#include <gmock/gmock.h>
#include <set>

using namespace dpl;
using testing::HasSubstr;

namespace {
std::string valueOf(const ir::Plan& plan, llvm::StringRef path) {
  for (const ir::FieldText& field : ir::fieldTexts(plan))
    if (field.path == path)
      return field.value;
  return "absent";
}
} // namespace

TEST(FieldTexts, AreWhatThePrintedPlanHas) {
  ir::Plan plan = test::samplePlan();
  plan.layout.batch = 96;
  EXPECT_EQ(valueOf(plan, "layout.batch"), "96");
  EXPECT_EQ(valueOf(plan, "model.class[0].attention.kind"), "grouped");
  EXPECT_EQ(valueOf(plan, "cluster.class[0].nodes"), std::to_string(plan.cluster.nodes));
  EXPECT_EQ(valueOf(plan, "model.name"), '"' + plan.model.name + '"');
  // Each member of the parts is one line of the printed plan, or stands in one.
  const std::string printed = ir::print(plan);
  std::set<std::string> paths;
  for (const ir::FieldText& field : ir::fieldTexts(plan)) {
    EXPECT_TRUE(paths.insert(field.path).second) << field.path;
    EXPECT_THAT(printed, HasSubstr(field.value)) << field.path;
  }
  EXPECT_GT(paths.size(), 100U);
}

TEST(FieldTexts, OfAChangedMember_DifferThereAlone) {
  const ir::Plan plan = test::samplePlan();
  ir::Plan other = plan;
  other.layout.batch *= 2;
  other.cluster.classes[0].device.peak.begin()->second *= 2;
  const std::vector<ir::FieldText> before = ir::fieldTexts(plan), after = ir::fieldTexts(other);
  ASSERT_EQ(before.size(), after.size());
  std::vector<std::string> changed;
  for (std::size_t i = 0; i < before.size(); ++i)
    if (before[i].value != after[i].value)
      changed.push_back(before[i].path);
  EXPECT_THAT(changed, testing::ElementsAre("cluster.class[0].device.peak", "layout.batch"));
}
