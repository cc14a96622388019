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
} // namespace

LivePeaks::LivePeaks(llvm::ArrayRef<ScheduledOperation> operations, std::uint64_t chunks)
    : chunks(chunks) {
  llvm::SmallVector<std::uint32_t, 8> now(chunks, 0);
  std::size_t last = 0; // the state that covered the one before, or was added
  for (const ScheduledOperation& op : operations) {
    if (!isPass(op.kind))
      continue;
    if (op.forward())
      ++now[op.chunk];
    // A list runs through the same states again and again.
    const std::size_t expected = last + 1 < runs.size() ? last + 1 : 0;
    const bool again = !runs.empty() && runs[expected] == op.chunk && covers(heldIn(expected), now);
    last = again ? expected : add(op.chunk, now);
    if (op.kind == OperationKind::Backward || op.kind == OperationKind::BackwardWeight)
      --now[op.chunk];
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
    const auto first = live.begin() + static_cast<std::ptrdiff_t>(state * chunks);
    live.erase(first, first + static_cast<std::ptrdiff_t>(chunks));
  }
  runs.push_back(running);
  live.insert(live.end(), now.begin(), now.end());
  return runs.size() - 1;
}

LivePeak LivePeaks::of(llvm::ArrayRef<std::uint64_t> chunkBytes,
                       llvm::ArrayRef<std::uint64_t> working) const {
  LivePeak peak;
  peak.live.assign(chunks, 0);
  for (std::size_t state = 0; state < runs.size(); ++state) {
    const llvm::ArrayRef<std::uint32_t> held = heldIn(state);
    std::uint64_t bytes = working[runs[state]];
    for (std::uint64_t c = 0; c < chunks; ++c)
      bytes += held[c] * chunkBytes[c];
    if (bytes > peak.bytes) {
      peak.bytes = bytes;
      peak.live.assign(held.begin(), held.end());
    }
  }
  return peak;
}

std::vector<LivePeaks> dpl::cost::peaksOf(const PipelineShape& shape, const OperationLists& lists) {
  const PipelineShape held = heldShape(shape);
  const OperationLists longer =
      held.microBatches > shape.microBatches ? listsOf(held) : OperationLists();
  std::vector<LivePeaks> peaks;
  for (const OperationList& list : longer.empty() ? lists : longer)
    peaks.emplace_back(list, shape.chunks);
  return peaks;
}

void dpl::cost::visitLive(llvm::ArrayRef<ScheduledOperation> operations,
                          llvm::ArrayRef<std::uint64_t> chunkBytes,
                          llvm::ArrayRef<std::uint64_t> working,
                          llvm::function_ref<void(const LiveBytes&)> visit) {
  llvm::SmallVector<std::uint64_t, 8> live(chunkBytes.size(), 0);
  LiveBytes now;
  now.live = live;
  std::uint64_t bytes = 0;
  for (; now.pass < operations.size(); ++now.pass) {
    const ScheduledOperation& op = operations[now.pass];
    if (!isPass(op.kind))
      continue;
    if (op.forward())
      bytes += chunkBytes[op.chunk], ++live[op.chunk];
    const bool frees =
        op.kind == OperationKind::Backward || op.kind == OperationKind::BackwardWeight;
    now.during = bytes + working[op.chunk];
    now.after = frees ? bytes - chunkBytes[op.chunk] : bytes;
    visit(now);
    if (frees)
      bytes = now.after, --live[op.chunk];
  }
}

LivePeak dpl::cost::livePeak(llvm::ArrayRef<ScheduledOperation> operations,
                             llvm::ArrayRef<std::uint64_t> chunkBytes,
                             llvm::ArrayRef<std::uint64_t> working) {
  LivePeak peak;
  peak.live.assign(chunkBytes.size(), 0);
  visitLive(operations, chunkBytes, working, [&](const LiveBytes& now) {
    if (now.during > peak.bytes) {
      peak.bytes = now.during;
      peak.live.assign(now.live.begin(), now.live.end());
    }
  });
  return peak;
}
