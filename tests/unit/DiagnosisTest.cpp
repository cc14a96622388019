//===- DiagnosisTest.cpp - Causes that a test plants are named, and no others -----------------===//
#include "diagnosis/Diagnosis.h"
#include "tests/unit/CompiledPlan.h"
#include <cmath>
#include <random>

using namespace dpl;
using namespace dpl::diagnosis;

namespace {
/// A workload whose step is computation but for a few percent of everything else, and one cause
/// that is planted in it.
class Workload {
public:
  Workload(unsigned seed, llvm::StringRef cause) : random(seed), cause(cause) {
    stages = is("stage_imbalance") || is("bubble") ? pick({2, 4}) : pick({1, 2, 4});
    data = pick({2, 4}), layers = pick({1, 2});
    micros = stages == 1 ? pick({4, 8, 16}) : (stages - 1) * pick({12, 14});
    if (is("bubble"))
      micros = pick({2, 3}) * stages / 2;
    forward = between(0.005, 0.05); // of a layer and sample
    flop = is("memory_bandwidth") || is("launches") || pick({0, 1}) == 1;
    step = 3 * forward * static_cast<double>(layers * (micros + stages - 1));
    const double ring = 2 * static_cast<double>(data - 1);
    if (is("latency"))
      latency = between(0.2, 0.6) * step / ring;
    const double share = is("bandwidth") ? between(0.25, 0.6) : between(0.005, 0.03);
    const double bytes = share * step * bandwidth * static_cast<double>(data) / ring;
    parameters = static_cast<std::uint64_t>(bytes / 4 / static_cast<double>(layers));
  }

  std::string text() {
    std::string cluster, list;
    // Formatted, as GCC at -O2 takes a text that is appended to an empty one to reach out of it.
    if (const double cv = is("jitter") ? between(0.3, 0.5) : pick({0, 1}) == 1 ? 0.01 : 0; cv > 0)
      cluster += fmt::format("  jitter = lognormal {{ cv = {:.3f} }}\n", cv);
    if (is("slow_nodes"))
      cluster += fmt::format("  part[\"slow\"] {{ nodes = {}, node.gpu.speed = {:.3f} }}\n", 1,
                             between(0.4, 0.8));
    if (is("contention"))
      cluster += fmt::format("  spine.oversubscription = {}\n", pick({24, 32, 48}));
    if (is("loading"))
      cluster += fmt::format("  loading {{ time = {:.6f}ms }}\n", 1e3 * step * between(1.2, 2) *
                                                                      static_cast<double>(stages) /
                                                                      static_cast<double>(micros));
    if (is("delay"))
      cluster += fmt::format("  delay {{ mean = {:.6f}ms }}\n",
                             1e3 * step * between(0.2, 0.5) / (2 * static_cast<double>(data - 1)));
    if (is("launches"))
      cluster += fmt::format("  node.gpu.launch = {:.6f}ms\n", 1e3 * forward * between(2, 4));
    // Parameters and outputs that are read and written take longer than the FLOP.
    if (is("memory_bandwidth"))
      cluster += fmt::format("  node.gpu.memory_bandwidth = {:.3f}GB/s\n",
                             4 * (static_cast<double>(parameters) + 2e6) /
                                 (forward * between(1.5, 3)) / 1e9);
    const std::uint64_t slow = pick({0, 1, 2, 3}) % stages;
    const double slower = is("stage_imbalance") ? between(1.5, 2.5) : 1;
    for (std::uint64_t i = 0; i < stages * layers; ++i) {
      const double time = forward * (i / layers == slow ? slower : 1);
      list += fmt::format("  layer[{0}] {{ name = \"l{0}\", parameters = {1}, ", i, parameters);
      list += flop ? fmt::format("forward = {:.6f}TFLOP, output = 1_000_000 }}\n", time * 1e3)
                   : fmt::format("time {{ forward = {:.6f}ms, backward = {:.6f}ms }}, "
                                 "message = 1000B }}\n",
                                 time * 1e3, 2 * time * 1e3);
    }
    return fmt::format(R"(
import std.textbook
cluster machine from textbook.flat {{
  nodes = {}
  node.gpu.memory = 100TB
  nic {{ bandwidth = {:.0f}GB/s per nic, latency = {:.6f}ms }}
  collectives = closed_form {{ algorithm = ring }}
{}}}
model workload from layer_list {{
{}}}
layout plain for workload on machine {{
  mesh {{ pipeline = {}, data = rest }}
  batch = {}sample
  update = 0s
  overlap.gradients = false
  precision {{ parameters = fp32, gradients = fp32, compute = fp32, master = none }}
}}
)",
                       stages * data, bandwidth / 1e9, latency * 1e3, cluster, list, stages,
                       micros * data);
  }

private:
  bool is(llvm::StringRef key) const { return cause == key; }
  std::uint64_t pick(std::initializer_list<std::uint64_t> of) {
    return of.begin()[random() % of.size()];
  }
  double between(double low, double high) {
    return low + (high - low) * static_cast<double>(random()) / 4294967296.0;
  }
  std::mt19937 random; // its numbers are specified, those of distributions are not
  std::string cause;
  std::uint64_t stages = 1, data = 4, layers = 1, micros = 4, parameters = 0;
  double forward = 0, step = 0, latency = 1e-7, bandwidth = 100e9;
  bool flop = false;
};

Diagnosis diagnosed(const ir::Plan& plan, std::uint64_t seed = 1) {
  simulation::Request request;
  request.steps = 8, request.seed = seed;
  return causesOf(plan, request);
}

std::string named(const Diagnosis& d) { return d.verdict ? d.verdict->key : ""; }

const Saving& saving(const Diagnosis& d, llvm::StringRef key) {
  for (const Saving& of : d.savings)
    if (key == of.cause->key)
      return of;
  ADD_FAILURE() << key.str();
  return d.savings.front();
}
} // namespace

TEST(Diagnosis, NamesThePlantedCause_AndNoneWhereNoneIsPlanted) {
  std::size_t planted = 0, right = 0;
  std::string wrong;
  for (const char* cause :
       {"", "jitter", "slow_nodes", "stage_imbalance", "bubble", "latency", "bandwidth",
        "contention", "memory_bandwidth", "launches", "loading", "delay"})
    for (unsigned seed = 1; seed <= 19; ++seed) {
      const std::string text = Workload(seed, cause).text();
      const ir::Plan plan = test::completedPlan("workload.dpl", text);
      ASSERT_FALSE(testing::Test::HasFailure()) << text;
      const std::string says = named(diagnosed(plan, seed));
      if (*cause == '\0') {
        EXPECT_EQ(says, "") << seed << text;
        continue;
      }
      ++planted;
      right += says == cause ? 1 : 0;
      if (says != cause)
        wrong += fmt::format("{} {}: {}\n", cause, seed, says);
    }
  EXPECT_GE(planted, 200U);
  EXPECT_GE(right * 100, planted * 95) << wrong;
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
  update = 0s
  overlap.gradients = false
  precision {{ parameters = fp32, gradients = fp32, compute = fp32, master = none }}
{}}}
)",
                     2 * micros, more);
}
} // namespace

TEST(Diagnosis, OfTwoStages_IsThatOfTheHand) {
  // (m + 1) · 30 ms of passes, a message of 2 ms each way, and a ring of two: 2 · (2 ms + 25 ms).
  const ir::Plan plan = test::completedPlan("hand.dpl", twoStages(2, ""));
  const Diagnosis d = diagnosed(plan);
  const double step = static_cast<double>(d.step.steady) / 1e9; // ms
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

TEST(Diagnosis, AChangeAsItIsPrinted_GivesTheStepThatWasTried) {
  const Diagnosis d = diagnose(test::completedPlan("changed.dpl", twoStages(8, "")), {}, {});
  ASSERT_EQ(d.changes.size(), 3U);
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
  graphs = true
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
  const ir::Plan plan = test::completedPlan("threads.dpl", Workload(3, "jitter").text());
  simulation::Request one, many;
  one.steps = many.steps = 11, one.threads = 1, many.threads = 4;
  EXPECT_EQ(textOf(renderJson(diagnose(plan, one, {}))),
            textOf(renderJson(diagnose(plan, many, {}))));
}
