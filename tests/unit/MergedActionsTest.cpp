//===- MergedActionsTest.cpp - A forward and a backward that take turns -----------------------===//
//
// Passes of a layer as DualPipe's authors draw them (arXiv 2412.19437, figure 4): a forward attends
// and then has its experts, a backward the other way round, and tokens travel before and behind the
// experts of either.
#include "cost/programs/MergedActions.h"
#include "backends/Target.h"
#include "cost/compute/LayerCost.h"
#include "cost/compute/OperatorTime.h"
#include "cost/execution/StepSweep.h"
#include "cost/programs/ProgramWalk.h"
#include "cost/step/PlanCheck.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "simulate/plan/Simulation.h"
#include "tests/unit/SchedulePlans.h"
#include "llvm/ADT/STLExtras.h"
#include <gmock/gmock.h>
#include <set>

using namespace dpl;
using namespace dpl::ir;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

namespace {
Segment compute(std::uint64_t time) { return {ComputeSegment{ComputeKind::None, time}}; }
Segment exchange(std::uint64_t index, std::uint64_t time) {
  return {CollectiveSegment{ChunkCollectiveId(index), Stream::Expert, false, time, time}};
}
bool isExchange(const Segment& s) {
  return s.asCollective() && s.asCollective()->stream == Stream::Expert;
}
SegmentLoop forwardLayers(std::uint64_t count, std::uint64_t sent) {
  return {count, {compute(100), exchange(0, sent), compute(80), exchange(1, sent)}};
}
SegmentLoop backwardLayers(std::uint64_t count, std::uint64_t sent) {
  return {count, {exchange(0, sent), compute(160), exchange(1, sent), compute(200)}};
}

StageProgram merged(const std::vector<SegmentLoop>& forward,
                    const std::vector<SegmentLoop>& backward, double contention = 0) {
  cost::WrittenProgram to;
  cost::merge(forward, backward, contention, {}, to);
  return {ActionKind::PairedForward, {to.blocks().begin(), to.blocks().end()}};
}
std::uint64_t alone(const std::vector<SegmentLoop>& blocks) {
  return cost::timeOf(blocks, {}, [](const Segment&) { return true; }).durationAlone();
}
std::uint64_t takes(const std::vector<SegmentLoop>& forward,
                    const std::vector<SegmentLoop>& backward, double contention = 0) {
  return alone(merged(forward, backward, contention).loops);
}
} // namespace

TEST(MergedActions, ExchangesRunBesideTheOtherPass) {
  // Computation: attention forward 100, experts backward 160, experts forward 80, attention
  // backward 200. Beside them in this order 60 each: to the experts backward and forward, back
  // from them backward and forward. All are hidden, but by themselves the passes show them.
  EXPECT_EQ(takes({forwardLayers(1, 60)}, {backwardLayers(1, 60)}), 540U);
  EXPECT_EQ(takes({forwardLayers(3, 60)}, {backwardLayers(3, 60)}), 3 * 540U);
  EXPECT_EQ(alone({forwardLayers(3, 60)}), 3 * 300U);
  EXPECT_EQ(alone({backwardLayers(3, 60)}), 3 * 480U);
}

TEST(MergedActions, WhatTakesLongerThanTheComputationBesideIt_Shows) {
  // One stream has all four, one behind the other: of 300 each it is never free.
  // Of 120 each: to the experts until 120 and 240; attention forward 0 to 100, experts backward 120
  // to 280, forward to 360; back until 400 and 520; attention backward 400 to 600.
  EXPECT_EQ(takes({forwardLayers(1, 300)}, {backwardLayers(1, 300)}), 1200U);
  EXPECT_EQ(takes({forwardLayers(1, 120)}, {backwardLayers(1, 120)}), 600U);
}

TEST(MergedActions, ComputationBesideAnExchangeLosesToIt) {
  // A tenth of 60, four times.
  EXPECT_EQ(takes({forwardLayers(1, 60)}, {backwardLayers(1, 60)}, 0.1), 564U);
}

TEST(MergedActions, LayersThatTheOtherPassDoesNotHaveRunAlone) {
  EXPECT_EQ(takes({forwardLayers(3, 60)}, {backwardLayers(2, 60)}), 2 * 540U + 300);
  EXPECT_EQ(takes({forwardLayers(1, 60)}, {backwardLayers(2, 60)}), 540U + 480);
  // Nor has an embedding or a head anything to exchange.
  EXPECT_EQ(takes({{1, {compute(5)}}, forwardLayers(2, 60)},
                  {{1, {compute(7)}}, backwardLayers(2, 60), {1, {compute(11)}}}),
            2 * 540U + 23);
  EXPECT_EQ(takes({{1, {compute(5)}}}, {{1, {compute(7)}}}), 12U);
}

TEST(MergedActions, WhereTurnsTakeLonger_OnePassStandsBehindTheOther) {
  const auto data = [](std::uint64_t time, std::uint64_t holds) {
    return Segment{CollectiveSegment{ChunkCollectiveId(2), Stream::Data, false, time, holds}};
  };
  // A forward gathers for 100 and takes 30 more, a backward takes 30 and leaves a reduction of 90,
  // behind which the gather would wait if the backward came first.
  const SegmentLoop forward{
      1, {data(100, 100), compute(10), exchange(0, 5), compute(10), exchange(1, 5)}};
  const SegmentLoop backward{1, {compute(30), data(90, 0)}};
  EXPECT_EQ(takes({forward}, {backward}), 160U);
  EXPECT_EQ(merged({forward}, {backward}).loops.front().segments, forward.segments);
}

TEST(MergedActions, CallsAndComputationOfTheBackwardAreToldApart) {
  const StageProgram program = merged({forwardLayers(1, 60)}, {backwardLayers(1, 60)});
  std::vector<std::pair<bool, std::uint64_t>> calls;
  std::uint64_t forward = 0, backward = 0;
  for (const Segment& s : program.loops.front().segments)
    if (s.asCollective())
      calls.emplace_back(s.backward, s.collective()->index());
    else if (s.asCompute())
      (s.backward ? backward : forward) += s.time();
  EXPECT_THAT(calls, ElementsAre(Pair(true, 0U), Pair(false, 0U), Pair(true, 1U), Pair(false, 1U)));
  EXPECT_EQ(forward, 180U);
  EXPECT_EQ(backward, 360U);
  // Micro-batches of other costs than the mean: twice it forward, three times it backward.
  cost::Clocks clocks;
  const cost::ActionCosts costs({2, 1}, {3, 1});
  EXPECT_EQ(cost::walk(program, {}, costs, clocks, [](const cost::WalkedSegment&) {}),
            2 * 180U + 3 * 360U);
  EXPECT_EQ(cost::timeOf(
                program, {}, [](const Segment&) { return true; }, costs)
                .durationAlone(),
            2 * 180U + 3 * 360U);
}

namespace {
std::uint64_t stepOf(const Plan& plan) { return cost::endOfSchedule(plan); }
} // namespace

TEST(MergedPairs, PlansRunThemAsTheyAreSimulatedAndEstimated) {
  for (const char* schedule : {"dualpipe", "dualpipe_v"})
    for (const char* rest :
         {"  overlap.experts = true\n", "  overlap.experts = true\n  recompute = full\n",
          "  overlap.experts = true\n  shard { optimizer = data, gradients = data, parameters = "
          "data }\n",
          "  overlap.experts = true\n  micro_batch_costs = [1, 2, 3, 4]\n"}) {
      const Plan plan = test::mergedPairs(schedule, rest), apart = test::mergedPairs(schedule, "");
      ASSERT_FALSE(plan.schedule.empty()) << schedule << rest;
      std::set<StageProgramId> bodies;
      for (const ChunkPrograms& programs : plan.chunkPrograms)
        bodies.insert(*stageProgramOf(plan, programs, ActionKind::PairedForward));
      EXPECT_LE(bodies.size(), plan.chunkPrograms.size());
      EXPECT_FALSE(stageProgramOf(apart, apart.chunkPrograms.front(), ActionKind::PairedForward));
      EXPECT_THAT(cost::whatIsUnsound(plan), IsEmpty()) << schedule << rest;
      EXPECT_EQ(simulation::runSteps(plan, {}).steady, stepOf(plan)) << schedule << rest;
    }
}

TEST(MergedPairs, AreNotSlowerThanTheirPassesOneBehindTheOther) {
  for (const char* schedule : {"dualpipe", "dualpipe_v"}) {
    const Plan plan = test::mergedPairs(schedule), apart = test::mergedPairs(schedule, "");
    EXPECT_LT(stepOf(plan), stepOf(apart)) << schedule;
    // Passes that are in no pair show their exchanges with and without.
    for (std::size_t i = 0; i < plan.chunkPrograms.size(); ++i) {
      EXPECT_EQ(plan.chunkPrograms[i].forward, apart.chunkPrograms[i].forward);
      EXPECT_EQ(plan.chunkPrograms[i].backward, apart.chunkPrograms[i].backward);
    }
  }
}

// Mixtral's experts: two products and what is between them.
TEST(MergedPairs, CutTheExpertsOutAtTheirOwnTime) {
  const Plan plan = test::mergedPairs("dualpipe_v");
  double forward = 0, backward = 0;
  for (const cost::OperatorCost& op :
       cost::operatorsOf(plan.model, plan.model.layerTypes.front(), cost::divisionOf(plan)))
    if (const std::string name = op.name;
        name == "expert up" || name == "activation" || name == "expert down") {
      const auto seconds = [&](cost::GradientDirection direction) {
        return cost::operatorTime(op, direction, plan.cluster.nodeTypes.front().device);
      };
      forward += seconds(cost::GradientDirection::Forward);
      backward += seconds(cost::GradientDirection::BackwardInput) +
                  seconds(cost::GradientDirection::BackwardWeight);
    }
  for (const auto& [kind, expected] :
       {std::pair(ActionKind::Forward, forward), std::pair(ActionKind::Backward, backward)}) {
    bool found = false;
    for (const SegmentLoop& block :
         plan.stagePrograms[*stageProgramOf(plan, plan.chunkPrograms.front(), kind)].loops)
      for (std::size_t i = 1; i + 1 < block.segments.size(); ++i)
        if (!found && isExchange(block.segments[i - 1]) && isExchange(block.segments[i + 1])) {
          found = true; // what follows stands between two layers
          EXPECT_NEAR(toSeconds(block.segments[i].time()), expected, 1e-3 * expected);
        }
    EXPECT_TRUE(found);
  }
}

TEST(MergedPairs, AreOneEntryOfTheProgram) {
  const Plan plan = test::mergedPairs("dualpipe");
  DiagnosticEngine diags;
  const auto files = emit({*targetNamed("mpi"), plan, {}, {}}, diags);
  ASSERT_FALSE(files.failed());
  const auto& tables =
      llvm::find_if(*files, [](const EmittedFile& f) { return f.path == "plan.h"; })->content;
  // A backward's exchanges are calls of their own, or a wait for one would be for the forward's.
  EXPECT_THAT(tables, HasSubstr("{OperationKind::Pair, "));
  std::size_t calls = 0;
  for (std::size_t at = 0; (at = tables.find("CallKind::AllToAll", at)) != std::string::npos; ++at)
    ++calls;
  EXPECT_EQ(calls, 2U);
}

TEST(MergedPairs, HoldTheWorkOfBothPasses) {
  const Plan plan = test::mergedPairs("dualpipe_v"), apart = test::mergedPairs("dualpipe_v", "");
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(plan.memory[rank].activations, apart.memory[rank].activations);
    EXPECT_GT(plan.memory[rank].temporary, apart.memory[rank].temporary);
  }
}

TEST(MergedPairs, OtherThanTheirPasses_AreFound) {
  const auto found = [](auto breakIt) {
    Plan plan = test::mergedPairs("dualpipe_v");
    StageProgram& program = plan.stagePrograms[plan.chunkPrograms.front().stagePrograms.back()];
    breakIt(plan, program);
    return verify(plan);
  };
  const auto firstOf = [](StageProgram& program, SegmentKind kind, bool backward) -> Segment& {
    for (SegmentLoop& block : program.loops)
      for (Segment& s : block.segments)
        if (s.kind() == kind && s.backward == backward)
          return s;
    ADD_FAILURE();
    return program.loops.front().segments.front();
  };
  const auto other = [](const char* pass) {
    return ElementsAre(HasSubstr(std::string("does not run what its ") + pass + " runs"));
  };
  EXPECT_THAT(found([&](Plan&, StageProgram& program) {
                ++firstOf(program, SegmentKind::Compute, true).asCompute()->time;
              }),
              other("backward"));
  EXPECT_THAT(found([&](Plan&, StageProgram& program) {
                firstOf(program, SegmentKind::Collective, true).asCollective()->collective =
                    ChunkCollectiveId(99);
              }),
              other("backward"));
  EXPECT_THAT(found([&](Plan&, StageProgram& program) {
                firstOf(program, SegmentKind::Collective, false).asCollective()->stream =
                    Stream::Tensor;
              }),
              other("forward"));
  EXPECT_THAT(found([&](Plan&, StageProgram& program) {
                firstOf(program, SegmentKind::Compute, false).selection = MicroBatchSelection::Last;
              }),
              other("forward"));
  EXPECT_THAT(found([&](Plan&, StageProgram& program) {
                firstOf(program, SegmentKind::Compute, true).asCompute()->kind =
                    ComputeKind::Coding;
              }),
              other("backward"));
  // Tokens that leave before attention has ended, and what is computed before they are there.
  EXPECT_THAT(found([&](Plan&, StageProgram& program) {
                std::swap(firstOf(program, SegmentKind::Collective, false),
                          firstOf(program, SegmentKind::Compute, false));
              }),
              other("forward"));
  EXPECT_THAT(found([&](Plan&, StageProgram& program) {
                std::vector<Segment>& segments = program.loops.back().segments;
                segments.erase(llvm::find_if(
                    segments, [](const Segment& s) { return s.asWait() && s.backward; }));
              }),
              other("backward"));
  EXPECT_THAT(
      found([](Plan& plan, StageProgram&) { plan.chunkPrograms.back().stagePrograms.pop_back(); }),
      ElementsAre(HasSubstr("has a merged body where others have none")));
  Plan plan = test::mergedPairs("dualpipe_v");
  plan.layout.overlap.experts = false;
  EXPECT_THAT(cost::whatIsUnsound(plan), Contains(HasSubstr("which the layout does not ask for")));
  for (ChunkPrograms& programs : plan.chunkPrograms)
    programs.stagePrograms.pop_back();
  plan.layout.overlap.experts = true;
  EXPECT_THAT(cost::whatIsUnsound(plan), Contains(HasSubstr("as the layout asks for")));
}

TEST(MergedPairs, StepsAddUp) {
  for (const std::string rest :
       {"  offload.activations = 2\n", "  micro_batch_costs = [4, 1, 1, 3, 3, 1, 1, 1]\n",
        "  overlap.experts = true\n  offload.activations = 2\n",
        "  overlap.experts = true\n  micro_batch_costs = [4, 1, 1, 3, 3, 1, 1, 1]\n"})
    for (const std::string schedule : {"dualpipe", "dualpipe_v"}) {
      const Plan plan = test::mergedPairs(schedule, rest);
      const figures::Figures of(plan);
      EXPECT_NEAR(*of.value("step_time"), *of.value("time.schedule"), 1e-9) << schedule << rest;
      EXPECT_NEAR(*of.value("step_time"), static_cast<double>(stepOf(plan)) * 1e-12, 1e-9);
    }
}
