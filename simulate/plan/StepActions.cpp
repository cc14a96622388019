//===- StepActions.cpp - The actions of simulated ranks ---------------------------------------===//
#include "simulate/plan/StepActions.h"

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

StepActions::StepActions(StepContext& step, SimulatedRanks& ranks, RankStreams& streams,
                         StepCollectives& collectives, PipelineMessages& messages,
                         StepBarrier& barrier)
    : step(step), ranks(ranks), streams(streams), collectives(collectives), messages(messages),
      barrier(barrier), programs(step.shape), costs(step.plan().layout.microBatchCosts),
      replays(step, ranks, streams) {}

void StepActions::begin() {
  const std::uint32_t count = step.shape.simulatedRanks();
  all.assign(count, {});
  firstLastTrackers.assign(count * step.plan().placement.chunks, {});
  replays.begin();
  for (std::uint32_t rank = 0; rank < count; ++rank) {
    all[rank].factor = step.drawn.factors.empty() ? 1 : step.drawn.factors[rank];
    all[rank].outputsLeft = ranks.clock(rank);
  }
}

void StepActions::advance(std::uint32_t rank) {
  const llvm::ArrayRef<ScheduledAction> actions = step.actionsOf(rank);
  RankState& u = all[rank];
  while (u.action < actions.size()) {
    if (const ScheduledAction& action = actions[u.action]; !isChunkAction(action.kind)) {
      if (!runEpilogue(rank, action))
        return;
      ++u.action;
    } else if ((!u.program && !beginAction(rank)) || !runProgram(rank) || !endAction(rank)) {
      return;
    }
  }
}

// ---- start and end of an action

bool StepActions::beginAction(std::uint32_t rank) {
  RankState& u = all[rank];
  const ScheduledAction* const first = &step.actionsOf(rank)[u.action];
  const ScheduledAction* const end = first + (first->kind == ActionKind::PairedForward ? 2 : 1);
  std::uint64_t from = ranks.clock(rank);
  WaitOrigin origin;
  for (const ScheduledAction* action = first; action < end; ++action) {
    const ActionPort& port = programs.chunkOf(rank, *action).input[action->forward() ? 0 : 1];
    if (!port.has || !relaysMessage(action->kind) || step.without.bubble)
      continue;
    const std::uint64_t at = messages.arrivalOf(rank, port, action->microBatch);
    if (at == PipelineMessages::never)
      return ranks.suspend(rank, WakeReason::Input);
    if (at > from)
      from = at, origin = messages.originOf(rank, port, action->microBatch);
  }
  ranks.waitUntil(rank, from, origin, WaitFor::Message, &SimulatedRankTimes::inputWait);
  u.firstBegin = std::min(u.firstBegin, from);
  enterProgram(rank);
  return true;
}

/// Prepares the stage program of the rank's action, which may be merged with that of its next
/// action.
void StepActions::enterProgram(std::uint32_t rank) {
  RankState& u = all[rank];
  const ScheduledAction* const action = &step.actionsOf(rank)[u.action];
  u.program = programs.chunkOf(rank, *action).programs[static_cast<std::size_t>(action->kind)];
  u.block = u.segment = 0, u.iteration = 0, u.layers = {};
  u.began = ranks.clock(rank);
  const Placement& placement = step.plan().placement;
  const std::uint64_t runs = step.plan().mesh.microBatches / placement.directions();
  FirstLastTracker* const ofChunks = &firstLastTrackers[rank * placement.chunks];
  u.firstLast = ofChunks[action->chunk].next(action->kind, runs);
  u.costs = costs.of(action->microBatch);
  if (!isMerged(*u.program))
    return;
  u.firstLast.last = ofChunks[action[1].chunk].next(action[1].kind, runs).last;
  u.costs.backward = costs.of(action[1].microBatch);
}

bool StepActions::runProgram(std::uint32_t rank) {
  RankState& u = all[rank];
  const ScheduledAction& action = step.actionsOf(rank)[u.action];
  const bool begins = u.block == 0 && u.segment == 0 && u.iteration == 0;
  const auto key =
      begins ? replays.keyOf(
                   rank, *u.program,
                   programs.chunkOf(rank, action).reach[static_cast<std::size_t>(action.kind)],
                   u.firstLast, u.costs.first)
             : std::nullopt;
  if (!key)
    return runSegments(rank);
  u.outputsLeft = replays.run(rank, *key, [&] {
    runSegments(rank); // An action that can be replayed waits for no other rank, so it runs to its
                       // end.
    return u.outputsLeft;
  });
  u.program = nullptr;
  return true;
}

bool StepActions::endAction(std::uint32_t rank) {
  RankState& u = all[rank];
  const ScheduledAction* action = &step.actionsOf(rank)[u.action++];
  if (action->kind == ActionKind::PairedForward) {
    // The outputs of both actions leave at the end of the second.
    u.paired = true;
    if (!mergedProgram(step.plan(), step.shape.pipelineRankOf(rank), *action)) {
      enterProgram(rank);
      return true;
    }
    ++action, ++u.action;
  }
  if (u.paired)
    send(rank, action[-1]);
  u.paired = false;
  send(rank, *action);
  return !messages.holdsSender(rank) || ranks.suspend(rank, WakeReason::Sends);
}

void StepActions::send(std::uint32_t rank, const ScheduledAction& action) {
  const ActionPort& port = programs.chunkOf(rank, action).output[action.forward() ? 0 : 1];
  if (port.has && relaysMessage(action.kind))
    messages.send(rank, port, action.microBatch, all[rank].outputsLeft);
}

// ---- segments of an action

/// The rank as `cost::advance` sees it. Here the collectives begin and end at later events.
class StepActions::RankAtEvents {
  StepActions& run;
  StreamsOfRank& streams;

public:
  const std::uint32_t rank;
  RankState& u;
  cost::PendingSlowdown& slowdown;

  RankAtEvents(StepActions& run, std::uint32_t rank)
      : run(run), streams(run.streams.of(rank)), rank(rank), u(run.all[rank]),
        slowdown(u.slowdown) {}
  std::uint64_t computation() const { return run.ranks.clock(rank); }
  void compute(std::uint64_t time) { run.ranks.compute(rank, time); }
  std::uint64_t computeTime(const Segment& s) {
    return scaled(u, run.ofLayer(rank, u, s, u.costs.timeOf(s)));
  }
  /// Offloading uses the rank's own link and waits for no other rank.
  void offload(std::uint64_t time) {
    compute(std::max(u.began + time, computation()) - computation());
  }
  static bool takesTime(const Segment& /*unused*/) { return true; }
  void forgetCollectives() { streams.forget(); }
  void issue(const Segment& s, std::uint64_t ready, std::uint64_t time) {
    const CollectiveSegment& launch = *s.asCollective();
    streams.track(s.collectiveKey(), static_cast<std::size_t>(launch.stream));
    const ScheduledAction* const action = &run.step.actionsOf(rank)[u.action];
    const SimulatedChunk& chunk = run.programs.chunkOf(rank, action[s.backward ? 1 : 0]);
    run.collectives.launch(rank, launch.stream, chunk.collectives[launch.collective.index()], ready,
                           time);
  }
  /// Computation is blocked until `endHold` succeeds, which is tried before the next segment.
  void hold(const Segment& s, std::uint64_t time) {
    run.streams.hold(rank, s.collectiveKey(), time, time >= s.time());
  }
  bool wait(std::uint64_t key) { return run.streams.wait(rank, key); }
};

bool StepActions::runSegments(std::uint32_t rank) {
  RankAtEvents at(*this, rank);
  RankState& u = at.u;
  while (streams.endHold(rank)) {
    if (u.block == u.program->loops.size()) {
      u.program = nullptr;
      u.outputsLeft = ranks.clock(rank);
      ranks.compute(rank, u.slowdown.next + u.slowdown.afterwards);
      u.slowdown = {};
      at.forgetCollectives();
      return true;
    }
    const SegmentLoop& block = u.program->loops[u.block];
    if (u.segment == block.segments.size()) {
      u.segment = 0;
      if (++u.iteration >= block.count)
        u.iteration = 0, ++u.block;
      continue;
    }
    if (u.segment == 0)
      cost::beginIteration(at);
    const Segment& s = block.segments[u.segment];
    if (runsIn(s, u.firstLast) && !(step.drawn.routed ? runRouted(at, s) : cost::advance(at, s)))
      return false;
    ++u.segment;
  }
  return false;
}

/// The time of a segment of routed experts depends on the tokens that are drawn for it.
bool StepActions::runRouted(RankAtEvents& at, const Segment& s) {
  const RankState& u = at.u;
  const StepRouting::SegmentPosition position{
      static_cast<std::size_t>(u.program - step.plan().stagePrograms.data()), u.block, u.segment,
      u.iteration};
  StepRouting& routed = *step.drawn.routed;
  if (!routed.varies(position))
    return cost::advance(at, s);
  const ScheduledAction& action = step.actionsOf(at.rank)[u.action + (s.backward ? 1 : 0)];
  return cost::advance(at, routed.of(at.rank, position, action));
}

std::uint64_t StepActions::scaled(const RankState& u, std::uint64_t time) {
  return u.factor == 1 ? time
                       : static_cast<std::uint64_t>(static_cast<double>(time) * u.factor + 0.5);
}

/// Multiplies the time by the drawn factor of the layer, which is equal for all segments of the
/// layer.
std::uint64_t StepActions::ofLayer(std::uint32_t rank, RankState& u, const Segment& s,
                                   std::uint64_t time) {
  const LayerTimeDraws* const draws = step.drawn.layerTimes;
  if (!s.computes(ComputeKind::Varying) || !draws)
    return time;
  const bool merged = s.backward;
  double& of = u.drawn[merged];
  if (!s.asCompute()->sameLayer)
    of = draws->of(rank, s.asCompute()->layerType, u.action + (merged ? 1 : 0), u.layers[merged]++);
  return static_cast<std::uint64_t>(static_cast<double>(time) * of + 0.5);
}

// ---- after the last action

bool StepActions::runEpilogue(std::uint32_t rank, const ScheduledAction& action) {
  constexpr auto data = static_cast<std::size_t>(Stream::Data);
  RankState& u = all[rank];
  if (action.kind == ActionKind::Optimizer) {
    const StreamState& stream = streams.of(rank, data);
    if (step.plan().layout.postValidation) // its collectives need this time, because those of two
                                           // steps do not overlap
      streams.waitUntil(rank, u.firstBegin + stream.busy, 0, stream.origin);
    else if (!barrier.cross(rank))
      return false;
    const RankSchedule& schedule = step.plan().schedule[step.shape.pipelineRankOf(rank)];
    ranks.compute(rank, scaled(u, schedule.duration[u.action]));
    return true;
  }
  if (action.kind == ActionKind::Collective && !u.launchedEpilogue) {
    const Collective& c = step.plan().collectives[action.collective];
    u.launchedEpilogue = true;
    collectives.launch(rank, Stream::Data, c, ranks.clock(rank), c.time * c.count, c.count);
  }
  if (!streams.waitForAll(rank, data))
    return false;
  u.launchedEpilogue = false;
  return true;
}
