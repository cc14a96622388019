//===- StepRouting.cpp - Drawn expert loads in a simulated step -------------------------------===//
#include "simulate/plan/StepRouting.h"
#include "cost/programs/ChunkCollectives.h"
#include "ir/MergedProgram.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

StepRouting::StepRouting(const StepShape& shape, const cost::RoutedPrograms& bodies,
                         BusiestLoads* shared)
    : shape(shape), programs(bodies), shared(shared) {
  const Plan& plan = shape.plan;
  group = cost::groupNamed(plan, "expert").value_or(plan.groups.nextId());
  for (std::size_t body = 0; body < plan.stagePrograms.size(); ++body) {
    auto& of = before.emplace_back(1);
    for (const SegmentLoop& block : plan.stagePrograms[body].loops) {
      std::array<std::uint64_t, 2> count = of.back();
      for (const bool other : {false, true})
        if (llvm::any_of(block.segments, [&](const Segment& s) { return s.backward == other; }))
          count[other] += block.count;
      of.push_back(count);
      layers = std::max({layers, count[0] + 1, count[1] + 1});
    }
  }
  loads.resize(instancesOf(shape));
}

std::size_t StepRouting::instancesOf(const StepShape& shape) {
  return std::max(shape.simulatedRanks(), shape.rendezvousCount());
}

void StepRouting::begin(std::uint64_t of, std::uint32_t number) {
  seed = of, step = number;
  chances.clear();
  for (std::array<Loads, 4>& known : loads)
    for (Loads& one : known)
      one.layer = UINT64_MAX;
}

std::uint64_t StepRouting::layerOf(std::uint32_t unit, const SegmentPosition& at,
                                   const ScheduledAction& op) const {
  const bool merged = isMerged(shape.plan.stagePrograms[at.program]) && !op.forward();
  const std::uint64_t ahead = before[at.program][at.block][merged] + at.iteration;
  const std::uint64_t own = op.forward() ? ahead : before[at.program].back()[merged] - 1 - ahead;
  return (shape.pipelineRankOf(unit) * shape.plan.placement.chunks + op.chunk) * layers + own;
}

const std::vector<double>& StepRouting::chancesOf(std::uint64_t layer) {
  std::vector<double>& of = chances[layer];
  if (of.empty()) {
    simulate::Draws draws(
        {seed, cost::RoutedPrograms::ofPopularity, static_cast<std::uint32_t>(layer), step});
    of = programs.chances(draws);
  }
  return of;
}

const StepRouting::Loads& StepRouting::loadsOf(std::uint32_t instance, std::uint64_t layer,
                                               std::uint64_t microBatch, bool ofBusiest) {
  Loads& of = loads[instance][(layer + microBatch) % loads[instance].size()];
  if (of.layer == layer && of.microBatch == microBatch)
    return of;
  of.layer = layer, of.microBatch = microBatch;
  const auto whose = static_cast<std::uint32_t>(layer * loads.size() + instance);
  double* const known = ofBusiest && shared
                            ? shared->find(step, whose, static_cast<std::uint32_t>(microBatch))
                            : nullptr;
  if (known && *known > 0) {
    of.most = *known;
    return of;
  }
  const std::vector<double>& likely = chancesOf(layer);
  simulate::Draws draws({seed,
                         cost::RoutedPrograms::ofChoices + static_cast<std::uint32_t>(microBatch),
                         whose, step});
  of.each = programs.loads(likely, draws);
  of.most = *std::max_element(of.each.begin(), of.each.end());
  if (known)
    *known = of.most;
  return of;
}

Segment StepRouting::of(std::uint32_t unit, const SegmentPosition& at, const ScheduledAction& op) {
  const std::uint32_t rendezvous = shape.detail == Detail::Collective
                                       ? shape.rendezvousOf(unit, group, Stream::Expert)
                                       : StepShape::alone;
  const bool alone = rendezvous == StepShape::alone;
  const Loads& sent =
      loadsOf(alone ? unit : rendezvous, layerOf(unit, at, op), op.microBatch, alone);
  const StageProgram& program = shape.plan.stagePrograms[at.program];
  const bool own = !alone && program.loops[at.block].segments[at.segment].asCompute();
  return programs.at(at.program, at.block, at.segment,
                     own ? sent.each[shape.placeOf(unit, group)] : sent.most);
}
