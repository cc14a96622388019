//===- LivePeak.cpp - What live micro-batches hold at most ------------------------------------===//
#include "cost/memory/LivePeak.h"
#include <algorithm>

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
} // namespace

LivePeaks::LivePeaks(llvm::ArrayRef<ScheduledOperation> operations, std::uint64_t chunks,
                     bool gradients, bool inAdvance)
    : chunks(chunks), gradientsAt(chunks), restoredAt(gradients ? 2 * chunks : chunks),
      width(inAdvance ? restoredAt + chunks : restoredAt) {
  llvm::SmallVector<std::uint32_t, 16> now(width, 0);
  const GradientPasses made(operations, gradients ? chunks : 0);
  std::size_t last = 0; // the state that covered the one before, or was added
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ScheduledOperation& op = operations[i];
    if (!isPass(op.kind))
      continue;
    if (op.forward())
      ++now[op.chunk];
    else if (inAdvance && op.kind == OperationKind::Recomputation)
      ++now[restoredAt + op.chunk];
    // A list runs through the same states again and again.
    const std::size_t expected = last + 1 < runs.size() ? last + 1 : 0;
    const bool again = !runs.empty() && runs[expected] == op.chunk && covers(heldIn(expected), now);
    last = again ? expected : add(op.chunk, now);
    if (!GradientPasses::frees(op))
      continue;
    --now[op.chunk];
    if (inAdvance)
      --now[restoredAt + op.chunk];
    if (gradients)
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
    std::uint64_t bytes = each.working[runs[state]], gradients = 0, restored = 0;
    for (std::uint64_t c = 0; c < chunks; ++c)
      bytes += held[c] * each.kept[c];
    for (std::uint64_t c = 0; gradientsAt + c < restoredAt && c < each.gradients.size(); ++c)
      gradients += held[gradientsAt + c] * each.gradients[c];
    for (std::uint64_t c = 0; restoredAt + c < width && c < each.restored.size(); ++c)
      restored += held[restoredAt + c] * each.restored[c];
    bytes += gradients + restored;
    if (bytes > peak.bytes) {
      peak.bytes = bytes, peak.gradients = gradients, peak.restored = restored;
      peak.live.assign(held.begin(), held.begin() + chunks);
    }
  }
  return peak;
}

std::vector<LivePeaks> dpl::cost::peaksOf(const PipelineShape& shape, const OperationLists& lists,
                                          bool gradients) {
  const PipelineShape held = heldShape(shape);
  const OperationLists longer =
      held.microBatches > shape.microBatches ? listsOf(held) : OperationLists();
  std::vector<LivePeaks> peaks;
  for (const OperationList& list : longer.empty() ? lists : longer)
    peaks.emplace_back(list, shape.chunks, gradients, shape.inAdvance);
  return peaks;
}

void dpl::cost::visitLive(llvm::ArrayRef<ScheduledOperation> operations, const ChunkBytes& each,
                          llvm::function_ref<void(const LiveBytes&)> visit) {
  llvm::SmallVector<std::uint64_t, 8> live(each.kept.size(), 0);
  const bool sums = !each.gradients.empty(), restores = !each.restored.empty();
  const GradientPasses made(operations, sums ? each.kept.size() : 0);
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
    if (restores && op.kind == OperationKind::Recomputation)
      now.restored += each.restored[op.chunk];
    now.during = now.kept + now.gradients + now.restored + each.working[op.chunk];
    const bool frees = GradientPasses::frees(op);
    now.keptAfter = frees ? now.kept - each.kept[op.chunk] : now.kept;
    now.restoredAfter = now.restored - (restores && frees ? each.restored[op.chunk] : 0);
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
    if (now.during > peak.bytes) {
      peak.bytes = now.during, peak.gradients = now.gradients, peak.restored = now.restored;
      peak.pass = now.pass;
      peak.live.assign(now.live.begin(), now.live.end());
    }
  });
  return peak;
}
