//===- BufferedRun.cpp - Runs the lists of all ranks with buffered sends, without times -------===//
#include "cost/schedules/BufferedRun.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

bool BufferedRun::run(const Placement& placement, std::uint64_t microBatches, Executor::Lists all) {
  lists = all;
  routes.assign(placement, microBatches);
  lanes.clear(), stretches.clear();
  for (const Route& route : routes.passes()) {
    Lane lane{route.input, route.output, none, none, route.toRank};
    if (route.receives())
      lane.from = 4 * route.fromRank + route.inputChannel;
    if (route.sends()) // to a neighbour on its link, two a rank
      lane.to = 4 * (route.outputLink / 2) + route.outputChannel;
    lanes.push_back(lane);
  }
  turns.assign(routes.messages(), 0);
  sent.assign(4 * placement.ranks, 0), taken.assign(4 * placement.ranks, 0);
  next.assign(placement.ranks, 0);
  turnsKept = true;
  std::size_t done = 0;
  for (ready.assign(placement.ranks); !ready.empty();) {
    const std::uint32_t rank = ready.take();
    const std::size_t before = next[rank];
    if (advance(rank))
      ++done;
    else
      ready.wait(rank);
    if (next[rank] > before)
      stretches.push_back({rank, static_cast<std::uint32_t>(next[rank] - before)});
  }
  return done == placement.ranks;
}

bool BufferedRun::advance(std::uint32_t rank) {
  const llvm::ArrayRef<ScheduledOperation> list = lists[rank];
  const Lane* const of = lanes.data() + rank * routes.chunks() * Routes::kinds;
  std::uint32_t* const turnOf = turns.data();
  const auto laneOf = [&](const ScheduledOperation& op) -> const Lane& {
    return of[Routes::kinds * op.chunk + static_cast<std::size_t>(op.kind)];
  };
  const auto lacks = [&](const Lane& lane, std::uint32_t microBatch) {
    return lane.input != none && turnOf[lane.input + microBatch] == 0;
  };
  bool kept = true;
  std::size_t i = next[rank];
  for (; i < list.size(); ++i) {
    const ScheduledOperation op = list[i];
    const Lane& lane = laneOf(op);
    if (lacks(lane, op.microBatch))
      break;
    // Of a pair each needs the inputs of both.
    if (op.kind == OperationKind::PairedForward && i + 1 < list.size() &&
        lacks(laneOf(list[i + 1]), list[i + 1].microBatch))
      break;
    if (lane.from != none)
      kept &= ++taken[lane.from] == turnOf[lane.input + op.microBatch];
    if (lane.output == none)
      continue;
    std::uint32_t& turn = turnOf[lane.output + op.microBatch];
    kept &= turn == 0;
    turn = lane.to == none ? 1 : ++sent[lane.to];
    ready.wake(lane.toRank);
  }
  next[rank] = i;
  turnsKept = turnsKept && kept;
  return i == list.size();
}
