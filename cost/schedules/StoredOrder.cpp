//===- StoredOrder.cpp - The passes of a shape in an order that has been found once -----------===//
#include "cost/schedules/StoredOrder.h"
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
  // Each takes at least 1, so that what begins later needs nothing that begins with it.
  const std::vector<PieceTime> equal(placement.copies(), PieceTime{1, 2, 0, 0, 1});
  Executor executor;
  const bool ended = executor.run(placement, microBatches, lists, equal, true).completed;
  assert(ended && "lists that hang have no order");
  (void)ended;
  std::vector<std::uint64_t> begins;
  std::vector<std::uint32_t> ran(kinds * placement.copies(), 0);
  const std::uint64_t runs = microBatches / placement.directions();
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (std::size_t i = 0; i < lists[rank].size(); ++i) {
      const ScheduledOperation& op = lists[rank][i];
      const Placement::Place at{rank, op.chunk};
      Pass pass;
      pass.copy = static_cast<std::uint32_t>(placement.indexOf(rank, op.chunk));
      pass.rank = static_cast<std::uint16_t>(rank);
      pass.kind = op.kind;
      std::uint32_t& before = ran[kinds * pass.copy + static_cast<std::size_t>(op.kind)];
      pass.first = before == 0, pass.last = ++before == runs;
      const auto from = op.forward() ? placement.previous(at) : placement.next(at);
      const auto to = op.forward() ? placement.next(at) : placement.previous(at);
      const bool weight = op.kind == OperationKind::BackwardWeight;
      if (from && !weight)
        pass.input = slotOf(placement, at, op.forward(), op.microBatch, microBatches);
      if (to && !weight)
        pass.output = slotOf(placement, *to, op.forward(), op.microBatch, microBatches);
      if (to && !weight && to->rank != rank)
        pass.link = static_cast<std::uint16_t>(executor.linkFrom(rank, op.chunk, op.forward()));
      passes.push_back(pass);
      begins.push_back(executor.start(rank, i));
    }
  std::vector<std::uint32_t> order(passes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return begins[a] < begins[b]; });
  std::vector<Pass> sorted;
  sorted.reserve(passes.size());
  for (const std::uint32_t i : order)
    sorted.push_back(passes[i]);
  passes = std::move(sorted);
  arrival.resize(2 * placement.copies() * microBatches);
  links.resize(2 * placement.ranks);
  swept.resize(placement.ranks);
  durations.resize(kinds * placement.copies());
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
      if (pass.link != UINT16_MAX) {
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
