//===- SensitivityTest.cpp - Which varied field changes the first output of a study most ------===//
#include "driver/study/Sensitivity.h"
#include "tests/unit/StudyRuns.h"
#include <cmath>
#include <gmock/gmock.h>

using namespace dpl;
using namespace dpl::test;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
using Fields = std::vector<std::pair<const char*, std::vector<std::string>>>;

/// Results with one output, whose values at the points are given in order.
study::Results resultsOf(const Fields& fields, const std::vector<double>& values,
                         const char* output = "step_time",
                         ir::SamplingKind sampling = ir::SamplingKind::Grid) {
  study::Results results;
  results.layout = "plain", results.space.name = "scale";
  results.space.kind = ir::SpaceKind::Study, results.space.sampling.kind = sampling;
  for (const auto& [path, candidates] : fields) {
    ir::OpenField field;
    field.path = path, field.values = candidates;
    results.space.open.push_back(field);
  }
  results.space.outputs = {output};
  results.dimensions = {study::dimensionOfOutput(results.space, output)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    study::StudyPoint point;
    point.number = i, point.values = {values[i]};
    results.points.push_back(point);
  }
  return results;
}

std::string textOf(const study::Results& results) {
  const std::optional<study::Sensitivity> sensitivity = study::sensitivityOf(results);
  return sensitivity ? study::textOf(*sensitivity, results) : "";
}
const double none = std::nan("");
} // namespace

TEST(Sensitivity, TheFieldWithTheLargestRatioComesFirst) {
  const Fields fields = {{"pod.nodes", {"2", "8"}}, {"pod.jitter.cv", {"0", "0.1", "0.2"}}};
  // nodes: at most 12/10; cv: at most 36/12.
  const study::Results results = resultsOf(fields, {10, 11, 25, 12, 13, 36});
  EXPECT_EQ(textOf(results), "step_time changes most with cv: 3 times from 0 to 0.2 at nodes = 8; "
                             "with nodes +44 %");
  const Json json = study::json(study::sensitivityOf(results), results);
  EXPECT_EQ(json["output"], "step_time");
  EXPECT_EQ(json["effects"][0]["fields"], Json::array({"pod.jitter.cv"}));
  EXPECT_EQ(json["effects"][0]["ratio"], 3);
  EXPECT_EQ(json["effects"][0]["lowest_point"], 3);
  EXPECT_EQ(json["effects"][0]["highest_point"], 5);
  EXPECT_EQ(json["effects"][1]["fields"], Json::array({"pod.nodes"}));
}

TEST(Sensitivity, ValuesThatAreNotPositive_AreComparedByTheirDifference) {
  const Fields fields = {{"pod.nodes", {"2", "8"}}, {"pod.jitter.cv", {"0", "0.1"}}};
  EXPECT_EQ(textOf(resultsOf(fields, {0, 3, 1, 2})),
            "step_time changes most with cv: by 3s from 0 to 0.1 at nodes = 2; with nodes by 1s");
}

TEST(Sensitivity, PointsThatDoNotRun_AreLeftOut) {
  const Fields fields = {{"pod.nodes", {"2", "4", "8"}}};
  EXPECT_EQ(textOf(resultsOf(fields, {none, 4, 2})),
            "step_time changes most with nodes: 2 times from 8 to 4");
  EXPECT_EQ(textOf(resultsOf(fields, {none, 4, none})), "");
}

TEST(Sensitivity, WithZip_TheFieldsThatDifferAreNamedTogether) {
  const Fields fields = {{"pod.nodes", {"2", "2", "2"}}, {"pod.jitter.cv", {"0", "0.1", "0.2"}}};
  EXPECT_EQ(textOf(resultsOf(fields, {10, 11, 20}, "step_time", ir::SamplingKind::Zip)),
            "step_time changes most with cv: 2 times from cv = 0 to cv = 0.2");
}

TEST(Sensitivity, RandomPointsShardsAndConstantOutputs_HaveNone) {
  const Fields fields = {{"pod.nodes", {"2", "4", "8"}}};
  EXPECT_EQ(textOf(resultsOf(fields, {1, 2, 3}, "step_time", ir::SamplingKind::Random)), "");
  EXPECT_EQ(textOf(resultsOf(fields, {1, 2})), "");
  EXPECT_EQ(textOf(resultsOf(fields, {2, 2, 2})), "");
  const study::Results constant = resultsOf(fields, {2, 2, 2});
  EXPECT_EQ(study::json(study::sensitivityOf(constant), constant), Json());
}

TEST(Sensitivity, IsBelowTheTable) {
  const Ran ran = run(fileOf("  vary { pod.jitter.cv in [0, 0.1] }\n  outputs = [step_time]"));
  ASSERT_TRUE(ran.results) << ran.errors;
  EXPECT_THAT(study::screen(*ran.results, 100), HasSubstr("step_time changes most with cv: +"));
  EXPECT_TRUE(study::json(*ran.results)["sensitivity"]["effects"].is_array());
}
