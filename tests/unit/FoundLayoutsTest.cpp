//===- FoundLayoutsTest.cpp - What `mesh = auto` found, pasted into the file ------------------===//
#include "backends/Target.h"
#include "backends/report/Report.h"
#include "cost/step/StepTimes.h"
#include "driver/workspace/Workspace.h"
#include "tests/unit/CompiledPlan.h"
#include "llvm/ADT/StringRef.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;

namespace {
ir::Plan planOf(const std::string& model, const std::string& framework, const std::string& fields) {
  return test::completedPlan("found.dpl", fmt::format(R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{ nodes = 2 }}
layout plan for models.{} on pod {{
  {}
  batch = 64seq
{}
}}
)",
                                                      model, framework, fields));
}

/// The lines of a screen from the mesh to the next label, and the one of the schedule.
std::string found(const std::string& screen) {
  constexpr std::size_t label = 11;
  llvm::SmallVector<llvm::StringRef, 32> lines;
  llvm::StringRef(screen).split(lines, '\n');
  std::string out;
  bool ofMesh = false;
  for (const llvm::StringRef line : lines) {
    ofMesh = line.startswith("mesh ") || (ofMesh && line.startswith(" "));
    if (ofMesh || line.startswith("schedule   schedule = "))
      out += line.drop_front(label).str() + "\n";
  }
  return out;
}

} // namespace

TEST(FoundLayouts, PastedIntoTheFileAreTheSameLayout) {
  std::size_t schedules = 0;
  const std::pair<const char*, const char*> cases[] = {{"llama3_8b", "schedule = auto\n"},
                                                       {"qwen3_30b_a3b", ""}};
  for (const char* framework : {"", "framework = megatron", "framework = torchtitan",
                                "framework = deepspeed", "framework = nanotron"})
    for (const auto& [model, schedule] : cases) {
      const ir::Plan plan = planOf(model, framework, std::string(schedule) + "mesh = auto");
      ASSERT_FALSE(plan.memory.empty()) << framework << " " << model;
      for (const unsigned width : {60U, 80U, 200U}) {
        const std::string text = found(report::renderCheck(plan, width, 0));
        SCOPED_TRACE(fmt::format("{} {}\n{}", framework, model, text));
        schedules += text.find("schedule = ") != std::string::npos ? 1 : 0;
        const ir::Plan pasted = planOf(model, framework, text);
        EXPECT_EQ(cost::stepTimes(pasted).step, cost::stepTimes(plan).step);
        EXPECT_EQ(ir::tightest(pasted.memory)->peak(), ir::tightest(plan.memory)->peak());
      }
    }
  EXPECT_GT(schedules, 0U);
}
