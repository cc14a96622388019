//===- FreeBlocks.cpp - Free blocks of the allocator on each rank -----------------------------===//
#include "cost/memory/OutsideTensors.h"
#include "cost/memory/RankMemory.h"
#include "cost/memory/SegmentReplay.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Bytes of free blocks of a rank's allocator; 0 unless the tensors need between half of the usable
/// memory and twice the usable memory. Tensors that fit are replayed with the device's memory as a
/// limit. If the allocator returned segments for lack of memory, the device was full. Tensors that
/// do not fit are replayed without a limit.
std::uint64_t freeBlocksOf(const Plan& plan, const RankMemory& m) {
  const std::uint64_t outside = outsideBytes(plan, deviceOf(plan, m), m.rank),
                      tensors = m.peak() - m.reserved;
  if (2 * tensors < m.usable || tensors > 2 * m.usable)
    return 0;
  const bool tensorsFit = m.headroom() >= 0;
  auto segments = tensorsFit ? segmentsOf(plan, m, m.usable - outside) : segmentsOf(plan, m);
  if (!segments)
    return 0;
  std::uint64_t all = outside + std::max(segments->reserved, tensors);
  if (tensorsFit && all > m.usable)
    all = std::max(all, outside + segmentsOf(plan, m)->reserved);
  else if (segments->full)
    all = m.usable;
  return all - std::min(all, tensors + m.reserved);
}

/// Whether two ranks have equal memory in each category.
bool alike(const RankMemory& a, const RankMemory& b) {
  return a.parameters == b.parameters && a.gradients == b.gradients && a.optimizer == b.optimizer &&
         a.buffers == b.buffers && a.activations == b.activations && a.temporary == b.temporary &&
         a.update == b.update && a.reserved == b.reserved && a.usable == b.usable;
}

/// Adds free blocks to the rank with the least headroom, and to others whose headroom could become
/// smaller with twice the most free blocks found so far. Equal ranks share one replay.
void addToFullest(const Plan& plan, std::vector<RankMemory>& memory) {
  constexpr std::size_t mostReplays = 4;
  std::vector<RankMemory*> order;
  for (RankMemory& m : memory)
    order.push_back(&m);
  std::stable_sort(order.begin(), order.end(), [](const RankMemory* a, const RankMemory* b) {
    return a->headroom() < b->headroom();
  });
  struct Replayed {
    RankMemory tensors;
    std::uint64_t context, blocks;
  };
  std::vector<Replayed> known;
  std::int64_t left = 0, most = 0;
  for (RankMemory* m : order) {
    if (m != order.front() && m->headroom() - 2 * most >= left)
      return;
    const std::uint64_t context = deviceOf(plan, *m).context;
    const auto same = llvm::find_if(known, [&](const Replayed& one) {
      return one.context == context && alike(one.tensors, *m);
    });
    if (same == known.end() && known.size() == mostReplays)
      return;
    const std::uint64_t blocks = same == known.end() ? freeBlocksOf(plan, *m) : same->blocks;
    if (same == known.end())
      known.push_back({*m, context, blocks});
    // Reserved memory that is neither CUDA context nor communicators already covers free blocks.
    const std::uint64_t inside =
        m->reserved - std::min(m->reserved, outsideBytes(plan, deviceOf(plan, *m), m->rank));
    m->reserved += blocks;
    most = std::max(most, static_cast<std::int64_t>(blocks + inside));
    left = m == order.front() ? m->headroom() : std::min(left, m->headroom());
  }
}
} // namespace

void dpl::cost::addFreeBlocks(const Plan& plan, const MemoryModel& model,
                              std::vector<RankMemory>& memory) {
  if (!hasFixedSegments(plan))
    return;
  std::vector<RankMemory> held;
  for (const RankMemory& m : memory)
    llvm::append_range(held, model.onEach(m));
  addToFullest(plan, held);
  auto least = held.begin();
  for (RankMemory& m : memory) {
    const auto end =
        std::find_if(least, held.end(), [&](const RankMemory& one) { return one.rank != m.rank; });
    m = *std::min_element(least, end, [](const RankMemory& a, const RankMemory& b) {
      return a.headroom() < b.headroom();
    });
    least = end;
  }
}

std::uint64_t dpl::cost::freeBlockBytes(const Plan& plan, const RankMemory& memory) {
  const Device& device = deviceOf(plan, memory);
  const std::uint64_t outside = outsideBytes(plan, device, memory.rank);
  return memory.reserved > std::max(device.reserved, outside) ? memory.reserved - outside : 0;
}
