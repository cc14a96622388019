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
  // Ctrl-C comes a second after the command began to catch it: the bit of value 2 of SigCgt. A
  // shell ignores it in what it runs in the background.
  const std::string command = fmt::format(
      "cd '{}' || exit 1; env --default-signal=INT '{}' search plan.dpl --jobs 1 --json "
      ">out 2>said & for i in $(seq 600); do sleep 0.1; "
      "grep -q '^SigCgt:.*[2367abef]$' /proc/$!/status && break; done; "
      "sleep 1; kill -INT $!; wait $!",
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

TEST(SearchCommand, LayoutsForFewerNodes_HaveTheStatedSteps) {
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl", fmt::format(R"({}
layout running for llm on pod {{
  framework = torchtitan
  batch = 64seq
  recompute = full
  mesh {{ data = rest }}
  shard {{ optimizer = data, gradients = data, parameters = data }}
}}
)",
                                              head));
  const std::vector<std::string> asked = {"search", "plan.dpl", "--near", "running", "--min-nodes",
                                          "1",      "--json",   "-o",     "rows"};
  const Json table = Json::parse(dplc(asked, folder.path).out);
  ASSERT_EQ(table["rows"].size(), 2U);
  for (const Json& row : table["rows"]) {
    const std::string file = fmt::format("rows/running-{}.dpl", row["used"].get<std::uint64_t>());
    const Json checked = Json::parse(dplc({"check", file, "--json"}, folder.path).out);
    const Json& figures = checked["layouts"][0]["figures"];
    EXPECT_EQ(figures["step_time"]["value"].get<double>(), row["step_s"].get<double>());
    EXPECT_EQ(figures["memory.peak"]["value"].get<double>(), row["peak_bytes"].get<double>());
  }
}

TEST(SearchCommand, JobOfSeveralNodes_StartsTheLayoutForThoseItGot) {
  const TemporaryFolder folder;
  spill(folder.path / "plan.dpl", fmt::format(R"({}
layout running for llm on pod {{
  framework = torchtitan
  batch = 64seq
  recompute = full
  mesh {{ data = rest }}
  shard {{ optimizer = data, gradients = data, parameters = data }}
}}

run train for running {{
  phase[0] {{ steps = 1000step }}
}}

launch nightly for train {{
  program = ["train.py"]
  launcher = slurm {{ partition = "gpu", time = 4h }}
}}
)",
                                              head));
  ASSERT_EQ(
      dplc({"emit", "slurm", "plan.dpl", "--min-nodes", "1", "-o", "job"}, folder.path).exitCode,
      0);
  // Stand-ins for what the script asks of Slurm.
  fs::create_directory(folder.path / "bin");
  spill(folder.path / "bin/scontrol",
        "#!/bin/bash\n[ \"$2\" = job ] && echo \"  Command=$PWD/job/rows.sbatch\" || echo host0\n");
  spill(folder.path / "bin/srun", "#!/bin/bash\necho \"$SLURM_NNODES $SLURM_NTASKS $*\"\n");
  const auto started = [&](int nodes) {
    const std::string command = fmt::format(
        "cd '{}' && chmod +x bin/* && PATH=$PWD/bin:$PATH SLURM_JOB_ID=7 SLURM_JOB_NODELIST=x "
        "SLURM_JOB_NUM_NODES={} bash job/rows.sbatch >out 2>&1",
        folder.path.string(), nodes);
    return WEXITSTATUS(std::system(command.c_str())); // NOLINT(concurrency-mt-unsafe)
  };
  for (const int nodes : {1, 2}) {
    EXPECT_EQ(started(nodes), 0);
    const std::string out = slurp(folder.path / "out");
    EXPECT_EQ(out.rfind(fmt::format("{0} {0} ", nodes), 0), 0U) << out;
    EXPECT_NE(out.find(fmt::format("torchrun --nnodes {} ", nodes)), std::string::npos) << out;
  }
  EXPECT_EQ(started(3), 1);
  const std::string alone = fmt::format(
      "cd '{}' && PATH=$PWD/bin:$PATH SLURM_JOB_ID=7 SLURM_JOB_NODELIST=x SLURM_JOB_NUM_NODES=1 "
      "bash job/nodes-2/slurm/job.sbatch >out 2>&1",
      folder.path.string());
  EXPECT_EQ(WEXITSTATUS(std::system(alone.c_str())), 1); // NOLINT(concurrency-mt-unsafe)
  EXPECT_EQ(slurp(folder.path / "out"), "job.sbatch: the layout needs 2 nodes, the job has 1\n");
}

TEST(SearchCommand, JobsOfMegatron_SaveForTheOtherRanksOfALayout) {
  const TemporaryFolder folder;
  const std::string text = R"(import std.models
import std.clusters

model llm from models.llama3_70b
cluster pod from clusters.dgx_h100 { nodes = 8 }

layout running for llm on pod {
  framework = megatron
  batch = 512seq
  mesh { pipeline = 4, data = rest, tensor = 8 within node }
  shard { optimizer = data, sequence = tensor }
}

run train for running {
  phase[0] { steps = 1000step }
  checkpoint { interval = 100step }
}

launch nightly for train {
  data_path = "/data"
  checkpoint_dir = "/saved"
  arguments = ["--tokenizer-type", "NullTokenizer", "--lr", "1e-4"]
  launcher = slurm { partition = "gpu", time = 4h }
}
)";
  const auto savesForThem = [&](const std::vector<std::string>& more, const char* job) {
    spill(folder.path / "plan.dpl", text);
    std::vector<std::string> command{"emit", "megatron", "slurm", "plan.dpl", "-o", "job"};
    command.insert(command.end(), more.begin(), more.end());
    fs::remove_all(folder.path / "job");
    const Outcome made = dplc(command, folder.path);
    EXPECT_EQ(made.exitCode, 0) << made.error;
    const std::string script = slurp(folder.path / "job" / job);
    EXPECT_NE(script.find("NullTokenizer"), std::string::npos);
    return script.find(" --dist-ckpt-optim-fully-reshardable ") != std::string::npos;
  };
  EXPECT_FALSE(savesForThem({}, "slurm/job.sbatch"));
  EXPECT_TRUE(savesForThem({"--min-nodes", "4"}, "nodes-8/slurm/job.sbatch"));
  EXPECT_TRUE(savesForThem({"--min-nodes", "4"}, "nodes-4/slurm/job.sbatch"));
}
