//===- StepReplay.cpp - Passes that take as long as one before them ---------------------------===//
//
// The many micro-batches of a step are alike. Where a pass calls nobody whom it has to wait for,
// what it does follows from how slow its unit is in this step, what its micro-batch costs and how
// long its streams are still busy. All of that is whole picoseconds from its begin on, so that the
// pass of another micro-batch that finds the same is added up without running its segments again.
#include "ir/MergedBody.h"
#include "simulate/plan/StepRun.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

StepRun::Reach StepRun::reachOf(const Body& body, llvm::ArrayRef<Collective> collectives) const {
  Reach out;
  for (const Block& block : body.blocks)
    for (const Segment& s : block.segments) {
      const auto when = static_cast<std::size_t>(s.when);
      out.has[when] = true;
      if (s.kind != SegmentKind::Call)
        continue;
      out.uses[static_cast<std::size_t>(s.stream)] = true;
      // Calls of a merged backward are of another chunk; one ahead begins before the pass does.
      out.meets[when] |= isMerged(body) || s.prefetch ||
                         shape.meeting(0, collectives[s.call].group, s.stream) != StepShape::alone;
    }
  return out;
}

/// What the pass that the unit has come to finds; nothing where it has to be run.
std::optional<StepRun::Replay> StepRun::replayOf(std::uint32_t unit) const {
  const Unit& u = all[unit];
  if (noted || traffic || drawn.delays || drawn.passes || drawn.routed || isMerged(*u.body) ||
      u.woken || u.block > 0 || u.segment > 0 || u.iteration > 0)
    return std::nullopt;
  const ScheduledOperation& op = plan.schedule[shape.pipelineRankOf(unit)].operations[u.operation];
  const Reach& reach = pieceOf(unit, op).reach[static_cast<std::size_t>(op.kind)];
  const auto of = [&](const std::array<bool, 3>& what, When when) {
    return what[static_cast<std::size_t>(when)];
  };
  if (of(reach.meets, When::Every) || (u.turn.first && of(reach.meets, When::First)) ||
      (u.turn.last && of(reach.meets, When::Last)))
    return std::nullopt;
  Replay pass;
  pass.body = u.body, pass.costs = u.costs.front();
  pass.turn = {u.turn.first && of(reach.has, When::First),
               u.turn.last && of(reach.has, When::Last)};
  for (std::size_t i = 0; i < streams; ++i) {
    const Stream& stream = u.stream[i];
    if (!reach.uses[i] || (stream.free <= u.clock && stream.open.empty()))
      continue;
    if (!stream.open.empty() || stream.late > 0) // others have to do with it
      return std::nullopt;
    pass.ahead[i] = stream.free - u.clock;
  }
  return pass;
}

bool StepRun::runBody(std::uint32_t unit) {
  const std::optional<Replay> pass = replayOf(unit);
  if (!pass)
    return runSegments(unit);
  const auto known = llvm::find_if(replays[unit], [&](const Replay& of) {
    return of.body == pass->body && of.turn == pass->turn && of.costs == pass->costs &&
           of.ahead == pass->ahead;
  });
  if (known != replays[unit].end())
    again(unit, *known);
  else
    runAndKeep(unit, *pass);
  return true;
}

void StepRun::again(std::uint32_t unit, const Replay& pass) {
  Unit& u = all[unit];
  const std::uint64_t begin = u.clock;
  u.clock = begin + pass.clock, u.left = begin + pass.left;
  spent[unit].compute += pass.compute, spent[unit].calls += pass.calls;
  for (std::size_t i = 0; i < streams; ++i)
    if (Stream& stream = u.stream[i]; pass.called[i] > 0) {
      stream.free = begin + pass.free[i], stream.busy += pass.busy[i];
      stream.called += pass.called[i], stream.late = 0;
    }
  u.body = nullptr;
}

/// It waits for nobody, so that it runs to its end.
void StepRun::runAndKeep(std::uint32_t unit, Replay pass) {
  Unit& u = all[unit];
  const std::uint64_t begin = u.clock;
  const UnitTimes before = spent[unit];
  const std::array<Stream, streams> streamsBefore = u.stream;
  const bool ran = runSegments(unit);
  assert(ran && spent[unit].peers == before.peers);
  (void)ran;
  pass.clock = u.clock - begin, pass.left = u.left - begin;
  pass.compute = spent[unit].compute - before.compute;
  pass.calls = spent[unit].calls - before.calls;
  for (std::size_t i = 0; i < streams; ++i)
    if (u.stream[i].called > streamsBefore[i].called) {
      pass.free[i] = u.stream[i].free - begin;
      pass.busy[i] = u.stream[i].busy - streamsBefore[i].busy;
      pass.called[i] = u.stream[i].called - streamsBefore[i].called;
    }
  std::vector<Replay>& of = replays[unit];
  if (of.size() == mostReplays)
    of.erase(of.begin());
  of.push_back(pass);
}
