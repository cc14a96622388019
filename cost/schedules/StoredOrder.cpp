//===- StoredOrder.cpp - The passes of a shape in an order that has been found once -----------===//
#include "cost/schedules/StoredOrder.h"
#include "cost/schedules/Proof.h"
#include <algorithm>
#include <cassert>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr std::size_t kinds = PassDurations::kinds;
} // namespace

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
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank) {
    if (!lists[rank].empty())
      next.push_back({begin(rank, 0), rank, listed.size(), lists[rank].size()});
    for (const ScheduledOperation& op : lists[rank]) {
      Pass pass;
      const Route& route = routes.of(rank, op);
      pass.copy = route.copy;
      pass.rank = static_cast<std::uint32_t>(rank);
      pass.kind = op.kind;
      std::uint32_t& before = ran[kinds * pass.copy + static_cast<std::size_t>(op.kind)];
      pass.first = before == 0, pass.last = ++before == runs;
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
  durations.assign(times, clocks);
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
    const std::uint64_t duration = durations.of(pass.copy, pass.kind);
    if (withData && (pass.first || pass.last || duration == PassDurations::byClocks)) {
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
