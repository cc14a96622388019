//===- ActionReplays.cpp - Replays of actions that repeat an earlier one ----------------------===//
#include "simulate/plan/ActionReplays.h"
#include "llvm/ADT/STLExtras.h"
#include <cassert>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

void ActionReplays::begin() {
  for (std::vector<RecordedAction>& of : known)
    of.clear();
}

std::optional<ActionReplays::ActionKey>
ActionReplays::keyOf(std::uint32_t rank, const StageProgram& program, const ProgramReach& reach,
                     cost::FirstLast firstLast, CostRatio cost) const {
  const StepDraws& drawn = step.drawn;
  if (ranks.notes() || step.traffic || drawn.delays || drawn.layerTimes || drawn.routed ||
      isMerged(program) || streams.isWoken(rank))
    return std::nullopt;
  const auto of = [&](const std::array<bool, 3>& what, MicroBatchSelection when) {
    return what[static_cast<std::size_t>(when)];
  };
  if (of(reach.meets, MicroBatchSelection::Every) ||
      (firstLast.first && of(reach.meets, MicroBatchSelection::First)) ||
      (firstLast.last && of(reach.meets, MicroBatchSelection::Last)))
    return std::nullopt;
  ActionKey key{&program,
                {firstLast.first && of(reach.has, MicroBatchSelection::First),
                 firstLast.last && of(reach.has, MicroBatchSelection::Last)},
                cost,
                {}};
  const std::uint64_t now = ranks.clock(rank);
  for (std::size_t i = 0; i < StreamsOfRank::count; ++i) {
    const StreamState& stream = streams.of(rank, i);
    if (!reach.uses[i] || (stream.free <= now && stream.open.empty()))
      continue;
    if (!stream.open.empty() || stream.late > 0) // the time depends on other ranks
      return std::nullopt;
    key.ahead[i] = stream.free - now;
  }
  return key;
}

std::uint64_t ActionReplays::run(std::uint32_t rank, const ActionKey& key,
                                 llvm::function_ref<std::uint64_t()> run) {
  const std::uint64_t begin = ranks.clock(rank);
  const auto found =
      llvm::find_if(known[rank], [&](const RecordedAction& of) { return of.key == key; });
  if (found != known[rank].end()) {
    replay(rank, *found);
    return begin + found->outputsLeft;
  }
  const SimulatedRankTimes before = ranks.times()[rank];
  const auto streamsBefore = streams.of(rank).all();
  RecordedAction action{key, run() - begin};
  const SimulatedRankTimes& after = ranks.times()[rank];
  assert(after.peerWait == before.peerWait && "it waits for nobody");
  action.compute = after.compute - before.compute;
  action.collectives = after.collectives - before.collectives;
  for (std::size_t i = 0; i < StreamsOfRank::count; ++i)
    if (const StreamState& is = streams.of(rank, i), &was = streamsBefore[i];
        is.launched > was.launched) {
      action.free[i] = is.free - begin, action.busy[i] = is.busy - was.busy;
      action.launched[i] = is.launched - was.launched;
    }
  record(rank, action);
  return begin + action.outputsLeft;
}

void ActionReplays::replay(std::uint32_t rank, const RecordedAction& action) {
  const std::uint64_t begin = ranks.clock(rank);
  ranks.compute(rank, action.compute);
  ranks.waitUntil(rank, begin + action.compute + action.collectives, {}, WaitFor::Collective,
                  &SimulatedRankTimes::collectives);
  for (std::size_t i = 0; i < StreamsOfRank::count; ++i)
    if (StreamState& stream = streams.of(rank, i); action.launched[i] > 0) {
      stream.free = begin + action.free[i], stream.busy += action.busy[i];
      stream.launched += action.launched[i], stream.late = 0;
    }
}

void ActionReplays::record(std::uint32_t rank, const RecordedAction& action) {
  std::vector<RecordedAction>& of = known[rank];
  if (of.size() == mostReplays)
    of.erase(of.begin());
  of.push_back(action);
}
