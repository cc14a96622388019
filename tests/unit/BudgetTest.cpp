//===- BudgetTest.cpp - A compilation that runs out of steps says so once ---------------------===//
#include "driver/workspace/Workspace.h"
#include <gtest/gtest.h>
using namespace dpl;

namespace {
/// Fragments, families, loops, functions, a search, a run, a launch and a study.
const std::string rich = R"(
import std.models
import std.clusters
param wide: Count in [64, 128] = 64
schema colour { choice red, choice green { depth: Count = 3 } }
schema board { name: String, label: String[String], weight: Real[colour], tones: [colour] = [red] }
board shown { name = "a", label["x"] = "y", label["z"] = "w", weight[red] = 0.5, tones = [red, green] }
model llm from models.gpt2_small {
  for i in 0..<4 { layer[i] { ffn = gated { width = wide * (i + 1) } } }
  layer[6..7].ffn = experts { count = 4, top_k = 1, width = wide }
}
cluster node from clusters.dgx_h100 { nodes = 2, node.memory = 1TB }
layout kept { recompute = selective { modules = [core_attention] }, precision { compute = bf16 } }
layout cut { shard { optimizer = data }, precision { compute = bf16 } }
layout plan with kept for llm on node {
  batch = 64seq
  mesh { pipeline = 2, data = rest, tensor = 2 within node }
  split = [6, 6]
  if llm.layers > 3 { micro_batch = 2seq } else { micro_batch = 1seq }
}
layout child from plan with kept, cut { micro_batch = 1seq }
search layout best for llm on node {
  mesh { data = rest, tensor in powers(2, 1..4) }
  batch = 64seq
  require mesh.tensor * 2 <= 8 and memory.peak < 80GB
  minimize [step_time, mesh.tensor]
}
run train for plan { phase[0] { steps = 100step }, phase[1] { steps = 50step, batch = 128seq } }
launch job for train { launcher = slurm { partition = "p", time = 1d }, env["A"] = "b" }
study few for child {
  vary { node.nodes in [1, 2], llm.layer[0..1].ffn.width in [64, 128] }
  let twice = step_time * 2
  outputs = [twice, mfu]
}
let pairs = [for a in 1..9: sum([for b in steps(0.5..2, 0.5): a * b])]
assert count(pairs) == 9 and max(pairs) == 45 and divisors(12) + [3] != pairs
assert child.micro_batch in 1seq..2seq and ([1] + [2])[1] == 2, "as written"
)";

/// What is wrong with the file, when it may take as many steps.
std::vector<Diagnostic> withSteps(Workspace& workspace, std::uint64_t steps) {
  workspace.limitSources(2 * steps);
  DiagnosticEngine diags;
  (void)workspace.compile("main.dpl", diags, {}, true);
  std::vector<Diagnostic> errors;
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error)
      errors.push_back(d);
  return errors;
}
} // namespace

TEST(Budget, WhereverItRunsOut_OneMessageSaysSoAtAPlace) {
  Workspace workspace([](const std::string&) { return FileProblem::Missing; });
  workspace.overlay("main.dpl", rich);
  const std::vector<Diagnostic> enough = withSteps(workspace, 8U << 20);
  ASSERT_TRUE(enough.empty()) << enough.front().message;
  unsigned ranOut = 0;
  // A sixtieth more each time: few places are passed over.
  for (std::uint64_t steps = 1;; steps += 1 + steps / 60) {
    const std::vector<Diagnostic> errors = withSteps(workspace, steps);
    if (errors.empty())
      break;
    ++ranOut;
    std::string codes;
    for (const Diagnostic& d : errors) {
      codes += (codes.empty() ? "" : " ") + std::string(d.info.code);
      EXPECT_TRUE(d.range.valid()) << d.message << ", with " << steps << " steps";
    }
    EXPECT_EQ(codes, "DPL0135") << errors.front().message << ", with " << steps << " steps";
  }
  EXPECT_GT(ranOut, 200U);
}
