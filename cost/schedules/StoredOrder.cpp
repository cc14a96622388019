//===- StoredOrder.cpp - The passes of a shape in an order that has been found once -----------===//
#include "cost/schedules/StoredOrder.h"
#include "cost/schedules/Proof.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

StoredOrder::StoredOrder(const Placement& placement, std::uint64_t microBatches,
                         Executor::Lists lists, const Executor& executor) {
  const bool ordered =
      order(placement, microBatches, lists,
            [&](std::uint64_t rank, std::size_t i) { return executor.start(rank, i); });
  assert(ordered && "lists that hang have no order");
  (void)ordered;
}

StoredOrder::StoredOrder(const Placement& placement, std::uint64_t microBatches,
                         Executor::Lists lists) {
  Executor executor;
  executor.run(placement, microBatches, lists, equalTimes(placement), true);
  *this = StoredOrder(placement, microBatches, lists, executor);
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
  const Routes routes(placement);
  std::vector<Pass> listed;
  TurnCounter turnOf;
  turnOf.assign(placement.copies(), microBatches / placement.directions());
  // The next pass of each rank, the first to begin on top; of equals the lowest rank's.
  struct Next {
    std::uint64_t begin = 0, rank = 0, index = 0; ///< of Lists and of `listed`
    std::uint64_t left = 0;
    bool operator<(const Next& o) const {
      return begin != o.begin ? begin > o.begin : rank > o.rank;
    }
  };
  std::vector<Next> next;
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    if (!lists[rank].empty())
      next.push_back({begin(rank, 0), rank, listed.size(), lists[rank].size()});
    for (const ScheduledOperation& op : lists[rank]) {
      Pass pass;
      const Route& route = routes.of(rank, op);
      pass.copy = route.copy;
      pass.rank = static_cast<std::uint32_t>(rank);
      pass.kind = op.kind;
      const Turn turn = turnOf.next(pass.copy, op.kind);
      pass.first = turn.first, pass.last = turn.last;
      if (op.kind != OperationKind::BackwardWeight) {
        const auto slot = [&](std::uint32_t copy) { // of a message, by the copy that takes it
          return static_cast<std::uint32_t>((2 * copy + (op.forward() ? 0 : 1)) * microBatches +
                                            op.microBatch);
        };
        pass.input = route.from == Route::none ? none : slot(route.copy);
        pass.output = route.to == Route::none ? none : slot(route.to);
        pass.link = route.link;
      }
      listed.push_back(pass);
    }
  }
  arrival.assign(2 * placement.copies() * microBatches, 0);
  links.resize(2 * placement.ranks);
  swept.resize(placement.ranks);
  passes.clear();
  passes.reserve(listed.size());
  std::make_heap(next.begin(), next.end());
  while (!next.empty()) {
    std::pop_heap(next.begin(), next.end());
    Next& at = next.back();
    // Both passes of a pair, of which each needs the inputs of both.
    const std::size_t together = listed[at.index].kind == OperationKind::PairedForward ? 2 : 1;
    for (std::size_t i = at.index; i < at.index + together; ++i) {
      if (listed[i].input != none && arrival[listed[i].input] == 0)
        return false;
      if (listed[i].output != none)
        arrival[listed[i].output] = 1;
      passes.push_back(listed[i]);
    }
    at.index += together, at.left -= together;
    if (at.left == 0) {
      next.pop_back();
      continue;
    }
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
  durations.assign(times, clocks);
  if (clocks.empty())
    sweep<false>(overlapped);
  else
    sweep<true>(overlapped);
}

template <bool withData> void StoredOrder::sweep(bool overlapped) {
  bool behindFirst = false; // the pass is the second of a pair
  for (const Pass& pass : passes) {
    SweptRank& rank = swept[pass.rank];
    std::uint64_t now = rank.end;
    if (pass.input != none)
      now = std::max(now, arrival[pass.input]);
    const bool paired = pass.kind == OperationKind::PairedForward;
    if (paired && (&pass)[1].input != none)
      now = std::max(now, arrival[(&pass)[1].input]);
    std::uint64_t left = 0;
    const std::uint64_t duration = durations.of(pass.copy, pass.kind);
    if (withData && (pass.first || pass.last || duration == PassDurations::byClocks)) {
      Clocks at{now, rank.dataEnd};
      left = clocks[pass.copy].of(pass.kind).of({pass.first, pass.last}).advance(at);
      now = at.computation, rank.dataEnd = at.data;
    } else {
      left = now += duration;
    }
    // What the first of a pair makes leaves with what the second makes.
    const auto leaves = [&](const Pass& of) {
      if (of.output == none)
        return;
      std::uint64_t there = left;
      if (of.link != none) {
        std::uint64_t& free = links[of.link];
        const PieceTime& time = times[of.copy];
        there = free =
            std::max(free, left) + (isForward(of.kind) ? time.sendForward : time.sendBackward);
        if (!overlapped && there > now)
          rank.sending += there - now, now = there;
      }
      arrival[of.output] = there;
    };
    if (behindFirst)
      leaves((&pass)[-1]);
    if (!paired)
      leaves(pass);
    behindFirst = paired;
    rank.end = now;
  }
}
