//===- Step.cpp - Executes the step of a plan -------------------------------------------------===//
#include "cost/execution/Step.h"
#include "cost/compute/GatheredParameters.h"
#include "cost/execution/SteadyState.h"
#include "cost/programs/ChunkPrograms.h"
#include "cost/programs/MergedActions.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool runsInActions(const Plan& plan, const ChunkPrograms& programs, ChunkCollectiveId collective) {
  for (const StageProgramId body : programs.stagePrograms)
    for (const SegmentLoop& block : plan.stagePrograms[body].loops)
      for (const Segment& s : block.segments)
        if (s.asCollective() && s.asCollective()->collective == collective && !s.backward)
          return true;
  return false;
}

bool isGather(const Collective& c) { return c.purpose == CollectivePurpose::ParameterGather; }

/// Visits the collectives at the end of the step: those that no stage program launches.
template <class Visit>
void visitAtEnd(const Plan& plan, const ChunkPrograms& programs, const Visit& visit) {
  for (std::uint64_t i = 0; i < programs.collectives; ++i)
    if (const CollectiveId id = programs.firstCollective + i;
        plan.collectives[id].kind != CollectiveKind::SendReceive &&
        !runsInActions(plan, programs, ChunkCollectiveId(i)))
      visit(id);
}
} // namespace

ChunkStep dpl::cost::chunkStep(const Plan& plan, const ChunkPrograms& programs,
                               const ChunkCost& cost, IncludesCollective includes) {
  const llvm::ArrayRef<Collective> own(plan.collectives.data() + programs.firstCollective.index(),
                                       programs.collectives);
  const auto takes = [&](const Segment& s) { return includes(own[s.collective()->index()]); };
  ChunkStep step;
  const auto clocksOf = [&](CostRatio cost) {
    ChunkClocks clocks;
    const auto fill = [&](ActionKind kind, ActionTime& of) {
      const auto body = stageProgramOf(plan, programs, kind);
      if (body)
        of = timesOf(plan.stagePrograms[*body].loops, takes, cost);
      return body.has_value();
    };
    (void)fill(ActionKind::Forward, clocks.forward);
    const bool split = fill(ActionKind::BackwardInput, clocks.backward);
    (void)fill(ActionKind::BackwardWeight, clocks.weight);
    const bool whole = fill(ActionKind::Backward, split ? clocks.whole : clocks.backward);
    clocks.mixed = split && whole;
    (void)fill(ActionKind::Recomputation, clocks.recompute);
    return clocks;
  };
  setClocks(step, MicroBatchCosts(plan.layout.microBatchCosts), clocksOf);
  for (const StageProgramId body : programs.stagePrograms)
    step.leaves = step.leaves || leavesCollectivesRunning(plan.stagePrograms[body]);
  visitAtEnd(plan, programs, [&](CollectiveId id) {
    const Collective& c = plan.collectives[id];
    if (includes(c))
      (isGather(c) ? step.gathers : step.reductions) += timeAtEnd(plan, c);
  });
  step.updated = updatedState(plan, cost);
  return step;
}

void dpl::cost::setClocks(ChunkStep& step, const MicroBatchCosts& costs,
                          llvm::function_ref<ChunkClocks(CostRatio)> clocksOf) {
  step.clocks = clocksOf({});
  for (std::size_t kind = 0; !costs.equal() && kind < costs.kinds(); ++kind)
    step.byCost.push_back(clocksOf(costs.ratio(kind)));
  setChunkTime(step);
}

void dpl::cost::setChunkTime(ChunkStep& step) {
  step.time.forward = step.clocks.forward.middle.durationAlone();
  step.time.weight = step.clocks.weight.middle.durationAlone();
  step.time.backward = step.clocks.backward.middle.durationAlone() + step.time.weight;
  step.time.recompute = step.clocks.recompute.middle.durationAlone();
  step.time.unsplitBackward = step.clocks.mixed ? step.clocks.whole.middle.durationAlone() : 0;
}

ChunkTime dpl::cost::messageTimes(const Plan& plan, const Placement::ChunkLocation& at) {
  const double bytes = boundaryBytes(plan, divisionOf(plan));
  const auto message = [&](const std::optional<Placement::ChunkLocation>& to) {
    return !to || to->rank == at.rank
               ? 0
               : toPicoseconds(messageTime(bytes, messageLink(plan, at.rank, to->rank)));
  };
  ChunkTime time;
  time.sendForward = message(plan.placement.next(at));
  time.sendBackward = message(plan.placement.previous(at));
  return time;
}

namespace {
/// Whether an action uses the data stream, or takes longer as the first or last of its chunk.
bool moves(const ActionTime& p) {
  return !p.middle.isComputeOnly() || p.first != p.middle || p.last != p.middle;
}

bool sends(const Plan& plan, const ChunkPrograms& programs, IncludesCollective includes) {
  for (std::uint64_t i = 0; i < programs.collectives; ++i)
    if (const Collective& c = plan.collectives[programs.firstCollective + i];
        c.kind == CollectiveKind::SendReceive)
      return includes(c);
  return true;
}
} // namespace

void StepChunks::begin(std::size_t chunks) {
  steps.clear(), chunkTimes.clear(), chunkClocks.clear(), pairTimes.clear();
  steps.reserve(chunks), chunkTimes.reserve(chunks), chunkClocks.reserve(chunks);
  movesData = false;
}

void StepChunks::add(const ChunkStep& chunk) {
  steps.push_back(chunk);
  chunkTimes.push_back(chunk.time);
  if (chunk.byCost.empty())
    chunkClocks.push_back(chunk.clocks);
  chunkClocks.insert(chunkClocks.end(), chunk.byCost.begin(), chunk.byCost.end());
  movesData = movesData || !chunk.byCost.empty() || moves(chunk.clocks.forward) ||
              moves(chunk.clocks.backward) || moves(chunk.clocks.weight) ||
              moves(chunk.clocks.recompute);
}

void StepChunks::addPairs(
    std::size_t kinds, llvm::function_ref<llvm::ArrayRef<ActionTime>(std::size_t chunk)> timesOf) {
  pairTimes.reserve(steps.size() * kinds * kinds); // `timesOf` may return a part of pairTimes
  for (std::size_t chunk = 0; chunk < steps.size(); ++chunk)
    for (const ActionTime& time : timesOf(chunk))
      pairTimes.push_back(time);
  for (std::size_t piece = 0; piece < chunkClocks.size(); ++piece)
    chunkClocks[piece].pairs = &pairTimes[piece * kinds];
  movesData = true;
}

namespace {
/// The first chunk whose merged pairs have the same times as this one, or its own index.
std::size_t samePairs(const Plan& plan, std::size_t chunk, llvm::ArrayRef<std::size_t> sameSteps) {
  const auto other = [&](std::size_t i) {
    const ChunkPrograms& programs = pairedWith(plan, plan.chunkPrograms[i]);
    return sameSteps[plan.placement.indexOf(programs.rank, programs.chunk).index()];
  };
  for (std::size_t i = 0; i < chunk; ++i)
    if (sameSteps[i] == sameSteps[chunk] && other(i) == other(chunk))
      return i;
  return chunk;
}
} // namespace

void StepChunks::addAll(const Plan& plan, IncludesCollective includes) {
  begin(plan.chunkPrograms.size());
  // For each chunk, the first one with equal action times; messages may differ.
  std::vector<std::size_t> sameSteps;
  EqualChunks chunks(plan);
  for (std::size_t i = 0; i < plan.chunkPrograms.size(); ++i) {
    const ChunkPrograms& programs = plan.chunkPrograms[i];
    const std::size_t equal = chunks.firstOf(i),
                      same = plan.chunkPrograms[equal].stagePrograms == programs.stagePrograms
                                 ? equal
                                 : i;
    sameSteps.push_back(same);
    ChunkStep step = same < i ? steps[same] : chunkStep(plan, programs, plan.costs[i], includes);
    const ChunkTime messages = sends(plan, programs, includes)
                                   ? messageTimes(plan, {programs.rank, programs.chunk})
                                   : ChunkTime();
    step.time.sendForward = messages.sendForward, step.time.sendBackward = messages.sendBackward;
    add(step);
  }
  if (plan.chunkPrograms.empty() ||
      !stageProgramOf(plan, plan.chunkPrograms[0], ActionKind::PairedForward))
    return;
  const MicroBatchCosts costs(plan.layout.microBatchCosts);
  const std::size_t each = costs.kinds() * costs.kinds();
  std::vector<ActionTime> times;
  addPairs(costs.kinds(), [&](std::size_t i) {
    if (const std::size_t same = samePairs(plan, i, sameSteps); same < i)
      return llvm::makeArrayRef(pairTimes).slice(same * each, each);
    const ChunkPrograms& programs = plan.chunkPrograms[i];
    const auto takes = [&](const Segment& s) {
      return includes(plan.collectives[collectiveOf(plan, programs, s)]);
    };
    times.clear();
    timesOfPair(
        plan.stagePrograms[*stageProgramOf(plan, programs, ActionKind::PairedForward)].loops, takes,
        costs, times);
    return llvm::makeArrayRef(times);
  });
}

void StepChunks::mix(llvm::ArrayRef<const StepChunks*> ofChunk) {
  begin(ofChunk.size());
  for (std::size_t i = 0; i < ofChunk.size(); ++i) {
    const StepChunks& of = *ofChunk[i];
    const std::size_t kinds = of.chunkClocks.size() / of.steps.size();
    steps.push_back(of.steps[i]), chunkTimes.push_back(of.chunkTimes[i]);
    for (std::size_t kind = 0; kind < kinds; ++kind)
      chunkClocks.push_back(of.chunkClocks[i * kinds + kind]);
    movesData = movesData || of.movesData;
  }
}

llvm::ArrayRef<ChunkClocks> StepChunks::clocks() const {
  return movesData ? llvm::ArrayRef<ChunkClocks>(chunkClocks) : llvm::ArrayRef<ChunkClocks>();
}

namespace {
/// ps of the data-stream collectives in all actions of a chunk.
std::uint64_t streamsOf(const ChunkClocks& clocks, std::uint64_t microBatches) {
  std::int64_t sum = 0;
  for (const ActionTime* action :
       {&clocks.forward, &clocks.backward, &clocks.weight, &clocks.recompute})
    sum += (static_cast<std::int64_t>(microBatches) - 1) * action->middle.dataStreamTime +
           action->only.dataStreamTime;
  return static_cast<std::uint64_t>(sum);
}
} // namespace

RankEpilogues dpl::cost::epiloguesOf(const Plan& plan, std::uint64_t microBatches,
                                     llvm::ArrayRef<ChunkStep> chunks) {
  RankEpilogues epilogues(plan.placement.ranks);
  for (std::size_t i = 0; i < chunks.size(); ++i) {
    RankEpilogue& epilogue = epilogues[plan.chunks[i].rank];
    epilogue.leaves = epilogue.leaves || chunks[i].leaves;
    epilogue.reductions += chunks[i].reductions, epilogue.gathers += chunks[i].gathers;
    epilogue.updated += chunks[i].updated;
    if (plan.layout.postValidation)
      epilogue.dataStream +=
          streamsOf(chunks[i].clocks, microBatches / plan.placement.directions());
  }
  return epilogues;
}

StepExecution::StepExecution(const Plan& plan)
    : plan(plan), schedules(actionsOf(plan)), epilogues(plan.placement.ranks) {
  if (!scheduleInfo(plan.layout.schedule).flushed())
    steady = std::make_unique<SteadyState>();
  for (const RankNodeTypes& ranks : plan.mesh.rankNodeTypes)
    pacingDevicesOfRanks.push_back(pacingDevices(plan, ranks));
  // Stage by stage, so that ranks with stage replicas launch collectives in the same order.
  const std::uint64_t stages = plan.placement.stages(), directions = plan.placement.directions();
  for (std::uint64_t i = 0; i < plan.chunkPrograms.size(); ++i)
    visitAtEnd(plan, plan.chunkPrograms[i % directions * stages + i / directions],
               [&](CollectiveId c) { atEnd.push_back(c); });
}

StepExecution::~StepExecution() = default;

void StepExecution::run() {
  makeStepChunks();
  if (!steady)
    (void)execute({});
  runEpilogues();
}

OrderFlaw StepExecution::prove() {
  makeStepChunks();
  Proof proof;
  OrderFlaw flaw =
      proof.flawOf(plan.layout.schedule, plan.placement, plan.mesh.microBatches, schedules,
                   executor, [&](llvm::ArrayRef<ActionRun> order) { return execute(order); });
  if (flaw.text.empty())
    flaw = aboveLimit(plan.layout, schedules);
  if (flaw.text.empty())
    runEpilogues();
  return flaw;
}

void StepExecution::makeStepChunks() {
  chunks.addAll(plan, [](const Collective&) { return true; });
}

bool StepExecution::execute(llvm::ArrayRef<ActionRun> order) {
  return executor
      .run(plan.placement, plan.mesh.microBatches, schedules, chunks.times(),
           plan.layout.overlap.pipeline, chunks.clocks(), order,
           MicroBatchCosts(plan.layout.microBatchCosts), order.empty())
      .completed;
}

std::uint64_t StepExecution::start(std::uint64_t rank, std::size_t pass) const {
  return steady ? steady->start(rank, schedules[rank][pass]) : executor.start(rank, pass);
}

std::uint64_t StepExecution::end(std::uint64_t rank, std::size_t pass) const {
  return steady ? steady->end(rank, schedules[rank][pass]) : executor.end(rank, pass);
}

std::uint64_t StepExecution::sending(std::uint64_t rank) const {
  return steady ? steady->sending(rank) : executor.sending(rank);
}

/// Gradient reductions precede the barrier that the update waits for, and parameter gathers follow
/// the update.
void StepExecution::runEpilogues() {
  if (steady)
    stepPeriod = steady->run(plan, plan.mesh.microBatches, chunks.chunks(), pacingDevicesOfRanks);
  const auto run = [&](std::uint64_t rank, bool gathers, std::uint64_t at) {
    for (const CollectiveId i : atEnd) {
      const Collective& c = plan.collectives[i];
      if (c.rank != rank || gathers != isGather(c))
        continue;
      const std::uint64_t time = timeAtEnd(plan, c);
      epilogues[rank].push_back({ScheduledAction(i), at, time});
      at += time;
    }
    return at;
  };
  const RankEpilogues left = epiloguesOf(plan, plan.mesh.microBatches, chunks.chunks());
  std::uint64_t barrier = 0;
  std::vector<std::uint64_t> reduced;
  for (std::uint64_t rank = 0; rank < epilogues.size(); ++rank) {
    epilogues[rank].clear();
    std::uint64_t at = steady ? steady->end(rank) : executor.end(rank);
    std::uint64_t done = at;
    if (left[rank].leaves)
      done = std::max(done, steady ? steady->dataEnd(rank) : executor.dataEnd(rank));
    if (plan.layout.postValidation && !steady) // post-validation changes nothing without a flush
      done = std::max(done, executor.start(rank, 0) + left[rank].dataStream);
    if (left[rank].leaves || done > at)
      epilogues[rank].push_back({ActionKind::Wait, at, done - at});
    at = done;
    reduced.push_back(run(rank, false, at));
    barrier = std::max(barrier, reduced.back());
  }
  for (std::uint64_t rank = 0; rank < epilogues.size(); ++rank) {
    const std::uint64_t update = updateTime(
        plan, left[rank].updated, pacingDevicesOfRanks[plan.mesh.rankNodeTypesIndex(rank)]);
    const std::uint64_t begin = plan.layout.postValidation || steady ? reduced[rank] : barrier;
    epilogues[rank].push_back({ActionKind::Optimizer, begin, update});
    run(rank, true, begin + update);
  }
}
