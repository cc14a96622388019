//===- StepRun.cpp - One step of all ranks ------------------------------------------------===//
#include "simulate/plan/StepRun.h"
#include "ir/MergedBody.h"
#include "ir/SegmentTime.h"
#include <cassert>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

void StepRun::begin() {
  queue.clear();
  flows.clear();
  now = 0, sharedBefore = flows.shared();
  atBarrier = 0, barrier = 0, latest = 0;
  all.assign(shape.units(), {});
  if (traffic) {
    traffic->vary(drawn.delays ? &drawn.delays->messages() : nullptr, drawn.rates);
    traffic->clear();
  }
  spent.assign(shape.units(), {});
  arrival.assign(std::size_t{shape.units()} * slots, never);
  origins.assign(noted ? arrival.size() : 0, {});
  turns.assign(shape.units() * plan.placement.chunks, {});
  for (std::vector<Replay>& of : replays) // factors are others
    of.clear();
  for (std::uint32_t unit = 0; unit < shape.units(); ++unit) {
    Unit& u = all[unit];
    u.factor = drawn.factors.empty() ? 1 : drawn.factors[unit];
    if (!drawn.loaded.empty()) {
      // Nothing begins before its samples are there.
      u.clock = u.left = u.loaded = spent[unit].loading = drawn.loaded[unit];
      for (Stream& stream : u.stream)
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
    const simulate::Event event = queue.take();
    now = event.time();
    if (traffic && StepMessages::isOwn(event.payload)) {
      if (traffic->take(event))
        ended(traffic->ended(), traffic->endedAt());
    } else if (simulate::Flows::isOwn(event)) {
      if (const auto done = flows.take(event))
        deliver(static_cast<std::uint32_t>(*done));
    } else if (event.payload >= delivered) {
      deliver(static_cast<std::uint32_t>(event.payload - delivered));
    } else if (const Message& message = messages[event.payload]; without.sharing) {
      queue.add(now + message.time, simulate::Phase::Ends, delivered + event.payload);
    } else {
      flows.begin(now, {message.link}, static_cast<double>(message.time), event.payload);
    }
    runReady();
  }
  std::uint64_t step = 0;
  for (std::uint32_t unit = 0; unit < shape.units(); ++unit) {
    const Unit& u = all[unit];
    assert(u.operation == plan.schedule[shape.pipelineRankOf(unit)].operations.size());
    const std::uint64_t end = plan.layout.postValidation ? u.clock - u.begin + u.loaded : u.clock;
    if (end > step && plan.layout.postValidation)
      latest = unit;
    step = std::max(step, end);
  }
  return step;
}

StepRun::End StepRun::end() const {
  // Where nobody meets before the update a step is as long as one of its ranks is at it.
  if (plan.layout.postValidation)
    return {latest, all[latest].loaded, all[latest].begin, all[latest].clock};
  End out{latest, 0, 0, all[latest].clock};
  for (std::uint32_t unit = 0; unit < shape.units(); ++unit)
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
  const RankSchedule& list = plan.schedule[shape.pipelineRankOf(unit)];
  Unit& u = all[unit];
  while (u.operation < list.operations.size()) {
    const ScheduledOperation& op = list.operations[u.operation];
    if (!isPass(op.kind)) {
      if (!runTail(unit, op, list.duration[u.operation]))
        return;
      ++u.operation;
    } else if ((!u.body && !beginPass(unit)) || !runBody(unit) || !endPass(unit)) {
      return;
    }
  }
}

std::uint64_t StepRun::scaled(const Unit& u, std::uint64_t time) const {
  return u.factor == 1 ? time
                       : static_cast<std::uint64_t>(static_cast<double>(time) * u.factor + 0.5);
}

/// All pieces of a layer take as many times as long.
std::uint64_t StepRun::ofLayer(std::uint32_t unit, const Segment& s, std::uint64_t time) {
  if (s.part != ComputePart::Drawn || !drawn.passes)
    return time;
  Unit& u = all[unit];
  const bool merged = s.backward;
  double& of = u.drawn[merged];
  if (!s.more)
    of = drawn.passes->of(unit, s.layerClass, u.operation + (merged ? 1 : 0), u.layers[merged]++);
  return static_cast<std::uint64_t>(static_cast<double>(time) * of + 0.5);
}

void StepRun::compute(std::uint32_t unit, std::uint64_t time) {
  all[unit].clock += time;
  spent[unit].compute += time;
}

void StepRun::waitUntil(std::uint32_t unit, std::uint64_t time, std::uint64_t peers,
                        Origin origin) {
  Unit& u = all[unit];
  // Nobody goes on before the last has issued the call.
  if (u.woken && now > time) {
    peers += now - time, time = now;
    origin = {u.waker.unit, std::min(u.waker.at, now)};
  }
  u.woken = false;
  if (time <= u.clock)
    return;
  noteWait(unit, u.clock, time, origin, WaitFor::Collective);
  spent[unit].calls += time - u.clock;
  peers = std::min(peers, time - u.clock);
  spent[unit].peers += peers;
  if (peers > 0)
    paid(u, peers);
  u.clock = time;
}

/// What computation has waited because of others no later call costs it again.
void StepRun::paid(Unit& u, std::uint64_t peers) {
  for (Stream& of : u.stream)
    of.late -= std::min(of.late, peers);
  for (Call& of : u.calls)
    of.peers -= std::min(of.peers, peers);
}

StepRun::Call* StepRun::find(Unit& u, std::uint64_t called) {
  for (Call& of : u.calls)
    if (of.called == called)
      return &of;
  return nullptr;
}

bool StepRun::runSegments(std::uint32_t unit) {
  Unit& u = all[unit];
  while (true) {
    if (u.holding != never) {
      const Call& held = *find(u, u.holding);
      if (held.begin == never || (u.holdsAll && held.end == never)) {
        u.wait = Wait::Call;
        return false;
      }
      waitUntil(unit, u.holdsAll ? held.end : held.begin + u.holds, held.peers, held.origin);
      u.holding = never;
    }
    if (u.block == u.body->blocks.size())
      break;
    const Block& block = u.body->blocks[u.block];
    if (u.segment == block.segments.size()) {
      u.segment = 0;
      if (++u.iteration >= block.count)
        u.iteration = 0, ++u.block;
      continue;
    }
    if (u.segment == 0) {
      compute(unit, u.slowed);
      u.slowed = 0;
      u.calls.clear();
    }
    const Segment& s = block.segments[u.segment];
    if ((s.when == When::Every || (s.when == When::First ? u.turn.first : u.turn.last)) &&
        !runNext(unit, s))
      return false;
    ++u.segment;
  }
  u.body = nullptr;
  u.left = u.clock;
  compute(unit, u.slowed + u.afterwards);
  u.slowed = u.afterwards = 0;
  u.calls.clear();
  return true;
}

/// As long as what is sent to experts has it.
bool StepRun::runNext(std::uint32_t unit, const Segment& s) {
  const Unit& u = all[unit];
  const StepRouting::Place at{static_cast<std::size_t>(u.body - plan.bodies.data()), u.block,
                              u.segment, u.iteration};
  if (!drawn.routed || !drawn.routed->varies(at))
    return runSegment(unit, s);
  const auto& list = plan.schedule[shape.pipelineRankOf(unit)].operations;
  return runSegment(unit, drawn.routed->of(unit, at, list[u.operation + (s.backward ? 1 : 0)]));
}

bool StepRun::runSegment(std::uint32_t unit, const Segment& s) {
  Unit& u = all[unit];
  switch (s.kind) {
  case SegmentKind::Compute:
    if (s.part == ComputePart::Offload) {
      // It crosses the unit's own link, beside the pass: nobody else is waited for.
      compute(unit, std::max(u.began + s.time, u.clock) - u.clock);
      return true;
    }
    compute(unit, scaled(u, ofLayer(unit, s, timeOf(s, u.costs[s.backward]))) + u.slowed);
    u.slowed = 0;
    return true;
  case SegmentKind::Wait: {
    const Call* of = find(u, s.called());
    if (of && of->end == never) {
      u.wait = Wait::Call;
      return false;
    }
    if (of)
      waitUntil(unit, of->end, of->peers, of->origin);
    return true;
  }
  case SegmentKind::Call:
    break;
  }
  const auto stream = static_cast<std::size_t>(s.stream);
  Call* of = find(u, s.called());
  if (!of)
    of = &u.calls.emplace_back();
  *of = {s.called(), u.stream[stream].called, static_cast<std::uint8_t>(stream), never, never, 0,
         {}};
  (s.prefetch ? u.afterwards : u.slowed) += s.slows;
  if (s.holds > 0)
    u.holding = s.called(), u.holds = s.holds, u.holdsAll = s.holds >= s.time;
  const auto* op = &plan.schedule[shape.pipelineRankOf(unit)].operations[u.operation];
  const Collective& what = pieceOf(unit, op[s.backward ? 1 : 0]).collectives[s.call];
  issue(unit, stream,
        {shape.meeting(unit, what.group, s.stream), 0, s.prefetch ? 0 : u.clock, s.time, &what});
  return true;
}

void StepRun::wake(std::uint32_t unit) {
  all[unit].wait = Wait::None;
  ready.push_back(unit);
}

bool StepRun::runTail(std::uint32_t unit, const ScheduledOperation& op, std::uint64_t duration) {
  Unit& u = all[unit];
  Stream& stream = u.stream[data];
  if (op.kind == OperationKind::Optimizer) {
    if (plan.layout.postValidation) // no call of a step runs before that of the one before ends
      waitUntil(unit, u.begin + u.stream[data].busy, 0, u.stream[data].origin);
    else if (!passBarrier(unit))
      return false;
    compute(unit, scaled(u, duration));
    return true;
  }
  if (op.kind == OperationKind::Collective && !u.called) {
    const Collective& c = plan.collectives[op.microBatch];
    u.called = true;
    issue(unit, data,
          {shape.meeting(unit, c.group, ir::Stream::Data), 0, u.clock, c.time * c.count, &c,
           c.count});
  }
  if (!stream.open.empty()) {
    u.wait = Wait::Call;
    return false;
  }
  u.called = false;
  waitUntil(unit, stream.free, stream.late, stream.origin);
  return true;
}

bool StepRun::passBarrier(std::uint32_t unit) {
  Unit& u = all[unit];
  if (u.passed)
    return true;
  if (atBarrier == 0 || u.clock > barrier || (u.clock == barrier && unit < latest))
    barrier = u.clock, latest = unit;
  u.wait = Wait::Barrier;
  if (++atBarrier < shape.units())
    return false;
  for (std::uint32_t each = 0; each < shape.units(); ++each) {
    if (all[each].clock < barrier)
      noteWait(each, all[each].clock, barrier, {latest, barrier}, WaitFor::Barrier);
    spent[each].barrier += barrier - all[each].clock;
    all[each].clock = barrier;
    all[each].passed = true;
    wake(each);
  }
  return false;
}
