//===- LivePeak.cpp - The peak memory of in-flight micro-batches ------------------------------===//
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
/// The top bits of the two 32-bit counts of a word. Counts stay below 2^31.
constexpr std::uint64_t tops = 0x8000'0000'8000'0000;
unsigned placeOf(std::uint64_t count) { return count % 2 * 32; }
std::uint64_t oneOf(std::uint64_t count) { return std::uint64_t{1} << placeOf(count); }

/// For each chunk, the indices of its first and its last action that computes weight gradients.
struct GradientActions {
  /// With 0 chunks the constructor does nothing.
  GradientActions(llvm::ArrayRef<ScheduledAction> actions, std::size_t chunks)
      : first(chunks, actions.size()), last(chunks, 0) {
    for (std::size_t i = 0; chunks > 0 && i < actions.size(); ++i)
      if (frees(actions[i])) {
        first[actions[i].chunk] = std::min(first[actions[i].chunk], i);
        last[actions[i].chunk] = i;
      }
  }
  static bool frees(const ScheduledAction& op) {
    return op.kind == ActionKind::Backward || op.kind == ActionKind::BackwardWeight;
  }
  llvm::SmallVector<std::size_t, 16> first, last;
};

/// Indices of the last weight-gradient action of each chunk, in order, and then SIZE_MAX.
llvm::SmallVector<std::size_t, 16> lastGradients(llvm::ArrayRef<ScheduledAction> actions,
                                                 std::uint64_t chunks) {
  llvm::SmallVector<std::size_t, 16> last{SIZE_MAX};
  llvm::SmallVector<bool, 16> known(chunks, false);
  for (std::size_t i = actions.size(); i > 0 && last.size() <= chunks; --i)
    if (const ScheduledAction op = actions[i - 1];
        GradientActions::frees(op) && !std::exchange(known[op.chunk], true))
      last.push_back(i - 1);
  std::reverse(last.begin(), last.end());
  return last;
}

/// Whether this is a whole backward pass, which recomputes and frees one group of layers after
/// another.
bool isWhole(const ScheduledAction& op) { return op.kind == ActionKind::Backward; }

/// Whether a state is a higher peak than `peak`. Of states with equal bytes the one with more
/// in-flight micro-batches is higher, so that a search over all states finds the same peak as one
/// over the states of LivePeaks.
template <class Live>
bool exceeds(std::uint64_t bytes, llvm::ArrayRef<Live> live, std::uint64_t microBatches,
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
void record(std::uint64_t bytes, llvm::ArrayRef<Live> live, std::uint64_t microBatches,
            LivePeak& peak) {
  peak.bytes = bytes;
  peak.live.assign(live.begin(), live.end());
  peak.microBatches = microBatches;
}

/// The actions between which recomputed tensors of a micro-batch exist. If recomputations run in
/// advance, a Recomputation precedes the first backward pass, and recomputed tensors exist from the
/// Recomputation on. Otherwise they exist from the input gradient of a split backward pass on, and
/// a whole backward pass frees them layer by layer.
class Restoring {
public:
  explicit Restoring(llvm::ArrayRef<ScheduledAction> actions) {
    for (const ScheduledAction& op : actions)
      if (isChunkAction(op.kind) && !op.forward()) {
        inAdvance = op.kind == ActionKind::Recomputation;
        break;
      }
  }
  bool begins(const ScheduledAction& op) const {
    return op.kind == (inAdvance ? ActionKind::Recomputation : ActionKind::BackwardInput);
  }
  bool ends(const ScheduledAction& op) const {
    return op.kind == ActionKind::BackwardWeight || (inAdvance && op.kind == ActionKind::Backward);
  }

private:
  bool inAdvance = false;
};

/// A cache of one-word states that are known to be covered, each with the running action. A covered
/// state stays covered. A state whose entry was overwritten is looked up again.
class Covered {
public:
  Covered() { known.fill(~std::uint64_t{0}); } // not a state: counts never use their top bit
  /// The running action in the top 5 bits of a state, which are free: counts are below 2^27.
  static std::uint64_t keyOf(std::size_t running) { return std::uint64_t{running} << 59; }
  /// Returns whether the state is known, and adds it.
  bool has(std::uint64_t state, std::uint64_t running) {
    constexpr std::uint64_t spread = 0x9e37'79b9'7f4a'7c15;
    const std::uint64_t key = state ^ running;
    return std::exchange(known[(key * spread) >> 58], key) == key;
  }

private:
  std::array<std::uint64_t, 64> known;
};
} // namespace

std::uint64_t ChunkBytes::temporaryIn(const ScheduledAction& op) const {
  if (op.kind == ActionKind::PairedForward && !mergedPairs.empty())
    return mergedPairs[op.chunk];
  return (splitTemporary.empty() || isWhole(op) ? temporary : splitTemporary)[op.chunk];
}

/// The top bit of a count survives the subtraction if the count of `a` is at least as large.
template <bool oneWord>
LLVM_ATTRIBUTE_ALWAYS_INLINE bool LivePeaks::covers(const std::uint64_t* a,
                                                    const std::uint64_t* b) const {
  std::uint64_t all = (*a | tops) - *b;
  for (std::size_t w = 1; !oneWord && w < words; ++w)
    all &= (a[w] | tops) - b[w];
  return (all & tops) == tops;
}

/// A schedule visits the same states repeatedly, in forward or reverse order.
template <bool oneWord>
LLVM_ATTRIBUTE_ALWAYS_INLINE bool LivePeaks::followed(RunningStates& of,
                                                      const std::uint64_t* now) const {
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

template <bool oneWord> void LivePeaks::add(RunningStates& to, const std::uint64_t* now) const {
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

/// The change of a state when an action begins (`adds`) and ends (`drops`): the number of in-flight
/// micro-batches of the action's chunk (`live`), and the number of micro-batches whose recomputed
/// tensors exist (`restored`). `gradients` marks the chunk's summed gradients, which exist from the
/// end of the action on.
struct LivePeaks::StateChange {
  struct OfWord {
    std::uint64_t adds = 0, drops = 0;
  } live, restored;
  std::uint64_t gradients = 0;
  std::uint64_t key = 0;                                     ///< Covered::keyOf
  std::uint32_t running = 0;                                 ///< index into LivePeaks::running
  std::uint32_t liveAt = 0, restoredAt = 0, gradientsAt = 0; ///< indices of words in a state
};

LivePeaks::LivePeaks(llvm::ArrayRef<ScheduledAction> actions, std::uint64_t chunks,
                     const LiveExtras& overlap)
    : chunks(chunks), inHalves(overlap.inHalves), gradientsAt(chunks),
      restoredAt(overlap.gradients ? 2 * chunks : chunks),
      width(overlap.restored ? restoredAt + chunks : restoredAt), words((width + 1) / 2),
      running((1 + (overlap.inHalves ? 1 : 0) + (overlap.mergedPairs ? 1 : 0)) * chunks) {
  const Restoring back(actions);
  llvm::SmallVector<StateChange, 2 * Routes::kinds> changes;
  for (std::uint64_t chunk = 0; chunk < chunks; ++chunk)
    for (std::size_t kind = 0; kind < Routes::kinds; ++kind) {
      const ScheduledAction op{static_cast<ActionKind>(kind), static_cast<std::uint16_t>(chunk), 0};
      StateChange& c = changes.emplace_back();
      std::uint64_t of = chunk + (overlap.inHalves && !isWhole(op) ? chunks : 0);
      if (overlap.mergedPairs && op.kind == ActionKind::PairedForward)
        of = running.size() - chunks + chunk;
      c.running = static_cast<std::uint32_t>(of), c.key = Covered::keyOf(of);
      const auto wordOf = [](std::uint64_t count) { return static_cast<std::uint32_t>(count / 2); };
      const bool frees = GradientActions::frees(op);
      c.live = {op.forward() ? oneOf(chunk) : 0, frees ? oneOf(chunk) : 0};
      c.liveAt = wordOf(chunk);
      if (const std::uint64_t at = restoredAt + chunk; overlap.restored) {
        c.restored = {!op.forward() && back.begins(op) ? oneOf(at) : 0,
                      frees && back.ends(op) ? oneOf(at) : 0};
        c.restoredAt = wordOf(at);
      }
      if (const std::uint64_t at = gradientsAt + chunk; overlap.gradients && frees)
        c.gradients = oneOf(at), c.gradientsAt = wordOf(at);
      if (words == 1) // one word holds both counts
        c.live.adds += c.restored.adds, c.live.drops += c.restored.drops;
    }
  if (words == 1)
    run<true>(actions, changes, overlap.gradients);
  else
    run<false>(actions, changes, overlap.gradients);
}

/// A state of one word stays in a register. States that repeat are looked up by value in `covered`,
/// which avoids unpredictable branches.
template <bool oneWord>
void LivePeaks::run(llvm::ArrayRef<ScheduledAction> actions, llvm::ArrayRef<StateChange> changes,
                    bool gradients) {
  const llvm::SmallVector<std::size_t, 16> lasts = lastGradients(actions, gradients ? chunks : 0);
  const std::size_t* last = lasts.begin(); // next entry of `lasts`
  StateWords counts(words, 0);
  std::uint64_t only = 0, *const now = counts.data();
  Covered covered;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const ScheduledAction op = actions[i];
    if (!isChunkAction(op.kind))
      continue;
    const StateChange& change =
        changes[Routes::kinds * op.chunk + static_cast<std::size_t>(op.kind)];
    if constexpr (oneWord)
      only += change.live.adds;
    else
      now[change.liveAt] += change.live.adds, now[change.restoredAt] += change.restored.adds;
    if (!oneWord || !covered.has(only, change.key)) {
      if constexpr (oneWord)
        *now = only;
      if (RunningStates& of = running[change.running];
          of.states.empty() || !followed<oneWord>(of, now))
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
      using enum ActionKind;
      const ActionKind kind = r < chunks                   ? Backward
                              : inHalves && r < 2 * chunks ? Forward
                                                           : PairedForward;
      std::uint64_t bytes = each.temporaryIn({kind, static_cast<std::uint16_t>(r % chunks), 0});
      std::uint64_t gradients = 0, restored = 0;
      for (std::uint64_t c = 0; c < chunks; ++c)
        bytes += held[c] * each.saved[c];
      for (std::uint64_t c = 0; gradientsAt + c < restoredAt && c < each.gradients.size(); ++c)
        gradients += held[gradientsAt + c] * each.gradients[c];
      for (std::uint64_t c = 0; restoredAt + c < width && c < each.restored.size(); ++c)
        restored += held[restoredAt + c] * each.restored[c];
      bytes += gradients + restored;
      const auto live = llvm::makeArrayRef(held).take_front(chunks);
      const std::uint64_t all = std::accumulate(live.begin(), live.end(), std::uint64_t{0});
      if (exceeds(bytes, live, all, peak)) {
        record(bytes, live, all, peak);
        peak.gradients = gradients, peak.restored = restored;
      }
    }
  return peak;
}

LivePeaks::ChunkMaxima LivePeaks::most() const {
  ChunkMaxima most;
  most.live.assign(chunks, 0), most.restored.assign(chunks, 0);
  for (const RunningStates& of : running)
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

std::vector<LivePeaks> dpl::cost::peaksOf(const PipelineShape& shape,
                                          const PerRankSchedules& schedules, bool gradients,
                                          const Recompute& recompute) {
  const PipelineShape held = inFlightShape(shape);
  const PerRankSchedules longer =
      held.microBatches > shape.microBatches ? perRankSchedules(held) : PerRankSchedules();
  const LiveExtras overlap{gradients, holdsRestored(shape.kind, recompute),
                           restoresBothWays(shape.kind, recompute), scheduleInfo(shape.kind).pairs};
  std::vector<LivePeaks> peaks;
  peaks.reserve(schedules.size());
  for (const ActionList& schedule : longer.empty() ? schedules : longer)
    peaks.emplace_back(schedule, shape.chunks, overlap);
  return peaks;
}

namespace {
/// `plain`: the rank has only saved activations, and all actions of a chunk have equal temporary
/// memory.
template <bool plain, class Visit>
LLVM_ATTRIBUTE_ALWAYS_INLINE void walk(llvm::ArrayRef<ScheduledAction> actions,
                                       const ChunkBytes& each, const Visit& visit) {
  llvm::SmallVector<std::uint64_t, 8> live(each.saved.size(), 0);
  const bool sums = !plain && !each.gradients.empty(), restores = !plain && !each.restored.empty();
  const GradientActions made(actions, sums ? each.saved.size() : 0);
  const Restoring back(actions);
  LiveBytes now;
  now.live = live;
  for (; now.action < actions.size(); ++now.action) {
    const ScheduledAction& op = actions[now.action];
    if (!isChunkAction(op.kind))
      continue;
    now.saved = now.savedAfter, now.gradients = now.gradientsAfter;
    now.restored = now.restoredAfter;
    if (op.forward())
      now.saved += each.saved[op.chunk], ++live[op.chunk];
    if (restores && back.begins(op))
      now.restored += each.restored[op.chunk];
    // The temporary memory of a merged pair lasts until both actions have ended.
    const bool second = !plain && now.action > 0 && !each.mergedPairs.empty() &&
                        actions[now.action - 1].kind == ActionKind::PairedForward;
    now.during = now.saved + now.gradients + now.restored +
                 (plain ? each.temporary[op.chunk]
                        : each.temporaryIn(second ? actions[now.action - 1] : op));
    const bool frees = GradientActions::frees(op);
    now.savedAfter = frees ? now.saved - each.saved[op.chunk] : now.saved;
    now.restoredAfter = now.restored - (restores && back.ends(op) ? each.restored[op.chunk] : 0);
    if (sums && frees && now.action == made.first[op.chunk])
      now.gradientsAfter += each.gradients[op.chunk];
    if (sums && frees && now.action == made.last[op.chunk])
      now.gradientsAfter -= each.gradients[op.chunk];
    now.after = now.savedAfter + now.gradientsAfter + now.restoredAfter;
    visit(now);
    if (frees)
      --live[op.chunk];
  }
}
} // namespace

void dpl::cost::visitLive(llvm::ArrayRef<ScheduledAction> actions, const ChunkBytes& bytes,
                          llvm::function_ref<void(const LiveBytes&)> visit) {
  walk<false>(actions, bytes, visit);
}

LivePeak dpl::cost::livePeak(llvm::ArrayRef<ScheduledAction> actions, const ChunkBytes& bytes) {
  LivePeak peak;
  peak.live.assign(bytes.saved.size(), 0);
  std::uint64_t all = 0; // in-flight micro-batches
  const auto look = [&](const LiveBytes& now) __attribute__((always_inline)) {
    const ScheduledAction& op = actions[now.action];
    all += op.forward() ? 1 : 0;
    if (now.during >= peak.bytes && exceeds(now.during, now.live, all, peak)) {
      record(now.during, now.live, all, peak);
      peak.gradients = now.gradients, peak.restored = now.restored;
      peak.action = now.action;
    }
    all -= GradientActions::frees(op) ? 1 : 0;
  };
  if (bytes.gradients.empty() && bytes.restored.empty() && bytes.splitTemporary.empty() &&
      bytes.mergedPairs.empty())
    walk<true>(actions, bytes, look);
  else
    walk<false>(actions, bytes, look);
  return peak;
}
