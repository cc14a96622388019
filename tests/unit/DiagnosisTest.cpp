//===- DiagnosisTest.cpp - Causes that a test plants are named, and no others -----------------===//
#include "simulate/diagnosis/Diagnosis.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/PlantedWorkload.h"
#include <cmath>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <set>

using namespace dpl;
using namespace dpl::diagnosis;

namespace {
/// Without changes, of which its trainer accepts none.
Diagnosis diagnosed(const ir::Plan& plan, std::uint64_t seed = 1, bool messages = false) {
  simulation::SimulationRequest request;
  request.steps = 8, request.seed = seed, request.messages = messages;
  return diagnose(plan, request, {{}, [](const ir::Plan&) { return false; }});
}

std::string named(const Diagnosis& d) {
  return d.failing ? "failure" : d.verdict ? d.verdict->key : "";
}

const Saving& saving(const Diagnosis& d, llvm::StringRef key) {
  for (const Saving& of : d.savings)
    if (key == of.cause->key)
      return of;
  ADD_FAILURE() << key.str();
  return d.savings.front();
}
} // namespace

TEST(Diagnosis, NamesThePlantedCause_AndNoneWhereNoneIsPlanted_Slow) {
  std::set<std::string> planted{"", "failure"};
  for (const Cause& cause : causes())
    planted.insert(cause.key);
  planted.erase("communication"); // whose parts are planted
  std::size_t all = 0, right = 0;
  std::string wrong;
  for (const std::string& cause : planted)
    // Delays of each collective are drawn thousands of times, which takes longest.
    for (unsigned seed = 1; seed <= (cause == "message_delay" ? 3U : 11U); ++seed) {
      const std::string text = test::plantedWorkload(seed, cause);
      const ir::Plan plan = test::completedPlan("workload.dpl", text);
      ASSERT_FALSE(testing::Test::HasFailure()) << text;
      const std::string says = named(diagnosed(plan, seed, test::isOfMessages(cause)));
      if (cause.empty()) {
        EXPECT_EQ(says, "") << seed << text;
        continue;
      }
      ++all;
      right += says == cause ? 1 : 0;
      if (says != cause)
        wrong += fmt::format("{} {}: {}\n", cause, seed, says);
    }
  EXPECT_GE(all, 200U);
  EXPECT_GE(right * 100, all * 95) << wrong;
  RecordProperty("planted", std::to_string(all));
  RecordProperty("named", std::to_string(right));
}

namespace {
/// Two stages of a layer of 10 and 20 ms, so many micro-batches, and data ranks that reduce
/// 200 MB.
std::string twoStages(std::uint64_t micros, const std::string& more) {
  return fmt::format(R"(
import std.textbook
cluster machine from textbook.flat {{
  nodes = 4
  nic {{ bandwidth = 4GB/s per nic, latency = 2ms }}
  collectives = closed_form {{ algorithm = ring }}
}}
model workload from layer_list {{
  layer[0] {{ name = "all", repeat = 2, parameters = 50_000_000,
              time {{ forward = 10ms, backward = 20ms }}, message = 0B }}
}}
layout plain for workload on machine {{
  mesh {{ pipeline = 2, data = 2 }}
  batch = {}sample
  optimizer_time = 0s
  overlap.gradients = false
  precision {{ parameters = fp32, gradients = fp32, compute = fp32, master_weights = none }}
{}}}
)",
                     2 * micros, more);
}
} // namespace

TEST(Diagnosis, OfTwoStages_IsThatOfTheHand) {
  // (m + 1) · 30 ms of passes, a message of 2 ms each way, and a ring of two: 2 · (2 ms + 25 ms).
  const ir::Plan plan = test::completedPlan("hand.dpl", twoStages(2, ""));
  const Diagnosis d = diagnosed(plan);
  const double step = static_cast<double>(d.step.ranks->steady) / 1e9; // ms
  EXPECT_DOUBLE_EQ(step, 3 * 30 + 2 * 2 + 54);
  EXPECT_NEAR(saving(d, "bandwidth").saved * step, 50, 1e-6);
  EXPECT_NEAR(saving(d, "latency").saved * step, 4 + 4, 1e-6);
  EXPECT_NEAR(saving(d, "communication").saved * step, 58, 1e-6);
  EXPECT_NEAR(saving(d, "bubble").saved * step, 30 + 4, 1e-6);
  EXPECT_NEAR(saving(d, "stage_imbalance").saved, 0, 1e-12);
  EXPECT_NEAR(saving(d, "memory_bandwidth").saved, 0, 1e-12);
  EXPECT_NEAR(d.together.saved * step, 30 + 58, 1e-6);
  // The messages are in both.
  ASSERT_EQ(d.between.size(), 1U);
  EXPECT_NEAR(d.between.front().beyond * step, -4, 1e-6);
  EXPECT_EQ(named(d), "bandwidth");
}

namespace {
/// A cluster of four nodes whose last node is slower in one field.
Diagnosis withSlow(const std::string& field, const std::string& layout = "mesh { data = rest }") {
  return diagnosed(test::completedPlan("slow.dpl", fmt::format(R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{ nodes = 4, node_pool["slow"] {{ nodes = 1, {} }} }}
layout plan for models.gpt2_xl on pod {{ {}, batch = 128seq, micro_batch = 4seq }}
)",
                                                               field, layout)));
}
} // namespace

TEST(Diagnosis, OfSlowNodes_NamesThePartAndItsField) {
  for (const auto& [field, path] :
       {std::pair("node.gpu.speed = 0.5", "node.gpu.speed"),
        std::pair("node.gpu.memory_bandwidth = 0.5TB/s", "node.gpu.memory_bandwidth"),
        std::pair("node.gpu.launch_overhead = 400us", "node.gpu.launch_overhead"),
        std::pair("node.gpu.sustained.matmul = 0.2", "node.gpu.sustained.matmul"),
        std::pair("nic.bandwidth = 1GB/s per nic", "nic.bandwidth"),
        std::pair("nic.latency = 20ms", "nic.latency")})
    for (const std::string layout :
         {"mesh { data = rest }", "mesh { pipeline = 4, data = rest }, split = [14, 12, 12, 10]"}) {
      const Diagnosis d = withSlow(field, layout);
      // Point-to-point messages are too short to matter.
      if (layout.find("pipeline") != std::string::npos && path[0] == 'n' && path[1] == 'i')
        continue;
      EXPECT_EQ(named(d), "slow_nodes") << field << " " << layout;
      ASSERT_TRUE(d.slowest) << field << " " << layout;
      EXPECT_EQ(d.slowest->field, path) << layout;
      EXPECT_EQ(d.slowest->name, "slow");
      EXPECT_EQ(d.slowest->firstNode, 3U);
      EXPECT_EQ(d.slowest->nodes, 1U);
      EXPECT_GT(d.slowest->costs, 0.1);
    }
  EXPECT_NE(named(withSlow("node.gpu.speed = 1.0")), "slow_nodes");
}

TEST(Diagnosis, AChangeAsItIsPrinted_GivesTheStepThatWasTried) {
  const Diagnosis d = diagnose(test::completedPlan("changed.dpl", twoStages(8, "")), {}, Trainer());
  ASSERT_GE(d.changes.size(), 1U); // the best of each field
  EXPECT_GT(d.tried, 10U);
  for (const Saving& change : d.changes) {
    std::string text = twoStages(8, "  " + change.text + "\n");
    if (llvm::StringRef(change.text).startswith("mesh"))
      text.erase(text.find("  mesh { pipeline = 2"),
                 text.find("\n  batch") - text.find("  mesh {"));
    const ir::Plan plan = test::completedPlan("changed.dpl", text);
    EXPECT_EQ(static_cast<double>(simulation::runSteps(plan, {}).steady), change.step) << text;
  }
}

namespace {
/// Four workers behind a nominal node and three of a part, or the reverse.
ir::Plan unequal(const std::string& nominal, const std::string& part,
                 const std::string& more = "") {
  return test::completedPlan("unequal.dpl", fmt::format(R"(
import std.textbook
cluster machine from textbook.flat {{
  nodes = 4
  {}
  node_pool["others"] {{ nodes = 2, {} }}
}}
model workload from layer_list {{
  layer[0] {{ name = "all", parameters = 25_000_000, forward = 5TFLOP, output = 10_000_000 }}
}}
layout plain for workload on machine {{
  mesh {{ data = rest }}
  batch = 64sample
  optimizer_time = 0s
{}}}
)",
                                                        nominal, part, more));
}
} // namespace

TEST(Diagnosis, OfUnequalNodes_IsTheSameInWhicheverOrderTheyAreDeclared) {
  const std::pair<const char*, const char*> kinds[] = {
      {"nic { bandwidth = 25GB/s per nic }", "nic { bandwidth = 0.5GB/s per nic }"},
      {"node.gpu.memory_bandwidth = 100GB/s", "node.gpu.memory_bandwidth = 2GB/s"},
      {"node.gpu.speed = 1.0", "node.gpu.speed = 0.5"}};
  for (const auto& [fast, slow] : kinds) {
    const Diagnosis one = diagnosed(unequal(fast, slow)), other = diagnosed(unequal(slow, fast));
    EXPECT_GT(saving(one, "slow_nodes").saved, 0.1) << slow;
    EXPECT_NEAR(saving(one, "slow_nodes").saved, saving(other, "slow_nodes").saved, 1e-9) << slow;
    EXPECT_EQ(named(one), named(other)) << slow;
  }
}

// Workers of speeds 1 and 0.5 have 16 micro-batches each, or 64/3 and 32/3 in whole ones: 22 and
// 21, and 11 and 10.
TEST(Diagnosis, OfUnequalNodes_OffersShares_AndWhatDataRanksMayWaitFor) {
  const ir::Plan plan = unequal("node.gpu.speed = 1.0", "node.gpu.speed = 0.5");
  const Diagnosis d = diagnose(plan, {}, {});
  ASSERT_FALSE(d.changes.empty());
  EXPECT_EQ(d.changes.front().text, "batch_balancing = proportional");
  EXPECT_NEAR(d.changes.front().saved, 1 - 22.0 / 32, 0.01);
  ASSERT_EQ(d.learning.size(), 3U);
  for (const auto* list : {&d.changes, &d.learning})
    for (const Saving& change : *list) {
      const ir::Plan with =
          unequal("node.gpu.speed = 1.0", "node.gpu.speed = 0.5", "  " + change.text + "\n");
      EXPECT_EQ(measured(with, {}, simulation::stepsByWorkers(with)).mean(), change.step)
          << change.text;
    }
}

// What no step without jitter shows: one backup worker of four does not wait for the slowest.
TEST(Diagnosis, OfJitter_RanksChangesByDrawnSteps) {
  const ir::Plan plan = test::completedPlan("jitter.dpl", R"(
import std.textbook
cluster machine from textbook.flat {
  nodes = 4
  nic { bandwidth = 1PB/s per nic, latency = 0us }
  jitter = lognormal { cv = 0.4 }
}
model workload from layer_list {
  layer[0..<4] { name = "all", parameters = 1000, time { forward = 5ms, backward = 10ms } }
}
layout plain for workload on machine {
  mesh { pipeline = 2, data = 2 }
  batch = 64sample
  optimizer_time = 0s
}
)");
  const Diagnosis d = diagnose(plan, {}, {});
  EXPECT_EQ(named(d), "jitter");
  for (const Saving& change : d.changes)
    EXPECT_GT(change.saved, change.halfWidth.value_or(0)) << change.text;
  EXPECT_FALSE(d.changes.empty());
}

TEST(Diagnosis, OfJitter_SaysWhatMoreBarriersCost) {
  const auto rowsOf = [](const std::string& jitter) {
    return barriersOf(test::completedPlan("barriers.dpl", fmt::format(R"(
import std.textbook
cluster machine from textbook.flat {{ nodes = 16, jitter = {} }}
model workload from layer_list {{ layer[0] {{ name = "all", time {{ forward = 5ms, backward = 10ms }} }} }}
layout plain for workload on machine {{ mesh {{ data = rest }}, batch = 16sample, optimizer_time = 0s }}
)",
                                                                      jitter)),
                      1);
  };
  const std::vector<Barriers> rows = rowsOf("exponential { cv = 0.3 }");
  ASSERT_EQ(rows.size(), 2U); // of a hundred a piece would vary by more than its mean
  double sum = 0;             // H_16
  for (int i = 1; i <= 16; ++i)
    sum += 1.0 / i;
  EXPECT_NEAR(rows[0].exact, 1 + 0.3 * (sum - 1), 1e-9);
  EXPECT_NEAR(rows[1].exact, 1 + 0.3 * std::sqrt(10.0) * (sum - 1), 1e-9);
  for (const Barriers& row : rows)
    EXPECT_NEAR(row.drawn, row.exact, 1.6 * *row.halfWidth);
  EXPECT_EQ(rowsOf("lognormal { cv = 0.3 }").size(), 4U);
  EXPECT_TRUE(rowsOf("lognormal { cv = 0.3, persistence = 5step }").empty());
  EXPECT_TRUE(rowsOf("pareto { shape = 3 }").empty());
}

TEST(Diagnosis, OfLayersThatExchange_NamesDistanceAndUnevenExperts) {
  const auto text = [](const char* model, const char* mesh, const char* more) {
    return fmt::format(R"(
import std.models
import std.clusters
cluster pod from clusters.dgx_h100 {{
  nodes = 4
  node.gpu.memory = 1TB
}}
model some from models.{} {{ {} }}
layout plain for some on pod {{
  batch = 64seq
  cuda_graphs = true
  mesh {{ {} }}
  shard {{ parameters = data, optimizer = data, gradients = data }}
}}
)",
                       model, more, mesh);
  };
  const ir::Plan inside =
      test::completedPlan("near.dpl", text("llama3_8b", "data = rest, tensor = 8", ""));
  const ir::Plan outside =
      test::completedPlan("far.dpl", text("llama3_8b", "tensor = 8, data = rest", ""));
  EXPECT_EQ(named(diagnosed(outside)), "locality");
  for (const Saving& of : diagnosed(inside).savings)
    EXPECT_STRNE(of.cause->key, "locality");
  const ir::Plan even = test::completedPlan(
      "even.dpl", text("mixtral_8x7b", "data = rest, experts { expert = 8 }", ""));
  const ir::Plan uneven =
      test::completedPlan("uneven.dpl", text("mixtral_8x7b", "data = rest, experts { expert = 8 }",
                                             "ffn.imbalance = 4.0"));
  const Diagnosis d = diagnosed(uneven);
  EXPECT_EQ(named(d), "expert_imbalance");
  EXPECT_EQ(saving(d, "expert_imbalance").step,
            static_cast<double>(simulation::runSteps(even, {}).steady));
}

TEST(Diagnosis, IsTheSameOnAnyNumberOfThreads) {
  const ir::Plan plan = test::completedPlan("threads.dpl", test::plantedWorkload(3, "jitter"));
  simulation::SimulationRequest one, many;
  one.steps = many.steps = 11, one.threads = 1, many.threads = 4;
  EXPECT_EQ(textOf(renderJson(diagnose(plan, one, {}))),
            textOf(renderJson(diagnose(plan, many, {}))));
}
