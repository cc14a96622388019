//===- StudiesOfSystemsTest.cpp - examples/studies of servers and whole trainings -------------===//
//
// The forms are written here and share no code with the product.
#include "tests/golden/StudyRows.h"
using namespace dpl::test;

namespace {
constexpr double ms = 1e-3;

void expectNear(const std::vector<double>& found, const std::vector<double>& wanted,
                double relative) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_NEAR(found[i], wanted[i], relative * wanted[i]) << "point " << i;
}
} // namespace

// N workers, d bytes, S servers, B bytes a second: 2Nd/(SB); a ring 2(N − 1)/N·d/B.
TEST(StudiesOfSystems, Servers_TakeTheTimeOfTheBusiestLink) {
  const Rows rows("studies/parameter_servers", "shards");
  expectNear(rows.column("step_time.mean"), {1.792, 112.0 * ms}, 1e-6);
  expectNear(rows.column("step_time"), {6.9727 * ms, 6.9727 * ms}, 1e-5);
  EXPECT_NEAR(rows.value(1, "over_ring"), 16.0627, 1e-4);
  expectNear(Rows("studies/parameter_servers", "of_64").column("over_ring"),
             {65.0159, 16.2540, 4.0635, 1.0159}, 1e-4);
}

TEST(StudiesOfSystems, Servers_SendOnePieceBackWhileOthersCome) {
  // 64 × 700 MB at 16 servers of 200 GB/s: 14 ms each way.
  expectNear(Rows("studies/parameter_servers", "both_directions").column("step_time.mean"),
             {28 * ms, 28 * ms, 28 * ms, 28 * ms, 14 * ms * 1.25, 14 * ms * (1 + 1.0 / 16)}, 1e-6);
  // 256 × 700 MB; a quarter of it at one; a hundredth of it with as much again for the indices.
  expectNear(Rows("studies/parameter_servers", "keys").column("step_time.mean"),
             {112 * ms, 2.24 * ms, 448 * ms, 8.96 * ms}, 1e-6);
}

TEST(StudiesOfSystems, Servers_AreHiddenOrSetThePace) {
  const Rows rows("studies/parameter_servers", "by_themselves");
  const std::vector<double> steps = rows.column("step_time.mean");
  ASSERT_EQ(steps.size(), 4U);
  // One server carries 16 × 700 MB: 56 ms in one direction, 112 in both.
  EXPECT_NEAR(steps[0], 112 * ms, 2 * ms);
  EXPECT_NEAR(steps[1], 56 * ms, 5 * ms);
  // A worker that does not compute for 20 ms is at a server, and at each of 16 at once.
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_NEAR(rows.value(i, "simulated.queue.mean"), 16 * (1 - 20 * ms / steps[i]), 0.25) << i;
  // The 15 others update once in a step, of which 3.5 ms bring parameters.
  EXPECT_NEAR(rows.value(3, "simulated.staleness.mean"), 15 * (1 - 3.5 * ms / steps[3]), 0.3);
  EXPECT_GT(rows.value(3, "simulated.staleness.p99"), rows.value(3, "simulated.staleness.mean"));
  // 16: no less than 20 ms and a worker's own bytes both ways, and hardly more.
  for (const double step : {steps[2], steps[3]}) {
    EXPECT_GT(step, 26.5 * ms);
    EXPECT_LT(step, 29 * ms);
  }
}

// The forms of each part: f and w are 2 and 4 FLOP a parameter and token over 32 devices, and 40
// rings of 8 with 4096 × 8192 × 2 bytes each; 67 of both together behind one another.
TEST(StudiesOfSystems, EndToEnd_IsTheProductOfItsParts) {
  const double rate = 989e12 / 2, tokens = 4096, ranks = 32, parameters = 70e9;
  const double ring = 2 * 7.0 / 8 * tokens * 8192 * 2 / 450e9 + 14 * 2e-6;
  const double pass = 2 * parameters * tokens / ranks / rate;
  const double pipeline = 67 * (3 * pass + 2 * 40 * ring);
  const double data = 2 * 15.0 / 16 * parameters / ranks * 2 / 50e9 + 30 * 5e-6;
  const Rows rows("studies/end_to_end", "estimate");
  // 5 us of latency for each of the messages that are not quite hidden.
  EXPECT_NEAR(rows.value(0, "time.makespan"), pipeline, 0.6 * ms);
  EXPECT_NEAR(pipeline, 8.8329, 5e-5);
  EXPECT_NEAR(data, 164.21 * ms, 5e-6);
  EXPECT_NEAR(rows.value(0, "barrier_amplification"), 1.06258, 1e-5);
  EXPECT_NEAR(rows.value(0, "step"), 1.06258 * pipeline + data + 10 * ms, 1 * ms);
  EXPECT_NEAR(rows.value(0, "checkpoint.write"), 24.5, 1e-9);
  EXPECT_NEAR(rows.value(0, "failures.mtbf"), 97.66 * 3600, 0.005 * 3600);
  EXPECT_NEAR(rows.value(0, "checkpoint.optimal_interval"), 68.90 * 60, 0.005 * 60);
  EXPECT_NEAR(1 / rows.value(0, "run[train].goodput"), 1.01363, 1e-5);
  EXPECT_NEAR(rows.value(0, "days"), 37.436, 5e-3);
  EXPECT_NEAR(rows.value(0, "of_peak"), 0.3639, 1e-4);
}

TEST(StudiesOfSystems, EndToEnd_FollowsWhatItIsMadeOf) {
  const std::vector<double> days = Rows("studies/end_to_end", "a_fifth_more").column("days");
  const double change[] = {0, -13.49, -2.59, 1.19, -0.29, -0.13, -0.10};
  ASSERT_EQ(days.size(), std::size(change));
  for (std::size_t i = 0; i < days.size(); ++i)
    EXPECT_NEAR(100 * (days[i] / days[0] - 1), change[i], 0.012) << i;
  EXPECT_NEAR(Rows("studies/end_to_end", "bound").value(0, "days"), 189.35, 0.01);
}

// 16 bytes a parameter on each device are 1120 GB.
TEST(StudiesOfSystems, EndToEnd_IsRefusedWhereItDoesNotFit) {
  const Rows rows("studies/end_to_end", "memory_first");
  EXPECT_GT(rows.value(0, "memory.peak"), 10.39e9);
  EXPECT_LT(rows.value(0, "memory.peak"), 12e9);
  EXPECT_NEAR(rows.value(1, "memory.peak"), 1120e9, 1e9);
  EXPECT_NE(rows.refused(1).find("DPL0401"), std::string::npos) << rows.refused(1);
}
