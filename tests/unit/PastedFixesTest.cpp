//===- PastedFixesTest.cpp - Proposed changes of memory, written into their files -------------===//
#include "backends/Target.h"
#include "cost/memory/RankMemory.h"
#include "cost/step/StepTimes.h"
#include "driver/workspace/Workspace.h"
#include "passes/MemoryFixes.h"
#include "tests/unit/CompiledPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
std::string textOf(const std::string& fields, std::uint64_t memory) {
  return fmt::format("import std.models\nimport std.clusters\n"
                     "cluster pod from clusters.dgx_h100 {{ nodes = 2, node.memory = 2TiB, "
                     "node.gpu.memory = {}B }}\n"
                     "layout plan for models.llama3_8b on pod {{\n  batch = 256seq\n{}}}\n",
                     memory, fields);
}

/// The plan of a file, even if it does not fit.
ir::Plan planOf(const std::string& text) {
  DiagnosticEngine diags;
  Workspace workspace;
  workspace.overlay("plan.dpl", text);
  const std::unique_ptr<CompiledUnit> unit = workspace.compile("plan.dpl", diags);
  if (unit->file.failed() || unit->file->plans.size() != 1) {
    ADD_FAILURE() << text << renderText(diags, workspace.sources(), false);
    return {};
  }
  ir::Plan plan = std::move(unit->file->plans.front());
  (void)Workspace::complete(plan, diags, withoutAdvice());
  EXPECT_FALSE(plan.memory.empty()) << text << renderText(diags, workspace.sources(), false);
  return plan;
}

/// The lines of `fields` without those whose fields `said` sets, followed by `said`.
std::string pasted(const std::string& fields, const std::string& said) {
  std::vector<std::string> changes;
  for (std::size_t at = 0; (at = said.find('`', at)) != std::string::npos;) {
    const std::size_t end = said.find('`', at + 1);
    changes.push_back(said.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  std::string out;
  llvm::SmallVector<llvm::StringRef, 8> lines;
  llvm::StringRef(fields).split(lines, '\n', -1, false);
  for (const llvm::StringRef line : lines) {
    const llvm::StringRef field = line.trim().split(' ').first;
    if (llvm::none_of(changes, [&](const std::string& change) {
          return field == llvm::StringRef(change).split(' ').first;
        }))
      out += line.str() + "\n";
  }
  for (const std::string& change : changes)
    out += "  " + change + "\n";
  return out;
}

struct Case {
  const char* framework; ///< empty for no framework
  const char* fields;
};
constexpr Case cases[] = {
    {"", "  mesh { data = rest, tensor = 2 }\n  shard { sequence = tensor }\n"},
    {"",
     "  mesh { pipeline = 4, data = rest }\n  micro_batch = 4seq\n  shard { optimizer = data }\n"},
    {"megatron", "  mesh { data = rest, tensor = 4 within node }\n"
                 "  shard { optimizer = data, sequence = tensor }\n"},
    {"megatron", "  mesh { pipeline = 2, data = rest, tensor = 2 within node }\n"
                 "  schedule = interleaved_1f1b { chunks = 2 }\n  shard { optimizer = data }\n"},
    {"deepspeed", "  mesh { data = rest }\n  shard { optimizer = data }\n"
                  "  precision.gradients = bf16\n"},
    {"deepspeed", "  mesh { data = rest }\n"
                  "  shard { optimizer = data, gradients = data, parameters = data }\n"
                  "  precision.gradients = bf16\n"},
    {"torchtitan", "  mesh { data = rest, tensor = 2 within node }\n  shard.sequence = tensor\n"},
    {"torchtitan", "  mesh { pipeline = 2, data = rest }\n"},
    {"accelerate", "  mesh { data = rest }\n"
                   "  shard { optimizer = data, gradients = data, parameters = data }\n"},
    {"pytorch",
     "  mesh { data = rest }\n  shard { optimizer = data, gradients = data, parameters = data }\n"},
};

std::vector<std::string> refusalsOf(const ir::Plan& plan) {
  const Target* target = targetNamed(plan.framework.name);
  std::vector<std::string> out;
  if (!target)
    return out;
  DiagnosticEngine diags;
  (void)check({*target, plan, releaseFor(*target, plan), {}}, diags);
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error)
      out.push_back(d.message);
  return out;
}

constexpr std::uint64_t plenty = 1ULL << 40;
} // namespace

/// Pastes each fix that is offered for plans that lack a little, a third and two thirds of their
/// memory.
TEST(PastedFixes, AreTakenByTheFrameworkAndComeToWhatIsSaid) {
  std::size_t offered = 0;
  for (const Case& one : cases) {
    const std::string fields =
        (*one.framework ? fmt::format("  framework = {}\n", one.framework) : "") + one.fields;
    const ir::Plan plan = planOf(textOf(fields, plenty));
    const std::vector<std::string> before = refusalsOf(plan);
    const auto peak = static_cast<double>(ir::tightest(plan.memory)->peak());
    for (const double share : {0.97, 0.66, 0.34}) {
      const auto memory = static_cast<std::uint64_t>(share * peak);
      const ir::Plan small = planOf(textOf(fields, memory));
      if (ir::tightest(small.memory)->headroom() >= 0)
        continue;
      const AcceptsPlan takes = acceptsOf(small);
      for (const MemoryOutcome& out : memoryFixes(small, takes).found) {
        SCOPED_TRACE(fields + out.text);
        ++offered;
        const ir::Plan changed = planOf(textOf(pasted(fields, out.text), memory));
        ASSERT_FALSE(changed.memory.empty());
        EXPECT_EQ(ir::tightest(changed.memory)->peak(), out.tightest.peak());
        EXPECT_EQ(cost::stepTimes(changed).step, out.step);
        for (const std::string& refusal : refusalsOf(changed))
          EXPECT_NE(std::find(before.begin(), before.end(), refusal), before.end()) << refusal;
        if (out.host) {
          EXPECT_TRUE(out.host->fits());
        }
        EXPECT_EQ(out.text.find("shard {"), std::string::npos) << "it would drop other fields";
      }
    }
  }
  EXPECT_GT(offered, 60U);
}
