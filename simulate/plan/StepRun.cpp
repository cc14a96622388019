//===- StepRun.cpp - One step of all ranks ------------------------------------------------===//
#include "simulate/plan/StepRun.h"
#include <cassert>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

void StepRun::begin() {
  queue.clear();
  flows.clear();
  now = 0, sharedBefore = flows.shared();
  atBarrier = 0, barrier = 0, latest = 0;
  all.assign(shape.simulatedRanks(), {});
  if (traffic) {
    traffic->vary(drawn.delays ? &drawn.delays->messages() : nullptr, drawn.rates);
    traffic->clear();
  }
  spent.assign(shape.simulatedRanks(), {});
  arrival.assign(std::size_t{shape.simulatedRanks()} * slots, never);
  origins.assign(noted ? arrival.size() : 0, {});
  firstLastTrackers.assign(shape.simulatedRanks() * plan.placement.chunks, {});
  for (std::vector<RecordedAction>& of : replays) // factors are others
    of.clear();
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit) {
    SimulatedRank& u = all[unit];
    u.factor = drawn.factors.empty() ? 1 : drawn.factors[unit];
    if (!drawn.loaded.empty()) {
      // Nothing begins before its samples are there.
      u.clock = u.outputsLeft = u.loaded = spent[unit].loading = drawn.loaded[unit];
      for (StreamState& stream : u.stream)
        stream.free = u.clock, stream.origin = {unit, u.clock};
      if (u.loaded > 0)
        noteWait(unit, 0, u.loaded, {unit, 0}, WaitFor::Samples);
    }
    ready.push_back(unit);
  }
}

void StepRun::note(StepWaits* in) { noted = in; }

std::uint64_t StepRun::run(const StepDraws& of) {
  drawn = of;
  begin();
  runReady();
  while (!queue.empty()) {
    const simulate::Event event = queue.pop();
    now = event.time();
    if (traffic && StepMessages::isOwn(event.payload)) {
      if (traffic->handle(event))
        ended(traffic->ended(), traffic->endedAt());
    } else if (simulate::Flows::isOwn(event)) {
      if (const auto done = flows.handle(event))
        deliver(static_cast<std::uint32_t>(*done));
    } else if (event.payload >= delivered) {
      deliver(static_cast<std::uint32_t>(event.payload - delivered));
    } else if (const PipelineSend& message = messages[event.payload]; without.sharing) {
      queue.add(now + message.time, simulate::EventPhase::Ends, delivered + event.payload);
    } else {
      flows.begin(now, {message.link}, static_cast<double>(message.time), event.payload);
    }
    runReady();
  }
  std::uint64_t step = 0;
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit) {
    const SimulatedRank& u = all[unit];
    assert(u.action == plan.schedule[shape.pipelineRankOf(unit)].actions.size());
    const std::uint64_t end = plan.layout.postValidation ? u.clock - u.begin + u.loaded : u.clock;
    if (end > step && plan.layout.postValidation)
      latest = unit;
    step = std::max(step, end);
  }
  return step;
}

StepRun::StepEnd StepRun::end() const {
  // Where nobody meets before the update a step is as long as one of its ranks is at it.
  if (plan.layout.postValidation)
    return {latest, all[latest].loaded, all[latest].begin, all[latest].clock};
  StepEnd out{latest, 0, 0, all[latest].clock};
  for (std::uint32_t unit = 0; unit < shape.simulatedRanks(); ++unit)
    if (all[unit].clock > out.time)
      out = {unit, 0, 0, all[unit].clock};
  return out;
}

void StepRun::runReady() {
  while (!ready.empty()) {
    const std::uint32_t unit = ready.back();
    ready.pop_back();
    advance(unit);
  }
}

void StepRun::advance(std::uint32_t unit) {
  const RankSchedule& schedule = plan.schedule[shape.pipelineRankOf(unit)];
  SimulatedRank& u = all[unit];
  while (u.action < schedule.actions.size()) {
    const ScheduledAction& op = schedule.actions[u.action];
    if (!isChunkAction(op.kind)) {
      if (!runEpilogue(unit, op, schedule.duration[u.action]))
        return;
      ++u.action;
    } else if ((!u.program && !beginAction(unit)) || !runProgram(unit) || !endAction(unit)) {
      return;
    }
  }
}

std::uint64_t StepRun::scaled(const SimulatedRank& u, std::uint64_t time) const {
  return u.factor == 1 ? time
                       : static_cast<std::uint64_t>(static_cast<double>(time) * u.factor + 0.5);
}

/// All pieces of a layer take as many times as long.
std::uint64_t StepRun::ofLayer(std::uint32_t unit, const Segment& s, std::uint64_t time) {
  if (s.computeKind != ComputeKind::Varying || !drawn.layerTimes)
    return time;
  SimulatedRank& u = all[unit];
  const bool merged = s.backward;
  double& of = u.drawn[merged];
  if (!s.sameLayer)
    of = drawn.layerTimes->of(unit, s.layerType, u.action + (merged ? 1 : 0), u.layers[merged]++);
  return static_cast<std::uint64_t>(static_cast<double>(time) * of + 0.5);
}

void StepRun::compute(std::uint32_t unit, std::uint64_t time) {
  all[unit].clock += time;
  spent[unit].compute += time;
}

void StepRun::waitUntil(std::uint32_t unit, std::uint64_t time, std::uint64_t peers,
                        WaitOrigin origin) {
  SimulatedRank& u = all[unit];
  // Nobody goes on before the last has issued the call.
  if (u.woken && now > time) {
    peers += now - time, time = now;
    origin = {u.waker.rank, std::min(u.waker.at, now)};
  }
  u.woken = false;
  if (time <= u.clock)
    return;
  noteWait(unit, u.clock, time, origin, WaitFor::Collective);
  spent[unit].collectives += time - u.clock;
  peers = std::min(peers, time - u.clock);
  spent[unit].peerWait += peers;
  if (peers > 0)
    paid(u, peers);
  u.clock = time;
}

/// What computation has waited because of others no later call costs it again.
void StepRun::paid(SimulatedRank& u, std::uint64_t peers) {
  for (StreamState& of : u.stream)
    of.late -= std::min(of.late, peers);
  for (IssuedCollective& of : u.issued)
    of.peerWait -= std::min(of.peerWait, peers);
}

StepRun::IssuedCollective* StepRun::find(SimulatedRank& u, std::uint64_t called) {
  for (IssuedCollective& of : u.issued)
    if (of.key == called)
      return &of;
  return nullptr;
}

/// A rank whose collectives begin and end at later events, as `cost::advance` takes it.
class StepRun::RankAtEvents {
  StepRun& run;
  const std::uint32_t unit;
  SimulatedRank& u;

public:
  cost::PendingSlowdown& slowdown;

  RankAtEvents(StepRun& run, std::uint32_t unit)
      : run(run), unit(unit), u(run.all[unit]), slowdown(u.slowdown) {}
  std::uint64_t computation() const { return u.clock; }
  void compute(std::uint64_t time) { run.compute(unit, time); }
  std::uint64_t computeTime(const Segment& s) {
    return run.scaled(u, run.ofLayer(unit, s, u.costs.timeOf(s)));
  }
  /// It crosses the unit's own link, beside the pass: nobody else is waited for.
  void offload(std::uint64_t time) { compute(std::max(u.began + time, u.clock) - u.clock); }
  static bool takesTime(const Segment& /*unused*/) { return true; }
  void forgetCollectives() { u.issued.clear(); }
  void issue(const Segment& s, std::uint64_t ready, std::uint64_t time) {
    const auto stream = static_cast<std::size_t>(s.stream);
    IssuedCollective* of = find(u, s.collectiveKey());
    if (!of)
      of = &u.issued.emplace_back();
    *of = {s.collectiveKey(),
           u.stream[stream].issued,
           static_cast<std::uint8_t>(stream),
           never,
           never,
           0,
           {}};
    const auto* op = &run.plan.schedule[run.shape.pipelineRankOf(unit)].actions[u.action];
    const Collective& what = run.chunkOf(unit, op[s.backward ? 1 : 0]).collectives[s.collective];
    run.issue(unit, stream,
              {run.shape.rendezvousOf(unit, what.group, s.stream), 0, ready, time, &what});
  }
  /// Before its next segment.
  void hold(const Segment& s, std::uint64_t time) {
    u.holding = s.collectiveKey(), u.holds = time, u.holdsAll = time >= s.time;
  }
  bool wait(std::uint64_t key) {
    const IssuedCollective* of = find(u, key);
    if (of && of->end == never) {
      u.wait = WakeReason::Collective;
      return false;
    }
    if (of)
      run.waitUntil(unit, of->end, of->peerWait, of->origin);
    return true;
  }
};

bool StepRun::runSegments(std::uint32_t unit) {
  SimulatedRank& u = all[unit];
  while (true) {
    if (u.holding != never) {
      const IssuedCollective& held = *find(u, u.holding);
      if (held.begin == never || (u.holdsAll && held.end == never)) {
        u.wait = WakeReason::Collective;
        return false;
      }
      waitUntil(unit, u.holdsAll ? held.end : held.begin + u.holds, held.peerWait, held.origin);
      u.holding = never;
    }
    if (u.block == u.program->loops.size())
      break;
    const SegmentLoop& block = u.program->loops[u.block];
    if (u.segment == block.segments.size()) {
      u.segment = 0;
      if (++u.iteration >= block.count)
        u.iteration = 0, ++u.block;
      continue;
    }
    if (u.segment == 0) {
      RankAtEvents rank(*this, unit);
      cost::beginIteration(rank);
    }
    const Segment& s = block.segments[u.segment];
    if (runsIn(s, u.firstLast) && !runNext(unit, s))
      return false;
    ++u.segment;
  }
  u.program = nullptr;
  u.outputsLeft = u.clock;
  compute(unit, u.slowdown.next + u.slowdown.afterwards);
  u.slowdown = {};
  u.issued.clear();
  return true;
}

/// As long as what is sent to experts has it.
bool StepRun::runNext(std::uint32_t unit, const Segment& s) {
  const SimulatedRank& u = all[unit];
  RankAtEvents rank(*this, unit);
  const StepRouting::SegmentPosition at{
      static_cast<std::size_t>(u.program - plan.stagePrograms.data()), u.block, u.segment,
      u.iteration};
  if (!drawn.routed || !drawn.routed->varies(at))
    return cost::advance(rank, s);
  const auto& schedule = plan.schedule[shape.pipelineRankOf(unit)].actions;
  return cost::advance(rank, drawn.routed->of(unit, at, schedule[u.action + (s.backward ? 1 : 0)]));
}

void StepRun::wake(std::uint32_t unit) {
  all[unit].wait = WakeReason::None;
  ready.push_back(unit);
}

bool StepRun::runEpilogue(std::uint32_t unit, const ScheduledAction& op, std::uint64_t duration) {
  SimulatedRank& u = all[unit];
  StreamState& stream = u.stream[data];
  if (op.kind == ActionKind::Optimizer) {
    if (plan.layout.postValidation) // no call of a step runs before that of the one before ends
      waitUntil(unit, u.begin + u.stream[data].busy, 0, u.stream[data].origin);
    else if (!crossBarrier(unit))
      return false;
    compute(unit, scaled(u, duration));
    return true;
  }
  if (op.kind == ActionKind::Collective && !u.issuedEpilogue) {
    const Collective& c = plan.collectives[op.microBatch];
    u.issuedEpilogue = true;
    issue(unit, data,
          {shape.rendezvousOf(unit, c.group, ir::Stream::Data), 0, u.clock, c.time * c.count, &c,
           c.count});
  }
  if (!stream.open.empty()) {
    u.wait = WakeReason::Collective;
    return false;
  }
  u.issuedEpilogue = false;
  waitUntil(unit, stream.free, stream.late, stream.origin);
  return true;
}

bool StepRun::crossBarrier(std::uint32_t unit) {
  SimulatedRank& u = all[unit];
  if (u.passed)
    return true;
  if (atBarrier == 0 || u.clock > barrier || (u.clock == barrier && unit < latest))
    barrier = u.clock, latest = unit;
  u.wait = WakeReason::Barrier;
  if (++atBarrier < shape.simulatedRanks())
    return false;
  for (std::uint32_t each = 0; each < shape.simulatedRanks(); ++each) {
    if (all[each].clock < barrier)
      noteWait(each, all[each].clock, barrier, {latest, barrier}, WaitFor::Barrier);
    spent[each].barrier += barrier - all[each].clock;
    all[each].clock = barrier;
    all[each].passed = true;
    wake(each);
  }
  return false;
}
