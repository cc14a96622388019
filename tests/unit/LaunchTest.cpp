//===- LaunchTest.cpp - The launch of a plan, and texts that reach files ----------------------===//
#include "SamplePlan.h"
#include "backends/Backend.h"
#include "backends/Yaml.h"
#include "support/Diagnostics.h"
#include <gmock/gmock.h>

using namespace dpl;

namespace {
ir::Launch sampleLaunch() {
  ir::Launch launch;
  launch.name = "job", launch.run = "train";
  launch.via = ir::ViaKind::Kubernetes;
  launch.environment = {{"A", "it's \"quoted\"\n$(x) \\ \x01"}, {"B", ""}};
  launch.mounts = {{"/data", "/lustre/da ta"}};
  launch.program = {"train.py", "--x"};
  launch.ranges = {{"launch", {1, 2, 3}}, {"launch.env.A", {1, 5, 9}}};
  return launch;
}
} // namespace

TEST(Launch, OfAPlan_ReadsBackAndIsNoPartOfTheHash) {
  ir::Plan plan = test::samplePlan();
  const std::string hash = ir::contentHash(plan);
  plan.runs = {
      {"train", {{1, 1000, 125, 8}}, {}, {500, 2, ir::CheckpointMode::Async, 0, {}}, 12.5}};
  plan.launches = {sampleLaunch(), sampleLaunch()};
  DiagnosticEngine diags;
  const FailureOr<ir::Plan> back = ir::read(ir::print(plan), "plan.ir", diags);
  ASSERT_FALSE(back.failed()) << diags.diagnostics().front().message;
  EXPECT_TRUE(ir::equal(*back, plan));
  EXPECT_EQ(back->launches.at(1).environment, plan.launches.at(1).environment);
  EXPECT_EQ(ir::contentHash(plan), hash);
  EXPECT_EQ(plan.launch(), nullptr) << "none of two is the launch";
}

TEST(Launch, RangeOfAField_IsTheNearestThatWasGiven) {
  const ir::Launch launch = sampleLaunch();
  EXPECT_EQ(launch.rangeOf("launch.env.A").begin, 5U);
  EXPECT_EQ(launch.rangeOf("launch.env.B").begin, 2U);
  EXPECT_EQ(launch.rangeOf("run.phase").begin, 2U);
}

TEST(Launch, WithoutARun_BreaksARuleOfTheVerifier) {
  ir::Plan plan = test::samplePlan();
  plan.launches = {sampleLaunch()};
  plan.launches[0].run = "";
  EXPECT_THAT(ir::verify(plan), testing::Contains("a launch has no name or no run"));
}

TEST(Texts, CharactersThatEndALineSomewhere_AreEscaped) {
  // NEL, the separators and the byte order mark end a line or are refused in YAML 1.1.
  EXPECT_EQ(quoted("a\u0085b\u2028c\u2029d\ufeffe\U0001f600"),
            "\"a\\u0085b\\u2028c\\u2029d\\ufeffe\U0001f600\"");
  EXPECT_EQ(oneLine("a\u0085b\u2028c\nd\x7f é"), "a?b?c?d? é");
}

TEST(Yaml, StringsThatLookLikeSomethingElse_AreQuoted) {
  EXPECT_EQ(yamlDocument({{"a", "no"},
                          {"b", "007"},
                          {"c", "word"},
                          {"d", Json::array({"x: y", 1, true})},
                          {"e", Json::object()},
                          {"f: g", {{"h", Json::array({Json{{"i", ""}, {"j", "~"}}})}}}}),
            "---\n"
            "a: \"no\"\n"
            "b: \"007\"\n"
            "c: word\n"
            "d:\n"
            "  - \"x: y\"\n"
            "  - 1\n"
            "  - true\n"
            "e: {}\n"
            "\"f: g\":\n"
            "  h:\n"
            "    - i: \"\"\n"
            "      j: \"~\"\n");
}
