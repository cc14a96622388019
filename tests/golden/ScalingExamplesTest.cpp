//===- ScalingExamplesTest.cpp - examples/scaling: where full sharding stops to scale ---------===//
#include "tests/golden/StudyRows.h"
#include <algorithm>
#include <sstream>
using namespace dpl::test;

namespace {
constexpr double us = 1e-6, GB = 1e9;

/// 32 layers of 218.75e6 parameters in 16 bits, 8,192 tokens a device, 400 TFLOP/s. A pass of a
/// layer runs beside one gather forward, a gather and a reduction backward; the first gather and
/// the last reduction show.
constexpr double layers = 32, parameters = 218.75e6, tokens = 8192, rate = 400e12;
constexpr double forward = 2 * parameters * tokens / rate;
double stepOf(double reductions, double gather) {
  return layers * (std::max(forward + reductions, gather) +
                   std::max(2 * forward + reductions, 2 * gather)) +
         2 * gather;
}
/// A ring over n ranks that hold so many parameters of a layer.
double gatherOver(double n, double held) {
  return (n - 1) * 5 * us + (n - 1) / n * 2 * held / (50 * GB);
}
double shardedStep(double n) { return stepOf(0, gatherOver(n, parameters)); }
/// Two all-reduces a pass over eight ranks, of the tokens of all of them.
double tensorStep(double n) {
  const double reduction = 14 * 2 * us + 2 * 7.0 / 8 * (8 * tokens * 4096 * 2) / (450 * GB);
  return stepOf(2 * reduction, gatherOver(n / 8, parameters / 8));
}
} // namespace

TEST(ScalingExamples, FullShardingFallsBehindTensorRanksAtAboutSixHundredDevices) {
  const Rows sharded("scaling/crossover", "full_sharding"),
      both("scaling/crossover", "with_tensor");
  const std::vector<double> devices = {64, 256, 512, 576, 640, 1024, 4096};
  ASSERT_EQ(sharded.size(), devices.size());
  ASSERT_EQ(both.size(), devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    EXPECT_NEAR(sharded.value(i, "step_time") / shardedStep(devices[i]), 1, 0.025) << devices[i];
    EXPECT_NEAR(both.value(i, "step_time") / tensorStep(devices[i]), 1, 0.01) << devices[i];
    EXPECT_EQ(sharded.value(i, "step_time") < both.value(i, "step_time"), devices[i] < 600)
        << devices[i];
  }
}

// What arXiv 2411.13055 finds on H100: from 128 to 2,048 devices each gives 37 % less and draws 6 %
// less power, exposed communication grows, and tensor ranks that lose at 128 devices win.
TEST(ScalingExamples, FsdpLosesThroughputADeviceAndTensorRanksTakeOver) {
  const Rows weak("scaling/fsdp", "weak");
  ASSERT_EQ(weak.size(), 15U);
  const std::vector<double> perDevice = weak.column("tokens_per_second_per_device"),
                            shows = weak.column("communication_share");
  for (std::size_t i = 1; i < 5; ++i) {
    EXPECT_LT(perDevice[i], perDevice[i - 1]);
    EXPECT_GT(shows[i], shows[i - 1]);
  }
  EXPECT_NEAR(perDevice[4] / perDevice[0], 1 - 0.3722, 0.02);
  // If each device added the same time, the last doubling would add 8/15 of it. A cliff adds more.
  const double last = 1 / perDevice[4] - 1 / perDevice[3],
               all = 1 / perDevice[4] - 1 / perDevice[0];
  EXPECT_LT(last / all, 0.62);
  EXPECT_GT(perDevice[4] / perDevice[3], 0.76);
  EXPECT_NEAR(weak.value(4, "power") / weak.value(0, "power"), 620.0 / 658, 0.022);
  EXPECT_NEAR(weak.value(0, "power"), 658, 0.035 * 658);
  EXPECT_NEAR(weak.value(4, "power"), 620, 0.035 * 620);
  EXPECT_LT(perDevice[5], perDevice[0]) << "two tensor ranks at 128 devices";
  EXPECT_GT(perDevice[9], perDevice[4]) << "and at 2,048";
  // Of the devices added last, each brings less than of those before.
  const std::vector<double> total = weak.column("tokens_per_second");
  for (std::size_t i = 1; i < 5; ++i)
    EXPECT_NEAR(weak.value(i, "per_added_device"), (total[i] - total[i - 1]) / (64 << i), 1e-6)
        << i;
  EXPECT_LT(weak.value(4, "per_added_device"), weak.value(3, "per_added_device"));
}

// The contention of fsdp.dpl is that of other runs: all 12 of llm-foundry on 128 to 512 H100.
TEST(ScalingExamples, TheContentionOfFsdpIsThatOfRunsOnUpTo512Devices) {
  std::istringstream all(slurp(sourceFolder() / "tests/accuracy/published_layouts.csv"));
  std::string line, runs;
  for (bool header = true; std::getline(all, line); header = false)
    if (header || line.find("Large Scale, >= 128 GPUs") != std::string::npos)
      runs += line + "\n";
  const TemporaryFolder folder;
  spill(folder.path / "runs.csv", runs);
  const auto meanError = [&](const std::string& contention) {
    const Outcome outcome = dplc({"score", "runs.csv", "--json", "--set",
                                  "cluster.node.gpu.sustained.contention=" + contention},
                                 folder.path);
    const dpl::Json errors = dpl::Json::parse(outcome.out)["errors"]["step_time"]["all"];
    EXPECT_EQ(errors["rows"], 12);
    return errors["mean"].get<double>();
  };
  const double chosen = meanError("0.4");
  EXPECT_LT(chosen, 0.022);
  EXPECT_LT(chosen, 0.75 * meanError("0.3"));
  EXPECT_LT(chosen, 0.85 * meanError("0.5"));
  EXPECT_GT(meanError("0.1"), 0.05) << "the library's";
}
