//===- DiagnosedChangesTest.cpp - Frameworks accept the proposed changes ----------------------===//
#include "backends/Target.h"
#include "cost/step/StepTimes.h"
#include "simulate/diagnosis/Diagnosis.h"
#include "tests/unit/CompiledPlan.h"
#include <fmt/format.h>
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::diagnosis;

namespace {
/// The plan of a layout of those fields; a change is a line of another layout from it.
ir::Plan planOf(const std::string& model, const std::string& fields, double headroom = 0.1,
                const std::string& change = "") {
  return test::completedPlan("changes.dpl", fmt::format(R"(
import std.models
import std.clusters
lint strict {{ headroom = {2} }}
cluster pod from clusters.dgx_h100 {{ nodes = 2 }}
layout plain {{
  batch = 64seq
  {1}
}}
layout changed from plain for models.{0} on pod {{ {3} }}
)",
                                                        model, fields, headroom, change));
}

/// The plan of the file that says a change.
ir::Plan planThatSays(const std::string& model, const std::string& fields,
                      const std::string& change) {
  const bool isMesh = change.rfind("mesh {", 0) == 0; // the axes that it leaves out are 1
  return planOf(model, fields, 0.1, (isMesh ? "mesh = " : "") + change);
}

bool takes(const Target& target, const ir::Plan& plan) {
  DiagnosticEngine silent;
  return check({target, plan, releaseFor(target, plan), {}}, silent).succeeded();
}

struct Case {
  const char *framework, *model, *fields;
};
constexpr Case cases[] = {
    {"megatron", "llama3_8b",
     "mesh { pipeline = 2, data = 4, tensor = 2 within node }, shard { optimizer = data }\n"
     "overlap { gradients = false, parameters = false, pipeline = false, tensor = false }"},
    {"megatron", "mixtral_8x7b",
     "mesh { pipeline = 2, data = 4, tensor = 2 within node, experts { data = 1, expert = 8, "
     "tensor = 1 } }, shard { optimizer = data, sequence = tensor }"},
    {"deepspeed", "llama3_8b",
     "mesh { data = rest }, shard { parameters = data, gradients = data, optimizer = data }"},
    {"deepspeed", "gpt2_xl", "mesh { data = rest }, shard { optimizer = data }"},
    {"torchtitan", "llama3_8b",
     "mesh { data = rest }, shard { parameters = data, gradients = data, optimizer = data }"},
    {"torchtitan", "llama3_8b",
     "mesh { pipeline = 2, data = rest, tensor = 2 within node }, shard { parameters = data, "
     "gradients = data, optimizer = data, "
     "sequence = tensor }, recompute = full"},
    {"accelerate", "gpt2_xl", "mesh { data = rest }, precision.parameters = fp32"},
    {"accelerate", "llama3_8b",
     "mesh { pipeline = 2, data = rest, tensor = 2 within node }, shard { optimizer = data }, "
     "recompute = full"},
    {"deepspeed", "llama3_8b",
     "mesh { pipeline = 2, data = rest, tensor = 2 within node }, shard { optimizer = data }"},
    {"pytorch", "mixtral_8x7b",
     "mesh { pipeline = 2, data = rest, experts { data = rest, expert = 8 } }\n"
     "shard { parameters = data, gradients = data, optimizer = data }, recompute = full"},
    // The split is found anew for each change.
    {"megatron", "llama3_8b",
     "mesh { pipeline = 4, data = 2, tensor = 2 within node }, split = balanced, "
     "recompute = full, micro_batch = 2seq"},
};
} // namespace

TEST(DiagnosedChanges, AreTakenByTheTargetOfTheLayoutsFramework) {
  std::size_t all = 0, refused = 0;
  for (const Case& of : cases) {
    const std::string fields = fmt::format("framework = {}\n  {}", of.framework, of.fields);
    const ir::Plan plan = planOf(of.model, fields);
    ASSERT_FALSE(HasFailure()) << of.framework << " " << of.fields;
    const Target& target = *targetNamed(of.framework);
    ASSERT_TRUE(takes(target, plan)) << of.framework << " " << of.fields;
    for (const LayoutChange& change : changesOf(plan, trainerOf(plan))) {
      ++all;
      EXPECT_TRUE(takes(target, change.plan)) << of.framework << ": " << change.text;
      EXPECT_TRUE(change.text.rfind("split = ", 0) == 0 ||
                  change.plan.layout.split == plan.layout.split)
          << change.text;
      const ir::Plan written = planThatSays(of.model, fields, change.text);
      EXPECT_TRUE(takes(target, written)) << of.framework << ": " << change.text;
      EXPECT_EQ(cost::stepTimes(written).step, cost::stepTimes(change.plan).step)
          << of.framework << ": " << change.text;
    }
    for (const LayoutChange& change : changesOf(plan, {}))
      refused += takes(target, change.plan) ? 0 : 1;
  }
  EXPECT_GE(all, 20U);
  EXPECT_GE(refused, 20U); // else this test tries nothing
}

TEST(DiagnosedChanges, OfALayoutWithoutAFramework_SayWhoTakesThem) {
  // Several frameworks take the layout. Not all have each schedule, so that a change of it names
  // the frameworks that take it.
  const ir::Plan plan = planOf("gpt2_xl", "mesh { pipeline = 4, data = rest }");
  const Diagnosis found = diagnose(plan, {}, trainerOf(plan));
  ASSERT_FALSE(found.changes.empty());
  const std::vector<std::string> now = frameworksThatAccept(plan);
  ASSERT_GE(now.size(), 2U);
  bool some = false;
  for (const Saving& change : found.changes) {
    EXPECT_GT(change.saved, 0.005) << change.text;
    if (change.acceptedBy) {
      some = true;
      EXPECT_LT(change.acceptedBy->size(), now.size()) << change.text;
    }
  }
  EXPECT_TRUE(some);
}

TEST(DiagnosedChanges, ThatLeaveLittleMemory_AreMarked) {
  for (const auto& [headroom, marked] : {std::pair(0.99, true), std::pair(0.01, false)}) {
    const ir::Plan plan = planOf("gpt2_xl", "mesh { data = rest }", headroom);
    const Diagnosis found = diagnose(plan, {}, trainerOf(plan));
    ASSERT_FALSE(found.changes.empty());
    for (const Saving& change : found.changes)
      EXPECT_EQ(change.leavesFree.has_value(), marked) << change.text;
  }
}
