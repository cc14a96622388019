//===- LivePeak.cpp - What live micro-batches hold at most ------------------------------------===//
#include "cost/memory/LivePeak.h"
#include "cost/execution/RankSchedules.h"
#include "llvm/Support/Compiler.h"
#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Two counts in a word, each below the half of what its bits can hold.
constexpr std::uint64_t tops = 0x8000'0000'8000'0000;
unsigned placeOf(std::uint64_t count) { return count % 2 * 32; }
std::uint64_t oneOf(std::uint64_t count) { return std::uint64_t{1} << placeOf(count); }

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

/// The last of them of each chunk, in the order of the list, and what lies behind it; none of no
/// chunks.
llvm::SmallVector<std::size_t, 16> lastGradients(llvm::ArrayRef<ScheduledOperation> operations,
                                                 std::uint64_t chunks) {
  llvm::SmallVector<std::size_t, 16> last{SIZE_MAX};
  llvm::SmallVector<bool, 16> known(chunks, false);
  for (std::size_t i = operations.size(); i > 0 && last.size() <= chunks; --i)
    if (const ScheduledOperation op = operations[i - 1];
        GradientPasses::frees(op) && !std::exchange(known[op.chunk], true))
      last.push_back(i - 1);
  std::reverse(last.begin(), last.end());
  return last;
}

/// The passes that drop what was kept group by group of layers, having brought each back.
bool isWhole(const ScheduledOperation& op) { return op.kind == OperationKind::Backward; }

/// Of equal bytes the more micro-batches, so that the answer is the same of all states and of those
/// that can be a peak.
template <class Live>
bool holdsMore(std::uint64_t bytes, llvm::ArrayRef<Live> live, std::uint64_t microBatches,
               const LivePeak& peak) {
  if (bytes != peak.bytes)
    return bytes > peak.bytes;
  if (microBatches != peak.microBatches)
    return microBatches > peak.microBatches;
  for (std::size_t chunk = 0; chunk < live.size(); ++chunk)
    if (live[chunk] != peak.live[chunk])
      return live[chunk] > peak.live[chunk];
  return false;
}

template <class Live>
void hold(std::uint64_t bytes, llvm::ArrayRef<Live> live, std::uint64_t microBatches,
          LivePeak& peak) {
  peak.bytes = bytes;
  peak.live.assign(live.begin(), live.end());
  peak.microBatches = microBatches;
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

/// States of one word that are covered, and so remain, each with the pass that ran; one that is
/// forgotten is looked up again.
class Covered {
public:
  Covered() { known.fill(~std::uint64_t{0}); } // no state: counts do not reach their top
  /// Micro-batches are fewer than 2^27.
  static std::uint64_t keyOf(std::size_t running) { return std::uint64_t{running} << 59; }
  /// Whether it is known; it is from now on.
  bool has(std::uint64_t state, std::uint64_t running) {
    constexpr std::uint64_t spread = 0x9e37'79b9'7f4a'7c15;
    const std::uint64_t key = state ^ running;
    return std::exchange(known[(key * spread) >> 58], key) == key;
  }

private:
  std::array<std::uint64_t, 64> known;
};
} // namespace

std::uint64_t ChunkBytes::workingIn(const ScheduledOperation& op) const {
  if (op.kind == OperationKind::PairedForward && !pairs.empty())
    return pairs[op.chunk];
  return (inHalves.empty() || isWhole(op) ? working : inHalves)[op.chunk];
}

/// The top of a count is left where that of `a` is as large.
template <bool oneWord>
LLVM_ATTRIBUTE_ALWAYS_INLINE bool LivePeaks::covers(const std::uint64_t* a,
                                                    const std::uint64_t* b) const {
  std::uint64_t all = (*a | tops) - *b;
  for (std::size_t w = 1; !oneWord && w < words; ++w)
    all &= (a[w] | tops) - b[w];
  return (all & tops) == tops;
}

/// A list runs through the same states again and again, onwards and back.
template <bool oneWord>
LLVM_ATTRIBUTE_ALWAYS_INLINE bool LivePeaks::followed(Running& of, const std::uint64_t* now) const {
  const std::uint64_t* const states = of.states.data();
  const std::size_t end = of.states.size(), each = oneWord ? 1 : words;
  const auto beside = [&](bool back) {
    if (back)
      return (of.last > 0 ? of.last : end) - each;
    return of.last + each < end ? of.last + each : 0;
  };
  if (const std::size_t state = beside(of.back);
      LLVM_LIKELY(covers<oneWord>(states + state, now))) {
    of.last = state;
    return true;
  }
  if (covers<oneWord>(states + of.last, now))
    return true;
  const std::size_t state = beside(!of.back);
  if (!covers<oneWord>(states + state, now))
    return false;
  of.last = state, of.back = !of.back;
  return true;
}

template <bool oneWord> void LivePeaks::add(Running& to, const std::uint64_t* now) const {
  const std::size_t each = oneWord ? 1 : words;
  for (std::size_t state = to.states.size(); state > 0;) {
    state -= each;
    std::uint64_t* const held = &to.states[state];
    if (covers<oneWord>(held, now)) {
      to.last = state;
      return;
    }
    if (covers<oneWord>(now, held))
      to.states.erase(held, held + each);
  }
  to.last = to.states.size();
  to.states.append(now, now + each);
}

/// What a pass adds to a state when it begins and takes from it when it has ended: of the live
/// micro-batches of its chunk, and of those whose dropped activations are back; what is there of
/// summed gradients from then on.
struct LivePeaks::Change {
  struct OfWord {
    std::uint64_t adds = 0, drops = 0;
  } live, restored;
  std::uint64_t gradients = 0;
  std::uint64_t key = 0;                                     ///< Covered::keyOf
  std::uint32_t running = 0;                                 ///< by index into LivePeaks::running
  std::uint32_t liveAt = 0, restoredAt = 0, gradientsAt = 0; ///< words of a state
};

LivePeaks::LivePeaks(llvm::ArrayRef<ScheduledOperation> operations, std::uint64_t chunks,
                     const HeldBeside& beside)
    : chunks(chunks), inHalves(beside.inHalves), gradientsAt(chunks),
      restoredAt(beside.gradients ? 2 * chunks : chunks),
      width(beside.restored ? restoredAt + chunks : restoredAt), words((width + 1) / 2),
      running((1 + (beside.inHalves ? 1 : 0) + (beside.pairs ? 1 : 0)) * chunks) {
  const Restoring back(operations);
  llvm::SmallVector<Change, 2 * Routes::kinds> changes;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
    for (std::size_t kind = 0; kind < Routes::kinds; ++kind) {
      const ScheduledOperation op{static_cast<OperationKind>(kind),
                                  static_cast<std::uint16_t>(chunk), 0};
      Change& c = changes.emplace_back();
      std::uint64_t of = chunk + (beside.inHalves && !isWhole(op) ? chunks : 0);
      if (beside.pairs && op.kind == OperationKind::PairedForward)
        of = running.size() - chunks + chunk;
      c.running = static_cast<std::uint32_t>(of), c.key = Covered::keyOf(of);
      const auto wordOf = [](std::uint64_t count) { return static_cast<std::uint32_t>(count / 2); };
      const bool frees = GradientPasses::frees(op);
      c.live = {op.forward() ? oneOf(chunk) : 0, frees ? oneOf(chunk) : 0};
      c.liveAt = wordOf(chunk);
      if (const std::uint64_t at = restoredAt + chunk; beside.restored) {
        c.restored = {!op.forward() && back.begins(op) ? oneOf(at) : 0,
                      frees && back.ends(op) ? oneOf(at) : 0};
        c.restoredAt = wordOf(at);
      }
      if (const std::uint64_t at = gradientsAt + chunk; beside.gradients && frees)
        c.gradients = oneOf(at), c.gradientsAt = wordOf(at);
      if (words == 1) // both at once
        c.live.adds += c.restored.adds, c.live.drops += c.restored.drops;
    }
  if (words == 1)
    run<true>(operations, changes, beside.gradients);
  else
    run<false>(operations, changes, beside.gradients);
}

/// A state of one word stays in a register. The few that lists come back to are known by their
/// value: which of the states that are held covers them, nobody could predict.
template <bool oneWord>
void LivePeaks::run(llvm::ArrayRef<ScheduledOperation> operations, llvm::ArrayRef<Change> changes,
                    bool gradients) {
  const llvm::SmallVector<std::size_t, 16> lasts =
      lastGradients(operations, gradients ? chunks : 0);
  const std::size_t* last = lasts.begin(); // the next of them
  Words counts(words, 0);
  std::uint64_t only = 0, *const now = counts.data();
  Covered covered;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ScheduledOperation op = operations[i];
    if (!isPass(op.kind))
      continue;
    const Change& change = changes[Routes::kinds * op.chunk + static_cast<std::size_t>(op.kind)];
    if constexpr (oneWord)
      only += change.live.adds;
    else
      now[change.liveAt] += change.live.adds, now[change.restoredAt] += change.restored.adds;
    if (!oneWord || !covered.has(only, change.key)) {
      if constexpr (oneWord)
        *now = only;
      if (Running& of = running[change.running]; of.states.empty() || !followed<oneWord>(of, now))
        add<oneWord>(of, now);
    }
    if constexpr (oneWord)
      only -= change.live.drops, only |= change.gradients;
    else
      now[change.liveAt] -= change.live.drops, now[change.restoredAt] -= change.restored.drops,
          now[change.gradientsAt] |= change.gradients;
    if (i == *last) {
      (oneWord ? only : now[change.gradientsAt]) &= ~change.gradients;
      ++last;
    }
  }
}

LivePeak LivePeaks::of(const ChunkBytes& each) const {
  LivePeak peak;
  peak.live.assign(chunks, 0);
  llvm::SmallVector<std::uint32_t, 16> held(width);
  for (std::size_t r = 0; r < running.size(); ++r)
    for (std::size_t state = 0; state < running[r].states.size(); state += words) {
      for (std::uint64_t i = 0; i < width; ++i)
        held[i] = static_cast<std::uint32_t>(running[r].states[state + i / 2] >> placeOf(i));
      using enum OperationKind;
      const OperationKind kind = r < chunks                   ? Backward
                                 : inHalves && r < 2 * chunks ? Forward
                                                              : PairedForward;
      std::uint64_t bytes = each.workingIn({kind, static_cast<std::uint16_t>(r % chunks), 0});
      std::uint64_t gradients = 0, restored = 0;
      for (std::uint64_t c = 0; c < chunks; ++c)
        bytes += held[c] * each.kept[c];
      for (std::uint64_t c = 0; gradientsAt + c < restoredAt && c < each.gradients.size(); ++c)
        gradients += held[gradientsAt + c] * each.gradients[c];
      for (std::uint64_t c = 0; restoredAt + c < width && c < each.restored.size(); ++c)
        restored += held[restoredAt + c] * each.restored[c];
      bytes += gradients + restored;
      const auto live = llvm::makeArrayRef(held).take_front(chunks);
      const std::uint64_t all = std::accumulate(live.begin(), live.end(), std::uint64_t{0});
      if (holdsMore(bytes, live, all, peak)) {
        hold(bytes, live, all, peak);
        peak.gradients = gradients, peak.restored = restored;
      }
    }
  return peak;
}

LivePeaks::Most LivePeaks::most() const {
  Most most;
  most.live.assign(chunks, 0), most.restored.assign(chunks, 0);
  for (const Running& of : running)
    for (std::size_t state = 0; state < of.states.size(); state += words) {
      const auto held = [&](std::uint64_t i) -> std::uint64_t {
        return static_cast<std::uint32_t>(of.states[state + i / 2] >> placeOf(i));
      };
      for (std::uint64_t c = 0; c < chunks; ++c) {
        most.live[c] = std::max(most.live[c], held(c));
        if (restoredAt < width)
          most.restored[c] = std::max(most.restored[c], held(restoredAt + c));
      }
    }
  return most;
}

std::vector<LivePeaks> dpl::cost::peaksOf(const PipelineShape& shape, const OperationLists& lists,
                                          bool gradients, const Recompute& recompute) {
  const PipelineShape held = heldShape(shape);
  const OperationLists longer =
      held.microBatches > shape.microBatches ? listsOf(held) : OperationLists();
  const HeldBeside beside{gradients, holdsRestored(shape.kind, recompute),
                          restoresBothWays(shape.kind, recompute), scheduleInfo(shape.kind).pairs};
  std::vector<LivePeaks> peaks;
  peaks.reserve(lists.size());
  for (const OperationList& list : longer.empty() ? lists : longer)
    peaks.emplace_back(list, shape.chunks, beside);
  return peaks;
}

namespace {
/// `plain` where a rank holds live micro-batches alone, and all passes of a chunk work alike.
template <bool plain, class Visit>
LLVM_ATTRIBUTE_ALWAYS_INLINE void walk(llvm::ArrayRef<ScheduledOperation> operations,
                                       const ChunkBytes& each, const Visit& visit) {
  llvm::SmallVector<std::uint64_t, 8> live(each.kept.size(), 0);
  const bool sums = !plain && !each.gradients.empty(), restores = !plain && !each.restored.empty();
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
    // The work of a merged pair is there until both passes have ended.
    const bool second = !plain && now.pass > 0 && !each.pairs.empty() &&
                        operations[now.pass - 1].kind == OperationKind::PairedForward;
    now.during =
        now.kept + now.gradients + now.restored +
        (plain ? each.working[op.chunk] : each.workingIn(second ? operations[now.pass - 1] : op));
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
} // namespace

void dpl::cost::visitLive(llvm::ArrayRef<ScheduledOperation> operations, const ChunkBytes& bytes,
                          llvm::function_ref<void(const LiveBytes&)> visit) {
  walk<false>(operations, bytes, visit);
}

LivePeak dpl::cost::livePeak(llvm::ArrayRef<ScheduledOperation> operations,
                             const ChunkBytes& bytes) {
  LivePeak peak;
  peak.live.assign(bytes.kept.size(), 0);
  std::uint64_t all = 0; // live micro-batches
  const auto look = [&](const LiveBytes& now) __attribute__((always_inline)) {
    const ScheduledOperation& op = operations[now.pass];
    all += op.forward() ? 1 : 0;
    if (now.during >= peak.bytes && holdsMore(now.during, now.live, all, peak)) {
      hold(now.during, now.live, all, peak);
      peak.gradients = now.gradients, peak.restored = now.restored;
      peak.pass = now.pass;
    }
    all -= GradientPasses::frees(op) ? 1 : 0;
  };
  if (bytes.gradients.empty() && bytes.restored.empty() && bytes.inHalves.empty() &&
      bytes.pairs.empty())
    walk<true>(operations, bytes, look);
  else
    walk<false>(operations, bytes, look);
  return peak;
}
