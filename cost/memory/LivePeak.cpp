//===- LivePeak.cpp - What live micro-batches hold at most ------------------------------------===//
#include "cost/memory/LivePeak.h"
#include <algorithm>
#include <numeric>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool covers(llvm::ArrayRef<std::uint32_t> a, llvm::ArrayRef<std::uint32_t> b) {
  for (std::size_t c = 0; c < a.size(); ++c)
    if (a[c] < b[c])
      return false;
  return true;
}

/// The first and the last pass of each chunk that makes gradients of weights.
struct GradientPasses {
  /// None are looked for with 0 chunks.
  GradientPasses(llvm::ArrayRef<ScheduledOperation> operations, std::size_t chunks)
      : first(chunks, operations.size()), last(chunks, 0) {
    for (std::size_t i = 0; chunks > 0 && i < operations.size(); ++i)
      if (frees(operations[i])) {
        first[operations[i].chunk] = std::min(first[operations[i].chunk], i);
        last[operations[i].chunk] = i;
      }
  }
  static bool frees(const ScheduledOperation& op) {
    return op.kind == OperationKind::Backward || op.kind == OperationKind::BackwardWeight;
  }
  llvm::SmallVector<std::size_t, 16> first, last;
};

/// The passes that drop what was kept group by group of layers, having brought each back.
bool isWhole(const ScheduledOperation& op) { return op.kind == OperationKind::Backward; }

/// Of equal bytes the more micro-batches, so that the answer is the same of all states and of those
/// that can be a peak.
template <class Live>
bool holdsMore(std::uint64_t bytes, llvm::ArrayRef<Live> live, const LivePeak& peak) {
  if (bytes != peak.bytes)
    return bytes > peak.bytes;
  const std::uint64_t now = std::accumulate(live.begin(), live.end(), std::uint64_t{0}),
                      most = std::accumulate(peak.live.begin(), peak.live.end(), std::uint64_t{0});
  return now != most ? now > most
                     : std::lexicographical_compare(peak.live.begin(), peak.live.end(),
                                                    live.begin(), live.end());
}

/// When what was dropped of a micro-batch is back. With recomputations in advance a list has one
/// before the first of its backward passes; else backward passes in two hold what the first half
/// brings back, and whole ones drop it as they go.
class Restoring {
public:
  explicit Restoring(llvm::ArrayRef<ScheduledOperation> operations) {
    for (const ScheduledOperation& op : operations)
      if (isPass(op.kind) && !op.forward()) {
        inAdvance = op.kind == OperationKind::Recomputation;
        break;
      }
  }
  bool begins(const ScheduledOperation& op) const {
    return op.kind == (inAdvance ? OperationKind::Recomputation : OperationKind::BackwardInput);
  }
  bool ends(const ScheduledOperation& op) const {
    return op.kind == OperationKind::BackwardWeight ||
           (inAdvance && op.kind == OperationKind::Backward);
  }

private:
  bool inAdvance = false;
};
} // namespace

LivePeaks::LivePeaks(llvm::ArrayRef<ScheduledOperation> operations, std::uint64_t chunks,
                     const HeldBeside& beside)
    : chunks(chunks), gradientsAt(chunks), restoredAt(beside.gradients ? 2 * chunks : chunks),
      width(beside.restored ? restoredAt + chunks : restoredAt) {
  llvm::SmallVector<std::uint32_t, 16> now(width, 0);
  const GradientPasses made(operations, beside.gradients ? chunks : 0);
  const Restoring back(operations);
  std::size_t last = 0; // the state that covered the one before, or was added
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ScheduledOperation& op = operations[i];
    if (!isPass(op.kind))
      continue;
    if (op.forward())
      ++now[op.chunk];
    else if (beside.restored && back.begins(op))
      ++now[restoredAt + op.chunk];
    const std::uint32_t running = 2 * op.chunk + (beside.inHalves && !isWhole(op) ? 1 : 0);
    // A list runs through the same states again and again.
    const std::size_t expected = last + 1 < runs.size() ? last + 1 : 0;
    const bool again = !runs.empty() && runs[expected] == running && covers(heldIn(expected), now);
    last = again ? expected : add(running, now);
    if (!GradientPasses::frees(op))
      continue;
    --now[op.chunk];
    if (beside.restored && back.ends(op))
      --now[restoredAt + op.chunk];
    if (beside.gradients)
      now[gradientsAt + op.chunk] = i < made.last[op.chunk] ? 1 : 0;
  }
}

std::size_t LivePeaks::add(std::uint32_t running, llvm::ArrayRef<std::uint32_t> now) {
  for (std::size_t state = runs.size(); state-- > 0;) {
    if (runs[state] != running)
      continue;
    if (covers(heldIn(state), now))
      return state;
    if (!covers(now, heldIn(state)))
      continue;
    runs.erase(runs.begin() + static_cast<std::ptrdiff_t>(state));
    const auto first = live.begin() + static_cast<std::ptrdiff_t>(state * width);
    live.erase(first, first + static_cast<std::ptrdiff_t>(width));
  }
  runs.push_back(running);
  live.insert(live.end(), now.begin(), now.end());
  return runs.size() - 1;
}

LivePeak LivePeaks::of(const ChunkBytes& each) const {
  LivePeak peak;
  peak.live.assign(chunks, 0);
  for (std::size_t state = 0; state < runs.size(); ++state) {
    const llvm::ArrayRef<std::uint32_t> held = heldIn(state);
    const std::size_t chunk = runs[state] / 2;
    std::uint64_t bytes = runs[state] % 2 > 0 ? each.inHalves[chunk] : each.working[chunk];
    std::uint64_t gradients = 0, restored = 0;
    for (std::uint64_t c = 0; c < chunks; ++c)
      bytes += held[c] * each.kept[c];
    for (std::uint64_t c = 0; gradientsAt + c < restoredAt && c < each.gradients.size(); ++c)
      gradients += held[gradientsAt + c] * each.gradients[c];
    for (std::uint64_t c = 0; restoredAt + c < width && c < each.restored.size(); ++c)
      restored += held[restoredAt + c] * each.restored[c];
    bytes += gradients + restored;
    if (holdsMore(bytes, held.take_front(chunks), peak)) {
      peak.bytes = bytes, peak.gradients = gradients, peak.restored = restored;
      peak.live.assign(held.begin(), held.begin() + chunks);
    }
  }
  return peak;
}

std::vector<LivePeaks> dpl::cost::peaksOf(const PipelineShape& shape, const OperationLists& lists,
                                          bool gradients, const Recompute& recompute) {
  const PipelineShape held = heldShape(shape);
  const OperationLists longer =
      held.microBatches > shape.microBatches ? listsOf(held) : OperationLists();
  const HeldBeside beside{gradients, holdsRestored(shape.kind, recompute),
                          restoresBothWays(shape.kind, recompute)};
  std::vector<LivePeaks> peaks;
  for (const OperationList& list : longer.empty() ? lists : longer)
    peaks.emplace_back(list, shape.chunks, beside);
  return peaks;
}

void dpl::cost::visitLive(llvm::ArrayRef<ScheduledOperation> operations, const ChunkBytes& each,
                          llvm::function_ref<void(const LiveBytes&)> visit) {
  llvm::SmallVector<std::uint64_t, 8> live(each.kept.size(), 0);
  const bool sums = !each.gradients.empty(), restores = !each.restored.empty();
  const GradientPasses made(operations, sums ? each.kept.size() : 0);
  const Restoring back(operations);
  LiveBytes now;
  now.live = live;
  for (; now.pass < operations.size(); ++now.pass) {
    const ScheduledOperation& op = operations[now.pass];
    if (!isPass(op.kind))
      continue;
    now.kept = now.keptAfter, now.gradients = now.gradientsAfter;
    now.restored = now.restoredAfter;
    if (op.forward())
      now.kept += each.kept[op.chunk], ++live[op.chunk];
    if (restores && back.begins(op))
      now.restored += each.restored[op.chunk];
    const bool apart = !each.inHalves.empty() && !isWhole(op);
    now.during =
        now.kept + now.gradients + now.restored + (apart ? each.inHalves : each.working)[op.chunk];
    const bool frees = GradientPasses::frees(op);
    now.keptAfter = frees ? now.kept - each.kept[op.chunk] : now.kept;
    now.restoredAfter = now.restored - (restores && back.ends(op) ? each.restored[op.chunk] : 0);
    if (sums && frees && now.pass == made.first[op.chunk])
      now.gradientsAfter += each.gradients[op.chunk];
    if (sums && frees && now.pass == made.last[op.chunk])
      now.gradientsAfter -= each.gradients[op.chunk];
    now.after = now.keptAfter + now.gradientsAfter + now.restoredAfter;
    visit(now);
    if (frees)
      --live[op.chunk];
  }
}

LivePeak dpl::cost::livePeak(llvm::ArrayRef<ScheduledOperation> operations,
                             const ChunkBytes& bytes) {
  LivePeak peak;
  peak.live.assign(bytes.kept.size(), 0);
  visitLive(operations, bytes, [&](const LiveBytes& now) {
    if (holdsMore(now.during, now.live, peak)) {
      peak.bytes = now.during, peak.gradients = now.gradients, peak.restored = now.restored;
      peak.pass = now.pass;
      peak.live.assign(now.live.begin(), now.live.end());
    }
  });
  return peak;
}
