//===- FigurePathTest.cpp - Paths of figures as they are printed and written ------------------===//
#include "CompiledPlan.h"
#include "backends/report/Report.h"
#include "ir/FigureNames.h"
#include "support/Json.h"
#include <gtest/gtest.h>
using namespace dpl;

TEST(FigurePath, HasNamesThatAreNoWordsInQuotes) {
  for (const char* path :
       {"step_time", "memory.rank[0].peak", "communication[data+context].gradients.all_reduce.time",
        "step_time.above[100ms]", "run[train_2].time", "link[scale_up].count"})
    EXPECT_EQ(ir::writtenPath(path), path);
  EXPECT_EQ(ir::writtenPath("link[old port].devices"), "link[\"old port\"].devices");
  EXPECT_EQ(ir::writtenPath("group[data].link[gb200-rack port].bandwidth_per_rank"),
            "group[data].link[\"gb200-rack port\"].bandwidth_per_rank");
  EXPECT_EQ(ir::writtenPath("layer[2nd].operator[mlp up].time"),
            "layer[\"2nd\"].operator[\"mlp up\"].time");
}

TEST(FigurePath, IsReadWithAndWithoutQuotes) {
  for (const char* path :
       {"step_time", "link[old port].devices", "a[b].c[d e].f", "layer[2nd].saved_activations"})
    EXPECT_EQ(ir::pathWritten(ir::writtenPath(path)), path);
  EXPECT_EQ(ir::pathWritten("layer[\"gated\"].forward"), "layer[gated].forward");
}

TEST(FigurePath, OfThePortsOfAPart_CanBePastedFromTheReport) {
  const auto plan = [](const std::string& asserted) {
    return test::completedPlan("plan.dpl", R"(
import std.models
import std.clusters

cluster mixed from clusters.dgx_h100 {
  nodes = 2
  node_pool["old"] { nodes = 1, nic.bandwidth = 100Gbps per nic }
}

layout plan for models.gpt2_small on mixed {
  mesh { data = rest }
  batch = 64seq
)" + asserted + "}\n");
  };
  const Json report = report::reportJson(plan(""));
  std::string asserted;
  for (const auto& [path, said] : report["figures"].items())
    if (path.find("old port") != std::string::npos)
      asserted += fmt::format("  assert {} * 0 == {} * 0\n", path, path);
  EXPECT_NE(asserted.find("link[\"old port\"].devices"), std::string::npos) << asserted;
  (void)plan(asserted +
             "  for link_name in [\"old port\"] { assert link[link_name].devices == 1 }\n");
}
