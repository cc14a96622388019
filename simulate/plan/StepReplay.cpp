//===- StepReplay.cpp - Passes that take as long as one before them ---------------------------===//
//
// The many micro-batches of a step are alike. Where a pass calls nobody whom it has to wait for,
// what it does follows from how slow its unit is in this step, what its micro-batch costs and how
// long its streams are still busy. All of that is whole picoseconds from its begin on, so that the
// pass of another micro-batch that finds the same is added up without running its segments again.
#include "ir/MergedProgram.h"
#include "simulate/plan/StepRun.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

StepRun::ProgramReach StepRun::reachOf(const StageProgram& program,
                                       llvm::ArrayRef<Collective> collectives) const {
  ProgramReach out;
  for (const SegmentLoop& block : program.loops)
    for (const Segment& s : block.segments) {
      const auto when = static_cast<std::size_t>(s.selection);
      out.has[when] = true;
      if (s.kind != SegmentKind::Collective)
        continue;
      out.uses[static_cast<std::size_t>(s.stream)] = true;
      // Calls of a merged backward are of another chunk; one ahead begins before the pass does.
      out.meets[when] |=
          isMerged(program) || s.prefetch ||
          shape.rendezvousOf(0, collectives[s.collective].group, s.stream) != StepShape::alone;
    }
  return out;
}

/// What the pass that the unit has come to finds; nothing where it has to be run.
std::optional<StepRun::RecordedAction> StepRun::replayOf(std::uint32_t unit) const {
  const SimulatedRank& u = all[unit];
  if (noted || traffic || drawn.delays || drawn.layerTimes || drawn.routed ||
      isMerged(*u.program) || u.woken || u.block > 0 || u.segment > 0 || u.iteration > 0)
    return std::nullopt;
  const ScheduledAction& op = plan.schedule[shape.pipelineRankOf(unit)].actions[u.action];
  const ProgramReach& reach = chunkOf(unit, op).reach[static_cast<std::size_t>(op.kind)];
  const auto of = [&](const std::array<bool, 3>& what, MicroBatchSelection when) {
    return what[static_cast<std::size_t>(when)];
  };
  if (of(reach.meets, MicroBatchSelection::Every) ||
      (u.firstLast.first && of(reach.meets, MicroBatchSelection::First)) ||
      (u.firstLast.last && of(reach.meets, MicroBatchSelection::Last)))
    return std::nullopt;
  RecordedAction pass;
  pass.program = u.program, pass.costs = u.costs.first;
  pass.firstLast = {u.firstLast.first && of(reach.has, MicroBatchSelection::First),
                    u.firstLast.last && of(reach.has, MicroBatchSelection::Last)};
  for (std::size_t i = 0; i < streams; ++i) {
    const StreamState& stream = u.stream[i];
    if (!reach.uses[i] || (stream.free <= u.clock && stream.open.empty()))
      continue;
    if (!stream.open.empty() || stream.late > 0) // others have to do with it
      return std::nullopt;
    pass.ahead[i] = stream.free - u.clock;
  }
  return pass;
}

bool StepRun::runProgram(std::uint32_t unit) {
  const std::optional<RecordedAction> pass = replayOf(unit);
  if (!pass)
    return runSegments(unit);
  const auto known = llvm::find_if(replays[unit], [&](const RecordedAction& of) {
    return of.program == pass->program && of.firstLast == pass->firstLast &&
           of.costs == pass->costs && of.ahead == pass->ahead;
  });
  if (known != replays[unit].end())
    replayAction(unit, *known);
  else
    runAndKeep(unit, *pass);
  return true;
}

void StepRun::replayAction(std::uint32_t unit, const RecordedAction& pass) {
  SimulatedRank& u = all[unit];
  const std::uint64_t begin = u.clock;
  u.clock = begin + pass.clock, u.outputsLeft = begin + pass.outputsLeft;
  spent[unit].compute += pass.compute, spent[unit].collectives += pass.collectives;
  for (std::size_t i = 0; i < streams; ++i)
    if (StreamState& stream = u.stream[i]; pass.issued[i] > 0) {
      stream.free = begin + pass.free[i], stream.busy += pass.busy[i];
      stream.issued += pass.issued[i], stream.late = 0;
    }
  u.program = nullptr;
}

/// It waits for nobody, so that it runs to its end.
void StepRun::runAndKeep(std::uint32_t unit, RecordedAction pass) {
  SimulatedRank& u = all[unit];
  const std::uint64_t begin = u.clock;
  const SimulatedRankTimes before = spent[unit];
  const std::array<StreamState, streams> streamsBefore = u.stream;
  const bool ran = runSegments(unit);
  assert(ran && spent[unit].peerWait == before.peerWait);
  (void)ran;
  pass.clock = u.clock - begin, pass.outputsLeft = u.outputsLeft - begin;
  pass.compute = spent[unit].compute - before.compute;
  pass.collectives = spent[unit].collectives - before.collectives;
  for (std::size_t i = 0; i < streams; ++i)
    if (u.stream[i].issued > streamsBefore[i].issued) {
      pass.free[i] = u.stream[i].free - begin;
      pass.busy[i] = u.stream[i].busy - streamsBefore[i].busy;
      pass.issued[i] = u.stream[i].issued - streamsBefore[i].issued;
    }
  std::vector<RecordedAction>& of = replays[unit];
  if (of.size() == mostReplays)
    of.erase(of.begin());
  of.push_back(pass);
}
