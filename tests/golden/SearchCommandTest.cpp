//===- SearchCommandTest.cpp - Searches that are stopped, or judged on several clusters -------===//
#include "support/Json.h"
#include "tests/golden/Runner.h"
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <map>
using namespace dpl::test;
using dpl::Json;

namespace {
constexpr const char* head = R"(import std.models
import std.clusters
import std.servers

model llm from models.llama3_8b
cluster pod from clusters.dgx_h100 { nodes = 2 }
)";

/// A search over eight layouts with these lines.
std::string searchWith(const std::string& lines) {
  return fmt::format(R"({}
search layout best for llm on pod {{
  batch = 64seq
  mesh {{ data = rest, tensor in [1, 2, 4] within domain }}
  recompute in [none, full]
  micro_batch in [1seq, 2seq]
  shard.optimizer = data
  keep = 100
  {}
}}
)",
                     head, lines);
}

Json found(const TemporaryFolder& folder, const std::string& text) {
  spill(folder.path / "plan.dpl", text);
  const Outcome outcome = dplc({"search", "plan.dpl", "--json"}, folder.path);
  EXPECT_EQ(outcome.exitCode, 0) << outcome.error;
  return Json::parse(outcome.out);
}

/// The step of each layout of each cluster, by the layout's values without the cluster.
std::map<std::string, std::vector<double>> stepsOf(const Json& table) {
  std::map<std::string, std::vector<double>> out;
  for (const Json& layout : table["layouts"]) {
    std::string key;
    for (const auto& [path, value] : layout["values"].items())
      if (path.rfind("pod.", 0) != 0)
        key += path + value.get<std::string>() + " ";
    out[key].push_back(layout["figures"]["step_time"]["value"].get<double>());
  }
  return out;
}
} // namespace

TEST(SearchCommand, WorstOfSeveralClusters_IsTheLargestOfTheirSteps) {
  const TemporaryFolder folder;
  const std::string clusters = "{ pod.nodes in [1, 2], pod.node in [servers.dgx_a100, "
                               "servers.dgx_b200] }\n  minimize step_time";
  const auto each = stepsOf(found(folder, searchWith("vary " + clusters)));
  const Json worst = found(folder, searchWith("worst_of " + clusters));
  std::map<std::string, double> expected;
  for (const auto& [layout, steps] : each)
    if (steps.size() == 4) // it fits on each cluster
      expected[layout] = *std::max_element(steps.begin(), steps.end());
  ASSERT_GT(expected.size(), 1U);
  double last = 0;
  std::size_t layouts = 0;
  for (const auto& [layout, steps] : stepsOf(worst)) {
    ASSERT_EQ(expected.count(layout), 1U) << layout;
    EXPECT_EQ(steps, std::vector{expected[layout]}) << layout;
    ++layouts;
  }
  EXPECT_EQ(layouts, expected.size());
  for (const Json& layout : worst["layouts"]) {
    EXPECT_GE(layout["figures"]["step_time"]["value"].get<double>(), last);
    last = layout["figures"]["step_time"]["value"].get<double>();
    EXPECT_EQ(layout["worst_with"]["pod.node"], "servers.dgx_a100");
  }
  // A better value is a worse one if the objective is maximized.
  const Json most = found(folder, searchWith("worst_of { pod.nodes in [1, 2] }\n  maximize mfu"));
  const Json of = found(folder, searchWith("vary { pod.nodes in [1, 2] }\n  maximize mfu"));
  EXPECT_LE(most["layouts"][0]["figures"]["mfu"]["value"].get<double>(),
            of["layouts"][0]["figures"]["mfu"]["value"].get<double>());
}

TEST(SearchCommand, Interrupted_PrintsWhatItFound) {
  const TemporaryFolder folder;
  // Each of the candidates is simulated for a long time.
  spill(folder.path / "plan.dpl",
        searchWith("vary { pod.nodes in powers(2, 1..64), pod.jitter in [lognormal { cv = 0.05 }] "
                   "}\n  minimize step_time.p95\n  level = collective\n  steps = 200"));
  const std::string command =
      fmt::format("cd '{}' && timeout --preserve-status -s INT 2 {} search plan.dpl --jobs 1 "
                  "--json >out 2>said",
                  folder.path.string(), DPL_DPLC);
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 130); // NOLINT(concurrency-mt-unsafe)
  const std::string said = slurp(folder.path / "said");
  EXPECT_NE(said.find("warning[DPL1211]: search `best` was stopped: "), std::string::npos) << said;
  const Json certificate = Json::parse(slurp(folder.path / "out"))["certificate"];
  std::uint64_t sum = 0;
  for (const auto& [fate, row] : certificate["fates"].items())
    sum += row["count"].get<std::uint64_t>();
  EXPECT_EQ(sum, certificate["candidates"].get<std::uint64_t>());
  EXPECT_GT(certificate["fates"]["not_searched"]["count"].get<std::uint64_t>(), 0U);
}
