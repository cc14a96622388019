//===- StoredOrder.cpp - The passes of a shape in an order that has been found once -----------===//
#include "cost/schedules/StoredOrder.h"
#include "cost/schedules/Proof.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr std::size_t kinds = static_cast<std::size_t>(OperationKind::BackwardWeight) + 1;

/// A message by the copy that takes it, its direction and micro-batch.
std::uint32_t slotOf(const Placement& placement, const Placement::Place& to, bool forward,
                     std::uint64_t microBatch, std::uint64_t microBatches) {
  const std::uint64_t copy = placement.indexOf(to.rank, to.chunk);
  return static_cast<std::uint32_t>((2 * copy + (forward ? 0 : 1)) * microBatches + microBatch);
}
} // namespace

StoredOrder::StoredOrder(const Placement& placement, std::uint64_t microBatches,
                         Executor::Lists lists) {
  // Each takes at least 1, so that what needs another begins after it.
  const std::vector<PieceTime> equal(placement.copies(), PieceTime{1, 2, 0, 0, 1});
  Executor executor;
  executor.run(placement, microBatches, lists, equal, true);
  const bool ordered =
      order(placement, microBatches, lists,
            [&](std::uint64_t rank, std::size_t i) { return executor.start(rank, i); });
  assert(ordered && "lists that hang have no order");
  (void)ordered;
}

StoredOrder::StoredOrder(const Plan& plan) {
  const std::vector<llvm::ArrayRef<ScheduledOperation>> lists = passesOf(plan);
  const auto begin = [&](std::uint64_t rank, std::size_t i) {
    return plan.schedule[rank].start[i];
  };
  if (!order(plan.placement, plan.mesh.microBatches, lists, begin))
    *this = StoredOrder(plan.placement, plan.mesh.microBatches, lists);
}

bool StoredOrder::order(const Placement& placement, std::uint64_t microBatches,
                        Executor::Lists lists, Begin begin) {
  // What the passes of a copy need and send, by direction: slots of its first micro-batch.
  struct Way {
    std::uint32_t input = none, output = none, link = none;
  };
  std::vector<Way> ways(2 * placement.copies());
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank)
    for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk)
      for (const bool forward : {true, false}) {
        const Placement::Place at{rank, chunk};
        const auto next = placement.next(at), previous = placement.previous(at);
        const auto& to = forward ? next : previous;
        Way& way = ways[2 * placement.indexOf(rank, chunk) + (forward ? 0 : 1)];
        if (forward ? previous : next)
          way.input = slotOf(placement, at, forward, 0, microBatches);
        if (to)
          way.output = slotOf(placement, *to, forward, 0, microBatches);
        if (to && to->rank != rank)
          way.link = linkFrom(placement, rank, chunk, forward);
      }
  std::vector<Pass> listed;
  std::vector<std::uint32_t> ran(kinds * placement.copies(), 0);
  const std::uint64_t runs = microBatches / placement.directions();
  // The next pass of each rank, the first to begin on top; of equals the lowest rank's.
  struct Next {
    std::uint64_t begin = 0, rank = 0, index = 0; ///< of Lists and of `listed`
    std::uint64_t left = 0;
    bool operator<(const Next& o) const {
      return begin != o.begin ? begin > o.begin : rank > o.rank;
    }
  };
  std::vector<Next> next;
  llvm::SmallVector<std::uint32_t, 16> copies(placement.chunks);
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    if (!lists[rank].empty())
      next.push_back({begin(rank, 0), rank, listed.size(), lists[rank].size()});
    for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk)
      copies[chunk] = static_cast<std::uint32_t>(placement.indexOf(rank, chunk));
    for (const ScheduledOperation& op : lists[rank]) {
      Pass pass;
      pass.copy = copies[op.chunk];
      pass.rank = static_cast<std::uint32_t>(rank);
      pass.kind = op.kind;
      std::uint32_t& before = ran[kinds * pass.copy + static_cast<std::size_t>(op.kind)];
      pass.first = before == 0, pass.last = ++before == runs;
      if (op.kind != OperationKind::BackwardWeight) {
        const Way& way = ways[2 * pass.copy + (op.forward() ? 0 : 1)];
        pass.input = way.input == none ? none : way.input + op.microBatch;
        pass.output = way.output == none ? none : way.output + op.microBatch;
        pass.link = way.link;
      }
      listed.push_back(pass);
    }
  }
  arrival.assign(2 * placement.copies() * microBatches, 0);
  links.resize(2 * placement.ranks);
  swept.resize(placement.ranks);
  durations.resize(kinds * placement.copies());
  passes.clear();
  passes.reserve(listed.size());
  std::make_heap(next.begin(), next.end());
  while (!next.empty()) {
    std::pop_heap(next.begin(), next.end());
    Next& at = next.back();
    const Pass& pass = listed[at.index];
    if (pass.input != none && arrival[pass.input] == 0)
      return false;
    if (pass.output != none)
      arrival[pass.output] = 1;
    passes.push_back(pass);
    if (--at.left == 0) {
      next.pop_back();
      continue;
    }
    ++at.index;
    at.begin = begin(at.rank, lists[at.rank].size() - at.left);
    std::push_heap(next.begin(), next.end());
  }
  return true;
}

void StoredOrder::sweep(llvm::ArrayRef<PieceTime> pieces, bool overlapped,
                        llvm::ArrayRef<PieceClocks> withClocks) {
  times = pieces, clocks = withClocks;
  std::fill(links.begin(), links.end(), 0);
  std::fill(swept.begin(), swept.end(), SweptRank{});
  for (std::size_t copy = 0; copy < times.size(); ++copy)
    for (std::size_t kind = 0; kind < kinds; ++kind) {
      const auto op = static_cast<OperationKind>(kind);
      const bool moves = !clocks.empty() && !clocks[copy].of(op).every.plain();
      durations[kinds * copy + kind] = moves ? byClocks : durationOf(op, times[copy]);
    }
  if (clocks.empty())
    sweep<false>(overlapped);
  else
    sweep<true>(overlapped);
}

template <bool withData> void StoredOrder::sweep(bool overlapped) {
  for (const Pass& pass : passes) {
    SweptRank& rank = swept[pass.rank];
    std::uint64_t now = rank.end;
    if (pass.input != none)
      now = std::max(now, arrival[pass.input]);
    std::uint64_t left = 0;
    const std::uint64_t duration =
        durations[kinds * pass.copy + static_cast<std::size_t>(pass.kind)];
    if (withData && (pass.first || pass.last || duration == byClocks)) {
      Clocks at{now, rank.dataEnd};
      left = clocks[pass.copy].of(pass.kind).of({pass.first, pass.last}).advance(at);
      now = at.computation, rank.dataEnd = at.data;
    } else {
      left = now += duration;
    }
    if (pass.output != none) {
      if (pass.link != none) {
        std::uint64_t& free = links[pass.link];
        const PieceTime& time = times[pass.copy];
        left = free = std::max(free, left) +
                      (pass.kind == OperationKind::Forward ? time.sendForward : time.sendBackward);
        if (!overlapped && left > now)
          rank.sending += left - now, now = left;
      }
      arrival[pass.output] = left;
    }
    rank.end = now;
  }
}
