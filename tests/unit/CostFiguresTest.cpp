//===- CostFiguresTest.cpp - Money and energy of a step, by class of nodes --------------------===//
//
// Worked out by hand: a layer of 1 TFLOP a sample takes 1 ms forward and 2 ms backward on a device
// of 1000 TFLOPS; four of them and 8 samples make a step of 96 ms, twice that where half of the
// devices are slow.
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include <cmath>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
const char* const machines = R"(
import std.models
device fast {
  memory = 80GiB, memory_bandwidth = 3TB/s
  peak[bf16] = 1000TFLOPS
  sustained { matmul = 1, attention = 1, memory = 1 }
  launch_overhead = 0s
  power { busy = 700W, idle = 100W }
}
device dark {
  memory = 80GiB, memory_bandwidth = 3TB/s
  peak[bf16] = 1000TFLOPS
  sustained { matmul = 1, attention = 1, memory = 1 }
  launch_overhead = 0s
}
device slow from dark {
  peak[bf16] = 500TFLOPS
  power { busy = 400W }
}
cluster bare {
  collectives = closed_form, nodes = 16
  node { gpus = 8, gpu = fast }
  domain { bandwidth = 450GB/s per gpu, latency = 0s }
  nic { count = 1 per gpu, bandwidth = 400Gbps per nic, latency = 0s }
}
model net from models.layer_list {
  layer[0] { name = "all", repeat = 4, parameters = 1, forward = 1TFLOP, output = 1 }
}
)";

struct Planned {
  Planned(const std::string& cluster, const char* mesh, const std::string& rest) {
    DiagnosticEngine diags;
    workspace.overlay("main.dpl", machines + ("cluster pod from bare { " + cluster + " }\n") +
                                      "layout plan for net on pod {\n mesh { " + mesh +
                                      " }\n micro_batch = 1sample\n " + rest + "\n}\n");
    unit = workspace.compile("main.dpl", diags);
    EXPECT_EQ(diags.errors(), 0U) << renderText(diags, workspace.sources(), false);
    plan = unit->file->plans.at(0);
    EXPECT_TRUE(Workspace::complete(plan, diags).succeeded());
    figures.emplace(plan, [this](const std::string& field) {
      return workspace.sources().describe(unit->placeOf(plan, field));
    });
  }
  double operator()(const char* path) const { return figures->value(path).value_or(std::nan("")); }
  bool has(const char* path) const { return figures->find(path) != nullptr; }
  Workspace workspace;
  std::unique_ptr<CompiledUnit> unit;
  ir::Plan plan;
  std::optional<figures::Figures> figures;
};
const char* const all = "batch = 1024sample";
const double kilowattHour = 3.6e6;
} // namespace

TEST(CostFigures, OfOneClass_ArePriceAndPowerOfEveryDevice) {
  const Planned c("price = 3.6usd/h per gpu, energy_price = 0.1usd/kWh", "data = 128", all);
  EXPECT_NEAR(c("step_time"), 0.096, 1e-5);
  EXPECT_NEAR(c("cost.devices"), 128 * 0.001 * 0.096, 1e-5);
  EXPECT_NEAR(c("energy.per_step"), 128 * 700 * 0.096, 1);
  EXPECT_NEAR(c("cost.energy"), 128 * 700 * 0.096 / kilowattHour * 0.1, 1e-7);
  EXPECT_NEAR(c("cost.per_step"), c("cost.devices") + c("cost.energy"), 1e-12);
  EXPECT_NEAR(c("cost.per_sample") * 1024, c("cost.per_step"), 1e-12);
  EXPECT_NEAR(c("energy.per_sample") * 1024, c("energy.per_step"), 1e-6);
  EXPECT_EQ(c("cluster.idle_devices"), 0);
  EXPECT_FALSE(c.has("cost.idle"));
}

TEST(CostFigures, OfParts_AreTheirOwn) {
  const Planned c("price = 3usd/h per gpu, energy_price = 0.1usd/kWh\n"
                  "node_pool[\"old\"] { nodes = 4, node.gpu = slow, price = 1usd/h per gpu }",
                  "data = 128", all);
  EXPECT_NEAR(c("step_time"), 0.192, 1e-5);
  // What the cluster says is of the nodes that no part holds, as an assertion reads it.
  EXPECT_NEAR(c("cluster.price"), 3 / 3600.0, 1e-12);
  EXPECT_NEAR(c("cluster.mean_price"), (96 * 3 + 32 * 1) / 128.0 / 3600, 1e-9);
  EXPECT_NEAR(c("cost.devices"), (96 * 3 + 32 * 1) / 3600.0 * 0.192, 1e-5);
  EXPECT_EQ(c("cluster.power.busy"), 96 * 700 + 32 * 400);
  // A device that states no idle power takes its busy power.
  EXPECT_EQ(c("cluster.power.idle"), 96 * 100 + 32 * 400);
  // Fast devices run their passes in 96 ms and wait for the slow ones of their group.
  EXPECT_EQ(c("energy.rank[0].node_type[0].devices"), 96);
  EXPECT_NEAR(c("energy.rank[0].node_type[0].busy"), 0.096, 1e-9);
  EXPECT_NEAR(c("energy.rank[0].node_type[1].busy"), 0.192, 1e-9);
  EXPECT_NEAR(c("energy.node_type[0]"), 96 * (700 + 100) * 0.096, 1);
  EXPECT_NEAR(c("energy.node_type[1]"), 32 * 400 * 0.192, 1);
  EXPECT_NEAR(c("energy.per_step"), 96 * (700 + 100) * 0.096 + 32 * 400 * 0.192, 2);
  // Where each price was set.
  EXPECT_EQ(c.figures->find("node_type[0].price")->source, "main.dpl:29:25");
  EXPECT_EQ(c.figures->find("node_type[1].price")->source, "main.dpl:30:48");
}

// 8 micro-batches on two stages. Three layers of four take 9 ms each, one 3 ms: rank 0 never waits.
TEST(CostFigures, OfUnevenStages_AreBusyAsLongAsTheirOwnPasses) {
  const Planned c("", "pipeline = 2, data = 64", "batch = 512sample\n split = [3, 1]");
  EXPECT_NEAR(c("step_time"), 0.072, 1e-5);
  EXPECT_NEAR(c("energy.rank[0].node_type[0].busy"), 0.072, 1e-9);
  EXPECT_NEAR(c("energy.rank[1].node_type[0].busy"), 0.024, 1e-9);
  EXPECT_NEAR(c("energy.rank[0].node_type[0]"), 64 * 700 * 0.072, 0.1);
  EXPECT_NEAR(c("energy.rank[1].node_type[0]"), 64 * (700 * 0.024 + 100 * 0.048), 0.1);
  EXPECT_NEAR(c("energy.per_step"), 3225.6 + 1382.4, 0.1);
  EXPECT_FALSE(c.has("energy.node_type[0]")) << "all nodes are alike";
}

// Rank 1 is slow: forward 2 ms of rank 0, eight micro-batches of 12 ms, backward 4 ms of rank 0.
TEST(CostFigures, OfStagesOnOtherClasses_AreThoseOfTheirDevices) {
  const Planned c("node_pool[\"old\"] { nodes = 8, node.gpu = slow }", "pipeline = 2, data = 64",
                  "batch = 512sample");
  EXPECT_NEAR(c("step_time"), 0.102, 1e-5);
  EXPECT_NEAR(c("energy.rank[0].node_type[0].busy"), 0.048, 1e-9);
  EXPECT_NEAR(c("energy.rank[1].node_type[1].busy"), 0.096, 1e-9);
  EXPECT_FALSE(c.has("energy.rank[0].node_type[1]"));
  EXPECT_NEAR(c("energy.node_type[0]"), 64 * (700 * 0.048 + 100 * 0.054), 0.1);
  EXPECT_NEAR(c("energy.node_type[1]"), 64 * 400 * 0.102, 0.1);
  EXPECT_NEAR(c("energy.per_step"), 2496 + 2611.2, 0.2);
}

// Both ranks of a pair hold a stage of either direction: 2 layers forward and backward of 4
// micro-batches each.
TEST(CostFigures, OfCopiesOfAStage_CountTheMicroBatchesOfEach) {
  const Planned c("", "pipeline = 2, data = 64", "batch = 512sample\n schedule = dualpipe");
  for (const char* busy : {"energy.rank[0].node_type[0].busy", "energy.rank[1].node_type[0].busy"})
    EXPECT_NEAR(c(busy), 8 * 0.006, 1e-9) << busy;
  EXPECT_NEAR(c("energy.per_step"), 128 * (700 * 0.048 + 100 * (c("step_time") - 0.048)), 0.1);
}

TEST(CostFigures, OfPartsThatHoldAllNodes_SayNothingOfWhatTheClusterSays) {
  const Planned c("price = 3usd/h per gpu\n"
                  "node_pool[\"own\"] { nodes = 4, price = 2usd/h per gpu }\n"
                  "node_pool[\"rest\"] { nodes = 12, price = 2usd/h per gpu }\n",
                  "data = 128",
                  std::string(all) + "\n assert cluster.price == 3usd/h per gpu\n"
                                     " assert cluster.mean_price in 1.99usd/h..2.01usd/h");
  EXPECT_FALSE(c.has("cluster.price"));
  EXPECT_NEAR(c("cluster.mean_price"), 2 / 3600.0, 1e-12);
  EXPECT_NEAR(c("cost.devices"), 128 * 2 / 3600.0 * 0.096, 1e-5);
  const Planned one("price = 3usd/h per gpu", "data = 128", all);
  EXPECT_FALSE(one.has("cluster.mean_price"));
  EXPECT_FALSE(one.has("node_type[0].price"));
}

TEST(CostFigures, OfDevicesThatIdle_ArePaidForToo) {
  const char* half = "devices = 64\n batch = 512sample";
  const Planned c("price = 3.6usd/h per gpu, energy_price = 0.1usd/kWh", "data = 64", half);
  EXPECT_NEAR(c("step_time"), 0.096, 1e-5);
  EXPECT_EQ(c("cluster.idle_devices"), 64);
  EXPECT_EQ(c("cluster.idle_power"), 6400);
  EXPECT_NEAR(c("cost.idle"), 64 * 0.001 * 0.096, 1e-5);
  EXPECT_NEAR(c("energy.idle"), 6400 * 0.096, 0.1);
  EXPECT_NEAR(c("energy.per_step"), 64 * (700 + 100) * 0.096, 1);
  EXPECT_NEAR(c("cost.energy"), c("energy.per_step") / kilowattHour * 0.1, 1e-12);
  EXPECT_NEAR(c("cost.per_step"), c("cost.devices") + c("cost.idle") + c("cost.energy"), 1e-12);
}

TEST(CostFigures, OfZero_AreZeroAndNotMissing) {
  const char* half = "devices = 64\n batch = 512sample";
  const Planned off("node.gpu.power.idle = 0W", "data = 64", half);
  EXPECT_EQ(off("cluster.power.idle"), 0);
  EXPECT_EQ(off("cluster.idle_power"), 0);
  EXPECT_EQ(off("energy.idle"), 0);
  EXPECT_NEAR(off("energy.per_step"), 64 * 700 * 0.096, 0.1);
  const Planned still("node.gpu.power { busy = 0W, idle = 0W }", "data = 64", half);
  EXPECT_EQ(still("energy.per_step"), 0);
  const Planned given("price = 0usd/h per gpu, energy_price = 0usd/kWh", "data = 64", half);
  for (const char* path :
       {"cluster.price", "cluster.energy_price", "cluster.idle_price", "cost.devices", "cost.idle",
        "cost.energy", "cost.per_step", "cost.per_sample"})
    EXPECT_EQ(given(path), 0) << path;
  // Of 16 nodes 4 are the user's own: 96 devices are paid for.
  const Planned own("price = 3usd/h per gpu\n"
                    "node_pool[\"own\"] { nodes = 4, price = 0usd/h per gpu }",
                    "data = 128", all);
  EXPECT_EQ(own("node_type[1].price"), 0);
  EXPECT_NEAR(own("cost.per_step"), 96 * 3 / 3600.0 * 0.096, 1e-5);
}

TEST(CostFigures, WhereAPriceOrAPowerIsMissing_DoNotGuess) {
  // Only a part has a price.
  const Planned some("node_pool[\"old\"] { nodes = 4, node.gpu = slow, price = 1usd/h per gpu }",
                     "data = 128", all);
  EXPECT_FALSE(some.has("cost.per_step"));
  EXPECT_TRUE(some.has("energy.per_step"));
  // Energy is paid for, but nobody knows how much of it.
  const Planned unknown("node.gpu = dark, price = 3.6usd/h per gpu, energy_price = 0.1usd/kWh",
                        "data = 128", all);
  EXPECT_FALSE(unknown.has("energy.per_step"));
  EXPECT_FALSE(unknown.has("energy.rank[0].node_type[0].busy"));
  // Of one class, but not of the other.
  const Planned half("node_pool[\"old\"] { nodes = 4, node.gpu = dark }", "data = 128", all);
  EXPECT_TRUE(half.has("energy.node_type[0]"));
  EXPECT_FALSE(half.has("energy.node_type[1]"));
  EXPECT_FALSE(half.has("energy.per_step"));
  EXPECT_EQ(unknown("cost.per_step"), unknown("cost.devices"));
  // Without a price of devices the energy is what a step costs.
  const Planned owned("energy_price = 0.1usd/kWh", "data = 128", all);
  EXPECT_EQ(owned("cost.per_step"), owned("cost.energy"));
}
