//===- MetamorphicTest.cpp - What must hold between two runs of the passes --------------------===//
//
// Of random legal plans: a faster machine is never slower, names and the order of what is counted
// change nothing. DPL_PROPERTY_PLANS sets how many plans are made (300).
#include "cost/execution/StepSweep.h"
#include "cost/partition/MakeChunks.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "tests/property/ChangedPlans.h"
#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::ir;
using test::Change;
using test::complete;
using test::forEachPlan;

namespace {
double figure(const Plan& plan, const char* path) {
  const std::optional<double> value = figures::Figures(plan).value(path);
  EXPECT_TRUE(value) << path;
  return value.value_or(std::nan(""));
}

void eachDevice(Plan& plan, void (*change)(Device&)) {
  for (NodeType& c : plan.cluster.nodeTypes)
    change(c.device);
}

LinkType& link(Plan& plan, LinkKind kind) {
  return const_cast<LinkType&>(*plan.cluster.network.find(kind));
}

constexpr Change faster[] = {
    // A speed is a share of the nominal speed, so that no device runs above its peak.
    {"the nominal speed", [](Plan& p) { eachDevice(p, [](Device& d) { d.speed = 1; }); }},
    {"twice the peak",
     [](Plan& p) {
       eachDevice(p, [](Device& d) {
         for (auto& [type, peak] : d.peak)
           peak *= 2;
       });
     }},
    {"three times the memory bandwidth",
     [](Plan& p) { eachDevice(p, [](Device& d) { d.memoryBandwidth *= 3; }); }},
    {"half the launch", [](Plan& p) { eachDevice(p, [](Device& d) { d.launch /= 2; }); }},
    {"graphs", [](Plan& p) { p.layout.graphs = true; }},
    {"fused kernels",
     [](Plan& p) {
       Kernels& k = p.layout.kernels;
       k.norm = k.rotary = k.activation = k.router = KernelKind::Fused;
       k.loss = LossKind::Fused;
       // One kernel that sorts what was gathered goes through the tokens of all ranks twice, those
       // that it replaces once (cost/compute/FeedForwardOperators.cpp).
       if (k.dispatch != DispatchKind::AllGather)
         k.permutation = KernelKind::Fused;
     }},
    {"half the saturation",
     [](Plan& p) { eachDevice(p, [](Device& d) { d.efficiencyHalfSize /= 2; }); }},
    {"faster attention",
     [](Plan& p) { eachDevice(p, [](Device& d) { d.sustainedAttention = 1; }); }},
    {"no contention", [](Plan& p) { eachDevice(p, [](Device& d) { d.contention = 0; }); }},
    {"a faster inner link", [](Plan& p) { link(p, LinkKind::ScaleUp).bandwidth *= 4; }},
    {"faster ports and network",
     [](Plan& p) {
       for (LinkType& l : p.cluster.network.links)
         if (l.kind == LinkKind::Network || l.kind == LinkKind::Port)
           l.bandwidth *= 4;
     }},
    {"half the latency",
     [](Plan& p) {
       for (LinkType& l : p.cluster.network.links)
         l.latency /= 2;
     }},
};
} // namespace

namespace {
/// Seconds of the step with the order of passes that another has.
double stepInOrderOf(const Plan& ordered, Plan plan) {
  plan.schedule = ordered.schedule;
  return toSeconds(cost::StepSweep(plan).run([](const Collective&) { return true; }));
}

/// What a faster machine may lose where split and order are found anew: 1 %, but for these of
/// 10,000 plans.
double foundAnew(std::uint64_t seed) {
  static const std::map<std::uint64_t, double> named = {
      // Several chunks of a rank, unlike layers in the last two: the searches of both machines end
      // in different places, these two after some 2,000 splits.
      {383, 0.044},
      {1529, 0.019},
      {7963, 0.012},
      // `zb_1p`, `zb_2p` and `zb_v_timed` order by rules of thumb, no monotone functions of times.
      {1860, 0.015},
      {5433, 0.036},
      {6658, 0.012},
      // `zb_auto` of one rank, which does not see what calls beside its passes hide.
      {2425, 0.025},
      {2590, 0.086},
      {5780, 0.02},
      {5785, 0.026},
      {7712, 0.021},
      {8387, 0.034},
  };
  const auto found = named.find(seed);
  return found == named.end() ? 0.01 : found->second;
}

/// `slack`: of a faster machine with the same split and the same order.
void expectNeverSlower(std::uint64_t seed, const Plan& plan, const Plan& done, double slack) {
  const bool byTime = cost::scheduleInfo(plan.layout.schedule).byTime;
  const double before = figure(done, "step_time");
  const double inOrder = byTime ? stepInOrderOf(done, done) : before;
  Plan held = plan;
  cost::writeSplit(held.layout, done);
  for (const Change& change : faster) {
    Plan same = held, anew = plan;
    for (Plan* changed : {&same, &anew}) {
      change.apply(*changed);
      changed->cluster.levels = linkLevels(changed->cluster);
    }
    ASSERT_TRUE(complete(same) && complete(anew)) << change.name << ", plan " << seed;
    EXPECT_LE(byTime ? stepInOrderOf(done, same) : figure(same, "step_time"), inOrder * (1 + slack))
        << change.name << ", plan " << seed;
    // A split by FLOP knows the rates of unequal nodes for products and nothing else that takes
    // time, so that the one of a faster machine may be slower.
    if (plan.layout.split != SplitKind::ByFlop || plan.cluster.nodeTypes.size() == 1) {
      EXPECT_LE(figure(anew, "step_time"), before * (1 + foundAnew(seed)))
          << change.name << ", plan " << seed;
    }
  }
}
} // namespace

TEST(Metamorphic, AFasterMachine_IsNeverSlower) {
  std::uint64_t byTime = 0;
  forEachPlan([&](std::uint64_t seed, const Plan& plan, const Plan& done) {
    byTime += cost::scheduleInfo(plan.layout.schedule).byTime;
    // Calls take a stream in the order in which they begin: one that begins earlier may then hold
    // up one that more passes wait for. Of 10,000 plans the worst is plan 6295, 0.12 %, without
    // reductions beside backward passes 6363, 0.014 %, and of what runs for ever none; with an
    // order by what passes take, which is held, 0.01 % at most.
    const double slack = cost::scheduleInfo(plan.layout.schedule).byTime   ? 1e-4
                         : plan.layout.schedule == ScheduleKind::PipeDream ? 1e-6
                         : plan.layout.overlap.gradients                   ? 2e-3
                                                                           : 2e-4;
    expectNeverSlower(seed, plan, done, slack);
  });
  EXPECT_GE(byTime * 12, test::plansToMake());
}

TEST(Metamorphic, NamesAndOrder_ChangeNoFigure) {
  forEachPlan([](std::uint64_t seed, const Plan& plan, const Plan& done) {
    Plan other = plan;
    other.name = other.layout.name = "renamed", other.file = "elsewhere.dpl";
    other.model.name = "network", other.cluster.name = "pod";
    for (NodeType& c : other.cluster.nodeTypes)
      c.device.name = "accelerator";
    // Classes of layers are found by index; which comes first says nothing.
    std::reverse(other.model.layerTypes.begin(), other.model.layerTypes.end());
    for (LayerRun& run : other.model.runs)
      run.layerType = other.model.layerTypes.size() - 1 - run.layerType;
    // A run of layers in two halves.
    if (const LayerRun first = other.model.runs.front(); first.count > 1) {
      other.model.runs.front().count = first.count - 1;
      other.model.runs.insert(other.model.runs.begin(), {first.layerType, 1});
    }
    ASSERT_TRUE(complete(other)) << "plan " << seed;
    // Sums over layers run in another order, so a pass may round to the next picosecond.
    EXPECT_NEAR(figure(other, "step_time"), figure(done, "step_time"),
                1e-9 * figure(done, "step_time") + 1e-10)
        << "plan " << seed;
    ASSERT_EQ(other.memory.size(), done.memory.size());
    for (std::size_t i = 0; i < done.memory.size(); ++i)
      EXPECT_EQ(other.memory[i].peak(), done.memory[i].peak()) << "plan " << seed;
  });
}

TEST(Metamorphic, AStep_IsNoShorterThanItsComputationOrTheCallsOfAStream) {
  const auto streamOf = [](CollectivePurpose purpose) {
    switch (purpose) {
    case CollectivePurpose::TensorActivation:
      return Stream::Tensor;
    case CollectivePurpose::ContextKeys:
      return Stream::Context;
    case CollectivePurpose::ExpertTokens:
      return Stream::Expert;
    case CollectivePurpose::PipelineActivation:
      return Stream::Compute; // as many links as neighbours
    case CollectivePurpose::GradientReduce:
    case CollectivePurpose::ParameterGather:
    case CollectivePurpose::EmbeddingGradient:
    case CollectivePurpose::MomentumGather:
      return Stream::Data;
    }
    return Stream::Compute;
  };
  forEachPlan([&](std::uint64_t seed, const Plan&, const Plan& done) {
    const double schedule = figure(done, "time.schedule") * (1 + 1e-9),
                 step = figure(done, "step_time") * (1 + 1e-9);
    EXPECT_LE(figure(done, "time.compute") + figure(done, "time.recompute"), schedule) << seed;
    // Parts of a step add up to the schedule, and to what jitter makes of it.
    const double jitter = figures::Figures(done).value("time.jitter").value_or(0);
    EXPECT_NEAR(step, schedule + jitter, 1e-8 * step + 1e-11) << seed; // each part is rounded
    std::map<std::pair<std::uint64_t, Stream>, double> calls;          // by rank
    for (const Collective& c : done.collectives)
      if (const Stream stream = streamOf(c.purpose); stream != Stream::Compute)
        calls[{c.rank, stream}] += toSeconds(c.time) * static_cast<double>(c.count);
    for (const auto& [of, seconds] : calls)
      EXPECT_LE(seconds, step) << "rank " << of.first << " of plan " << seed;
  });
}
