//===- EnergyTest.cpp - Devices that hold pipeline ranks, and how long they are busy ----------===//
#include "cost/step/RankDevices.h"
#include "cost/step/Timeline.h"
#include "figures/Figures.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;

namespace {
/// Device by device: by pipeline rank and class.
std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> oneByOne(const ir::Plan& plan) {
  const ir::MeshAxis& pipeline = *plan.mesh.find(ir::Axis::Pipeline);
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> out;
  std::uint64_t device = 0;
  for (std::uint64_t c = 0; c < plan.cluster.nodeTypes.size(); ++c)
    for (std::uint64_t i = plan.cluster.nodeTypes[c].nodes * plan.cluster.gpusPerNode; i > 0; --i)
      ++out[{device++ / pipeline.stride % pipeline.size, c}];
  return out;
}
} // namespace

TEST(Energy, IsOfEveryDeviceOnceAndOfNoneLongerThanItsRankRuns) {
  std::uint64_t mixed = 0, uneven = 0, slowed = 0;
  for (std::uint64_t seed = 1; seed <= test::plansToMake(); ++seed) {
    ir::Plan plan = test::randomPlan(seed);
    for (ir::NodeType& c : plan.cluster.nodeTypes)
      c.device.busyPower = 700, c.device.idlePower = 100;
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed())
      continue;
    const figures::Figures figures(plan);
    const auto value = [&](const std::string& path) { return figures.value(path).value(); };
    auto counted = oneByOne(plan);
    const double setter = value("time.compute") + value("time.recompute"),
                 step = value("step_time");
    double energy = 0;
    // By the collectives that the time line shows, if it shows the segments of all actions.
    std::map<std::uint64_t, double> delayed;
    std::uint64_t segments = 0;
    for (std::uint64_t rank = 0; rank < plan.schedule.size(); ++rank)
      cost::visitSegments(plan, rank, [&](const cost::ExecutedSegment& s) {
        delayed[rank] += static_cast<double>(s.segment->slowdown()) * 1e-12, ++segments;
      });
    const bool isComplete = segments == cost::countSegments(plan);
    for (const cost::RankDevices& one : cost::rankDevicesOf(plan)) {
      const std::string path = fmt::format("energy.rank[{}].node_type[{}]", one.rank, one.nodeType);
      ASSERT_EQ(one.devices, (counted[{one.rank, one.nodeType}])) << seed << ": " << path;
      counted.erase({one.rank, one.nodeType});
      const double busy = value(path + ".busy");
      double rank = 0; // as its slowest class goes
      for (const ir::ChunkCost& c : plan.costs)
        if (c.rank == one.rank)
          rank += static_cast<double>(c.forward + c.backwardInput + c.backwardWeight + c.recompute);
      rank *= static_cast<double>(plan.microBatchesOfChunk()) * 1e-12;
      if (plan.layout.microBatchCosts.empty() && isComplete) {
        const double whole = rank + delayed[one.rank];
        ASSERT_LE(busy, whole * (1 + 1e-9)) << seed << ": " << path;
        if (plan.cluster.nodeTypes.size() == 1) {
          ASSERT_NEAR(busy, whole, 1e-9 * step) << seed << ": " << path;
        }
        slowed += delayed[one.rank] > 0;
      }
      ASSERT_LE(busy, step * (1 + 1e-9)) << seed << ": " << path;
      energy += static_cast<double>(one.devices) * (700 * busy + 100 * (step - busy));
      uneven += busy < setter * 0.99;
    }
    ASSERT_TRUE(counted.empty()) << seed;
    ASSERT_NEAR(value("energy.per_step"), energy, 1e-9 * energy) << seed;
    mixed += plan.cluster.nodeTypes.size() > 1;
  }
  EXPECT_GT(mixed, test::plansToMake() / 20);
  EXPECT_GT(uneven, test::plansToMake() / 20);
  EXPECT_GT(slowed, test::plansToMake() / 20);
}
