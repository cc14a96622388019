//===- ScheduleTest.cpp - What holds for the lists of every row -------------------------------===//
#include "cost/execution/Proof.h"
#include "cost/execution/RankSchedules.h"
#include "cost/execution/StoredOrder.h"
#include "cost/memory/RankMemory.h"
#include "tests/EachHolds.h"
#include "tests/property/RandomShape.h"
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using dpl::test::Random;
using Case = dpl::test::RandomShape;

namespace {
/// What a rank holds at most, from the times at which its passes begin and end.
std::uint64_t replayedPeak(const ActionList& schedule, const Executor& run, std::uint64_t rank,
                           const ChunkBytes& bytes, bool inAdvance) {
  // At one time what ends comes before what begins; a pass of no time still holds.
  std::multimap<std::pair<std::uint64_t, std::size_t>, std::int64_t> changes;
  std::map<std::uint32_t, std::pair<std::size_t, std::size_t>> reduced; // first and last, by chunk
  for (std::size_t i = 0; i < schedule.size(); ++i) {
    const ScheduledAction& op = schedule[i];
    const bool first = op.kind == ActionKind::BackwardInput,
               second = op.kind == ActionKind::BackwardWeight;
    // Of a row with both kinds of backwards, or with merged pairs.
    const bool apart = op.kind != ActionKind::Backward && !bytes.splitTemporary.empty(),
               merged = op.kind == ActionKind::PairedForward && !bytes.mergedPairs.empty(),
               behind = i > 0 && schedule[i - 1].kind == ActionKind::PairedForward &&
                        !bytes.mergedPairs.empty();
    const auto held = static_cast<std::int64_t>(bytes.saved[op.chunk]),
               used = static_cast<std::int64_t>(
                   behind ? bytes.mergedPairs[schedule[i - 1].chunk]
                          : (merged  ? llvm::makeArrayRef(bytes.mergedPairs)
                             : apart ? llvm::makeArrayRef(bytes.splitTemporary)
                                     : bytes.temporary)[op.chunk]);
    const bool frees = op.kind == ActionKind::Backward || second;
    const auto back =
        static_cast<std::int64_t>(bytes.restored.empty() ? 0 : bytes.restored[op.chunk]);
    if (op.kind == ActionKind::Recomputation || (first && !inAdvance))
      changes.insert({{run.start(rank, i), 2 * i}, back});
    if (second || (inAdvance && frees))
      changes.insert({{run.end(rank, i), 2 * i + 1}, -back});
    if (frees)
      reduced.try_emplace(op.chunk, i, i).first->second.second = i;
    changes.insert({{run.start(rank, i), 2 * i}, used + (op.forward() ? held : 0)});
    changes.insert({{run.end(rank, i), 2 * i + 1}, -used - (frees ? held : 0)});
  }
  for (const auto& [chunk, passes] : reduced)
    if (passes.first < passes.second && !bytes.gradients.empty()) {
      const auto sum = static_cast<std::int64_t>(bytes.gradients[chunk]);
      changes.insert({{run.end(rank, passes.first), 2 * passes.first + 1}, sum});
      changes.insert({{run.end(rank, passes.second), 2 * passes.second + 1}, -sum});
    }
  std::int64_t now = 0, most = 0;
  for (const auto& [when, change] : changes)
    most = std::max(most, now += change);
  return static_cast<std::uint64_t>(most);
}

/// The work of the rank that has most, behind the way of a micro-batch to it and, where its
/// gradients come last, before the way back; ps.
std::uint64_t workAndFill(const Case& c) {
  const Placement placement = c.shape.placement();
  std::uint64_t most = 0;
  for (std::uint64_t rank = 0; rank < c.shape.ranks; ++rank) {
    std::uint64_t there = UINT64_MAX, home = UINT64_MAX, work = 0, weights = 0;
    for (std::uint64_t chunk = 0; chunk < c.shape.chunks; ++chunk) {
      const ChunkTime& t = c.times[placement.indexOf(rank, chunk).index()];
      const std::uint64_t runs = c.shape.microBatches / placement.directions();
      work += runs * (t.forward + t.recompute + t.backward), weights += runs * t.weight;
      std::uint64_t on = 0, back = 0;
      Placement::ChunkLocation at{rank, chunk};
      for (auto from = placement.previous(at); from; from = placement.previous(at)) {
        const ChunkTime &mine = c.times[placement.indexOf(at.rank, at.chunk).index()],
                        &other = c.times[placement.indexOf(from->rank, from->chunk).index()];
        const bool sends = at.rank != from->rank;
        on += other.forward + (sends ? other.sendForward : 0);
        back += other.backward - other.weight + (sends ? mine.sendBackward : 0);
        at = *from;
      }
      there = std::min(there, on), home = std::min(home, back);
    }
    most = std::max({most, there + work, there + work - weights + home});
  }
  return most;
}

class Made {
public:
  explicit Made(const Case& of)
      : lists(perRankSchedules(of.shape, of.times)), views(lists.begin(), lists.end()) {}
  PerRankSchedules lists;
  std::vector<llvm::ArrayRef<ScheduledAction>> views;
};
} // namespace

TEST(Schedules, EachRow_KeepsWhatItClaims) {
  std::map<ScheduleKind, std::uint64_t> claims;
  const std::uint64_t made = 3 * test::plansToMake(); // small ones
  for (std::uint64_t seed = 1; seed <= made; ++seed) {
    const Case c(seed);
    const Made list(c);
    const Placement placement = c.shape.placement();
    Proof proof;
    ASSERT_EQ(proof.flawOf(c.shape.kind, placement, c.shape.microBatches, list.views).text, "")
        << c.name();
    Executor run, inOrder;
    const Execution& executed = run.run(placement, c.shape.microBatches, list.views, c.times, true);
    ASSERT_TRUE(executed.completed) << c.name();
    // In the order in which the groups ran, and in that order stored.
    ASSERT_EQ(
        inOrder.run(placement, c.shape.microBatches, list.views, c.times, true, {}, proof.order())
            .makespan,
        executed.makespan)
        << c.name();
    for (std::uint64_t rank = 0; rank < c.shape.ranks; ++rank)
      for (std::size_t i = 0; i < list.lists[rank].size(); ++i)
        ASSERT_EQ(inOrder.start(rank, i), run.start(rank, i)) << c.name();
    StoredOrder stored(placement, c.shape.microBatches, list.lists, inOrder);
    const std::vector<SweptRank> before = stored.ranks();
    stored.sweep(c.times, true);
    ASSERT_EQ(stored.ranks().vec(), before) << c.name();
    for (std::uint64_t rank = 0; rank < c.shape.ranks; ++rank)
      ASSERT_EQ(stored.ranks()[rank].end, run.end(rank)) << c.name();
    ASSERT_GE(executed.makespan, workAndFill(c)) << c.name();
    const bool flushed = scheduleInfo(c.shape.kind).flushed(); // else it has no makespan
    // Of recomputations in advance no form is known.
    const bool known = c.equal && flushed && !c.shape.inAdvance;
    if (const auto form = scheduleInfo(c.shape.kind).equalStages; form && known)
      if (const auto claimed = form(c.shape, c.times.front())) {
        ASSERT_EQ(*claimed, executed.makespan) << c.name();
        ++claims[c.shape.kind];
      }
    Random random(~seed);
    ChunkBytes bytes;
    for (std::uint64_t chunk = 0; chunk < c.shape.chunks; ++chunk)
      bytes.add(random.below(100), random.below(100));
    if (random.oneIn(2))
      for (std::uint64_t chunk = 0; chunk < c.shape.chunks; ++chunk)
        bytes.gradients.push_back(random.below(300));
    Recompute recompute;
    recompute.kind = random.oneIn(2) ? RecomputeKind::Full : RecomputeKind::None;
    if (c.shape.inAdvance)
      recompute.kind = RecomputeKind::Full, recompute.inAdvance = true;
    const LiveExtras overlap{!bytes.gradients.empty(), holdsRestored(c.shape.kind, recompute),
                             restoresBothWays(c.shape.kind, recompute),
                             scheduleInfo(c.shape.kind).pairs};
    for (std::uint64_t chunk = 0; overlap.restored && chunk < c.shape.chunks; ++chunk)
      bytes.restored.push_back(random.below(200));
    for (std::uint64_t chunk = 0; overlap.inHalves && chunk < c.shape.chunks; ++chunk)
      bytes.splitTemporary.push_back(random.below(100));
    for (std::uint64_t chunk = 0; overlap.mergedPairs && seed % 2 == 0 && chunk < c.shape.chunks;
         ++chunk)
      bytes.mergedPairs.push_back(100 +
                                  random.below(100)); // of both passes, so no less than of one
    for (std::uint64_t rank = 0; rank < c.shape.ranks; ++rank) {
      const LivePeak peak = livePeak(list.lists[rank], bytes);
      ASSERT_EQ(peak.bytes, replayedPeak(list.lists[rank], run, rank, bytes, c.shape.inAdvance))
          << c.name() << " rank " << rank;
      const LivePeaks states(list.lists[rank], c.shape.chunks, overlap);
      ASSERT_EQ(states.of(bytes).bytes, peak.bytes) << c.name() << " rank " << rank;
    }
  }
  for (std::size_t i = 0; made >= 900 && i < scheduleCount; ++i)
    if (const auto kind = static_cast<ScheduleKind>(i);
        scheduleInfo(kind).equalStages && scheduleInfo(kind).flushed()) {
      EXPECT_GT(claims[kind], 0U) << ir::name(kind);
    }
}

TEST(Schedules, InAdvance_IsNeverSlowerThanInsideTheBackward) {
  std::uint64_t compared = 0, faster = 0;
  for (std::uint64_t seed = 1; seed <= 3 * test::plansToMake(); ++seed) {
    const Case ahead(seed);
    if (!ahead.shape.inAdvance)
      continue;
    Case inside = ahead;
    inside.shape.inAdvance = false;
    for (ChunkTime& t : inside.times) {
      t.backward += t.recompute, t.unsplitBackward += t.recompute;
      t.recompute = 0;
    }
    const auto makespan = [](const Case& c) {
      const Made made(c);
      Executor run;
      return run.run(c.shape.placement(), c.shape.microBatches, made.views, c.times, true).makespan;
    };
    const std::uint64_t sooner = makespan(ahead), later = makespan(inside);
    ASSERT_LE(sooner, later) << ahead.name();
    ++compared, faster += sooner < later ? 1 : 0;
  }
  EXPECT_GT(faster, compared / 4);
}

namespace {
/// In-flight micro-batches of the fullest rank, summed over its chunks, for steps of 2p and of 3p
/// micro-batches. The pages of docs/schedules/ have these formulas.
std::uint64_t heldBy(const PipelineShape& s) {
  const std::uint64_t p = s.ranks, v = s.chunks, m = s.microBatches;
  switch (s.kind) {
    using enum ScheduleKind;
  case GPipe:
  case LoopedBreadthFirst:
    return v * m;
  case Interleaved:
    return v == 1 ? p : std::min(v * m, 2 * (p - 1) + (v - 1) * p + 1);
  case EagerOneForwardOneBackward:
  case ZeroBubbleH2:
    return 2 * p - 1;
  case ZeroBubble2p:
    return 2 * p;
  case ZeroBubbleAutomatic:
    return s.inFlight;
  case VHalf:
    return 2 * (p / 2 + 1);
  case VMin:
    return 2 * ((p + 4) / 3);
  case DualPipeV:
    return 2 * p + 1;
  case DualPipe:
    return p + 1;
  case OneForwardOneBackward:
  case ZeroBubbleH1:
  case ZeroBubble1p:
  case InterleavedZeroBubble:
  case ZeroBubbleV:
  case ZeroBubbleVTimed:
  case PipeDream:
  case Listed:
    break;
  }
  return v * p;
}
} // namespace

TEST(Schedules, EachRow_HoldsWhatItsPageSays) {
  for (std::size_t i = 0; i < scheduleCount; ++i)
    for (std::uint64_t p = 2; p <= 9; ++p)
      for (const std::uint64_t m : {2 * p, 3 * p}) {
        const auto kind = static_cast<ScheduleKind>(i);
        const std::uint64_t fixed = chunksOf(kind), v = fixed > 0 ? fixed : 3;
        const PipelineShape shape{kind, p, v, m, p + 2};
        if (scheduleInfo(kind).legal(shape) != ScheduleRule::Legal)
          continue;
        std::uint64_t held = 0;
        for (const ActionList& schedule : perRankSchedules(shape))
          held = std::max(held, livePeak(schedule, test::eachHolds(v, 1)).bytes);
        if (kind == ScheduleKind::ZeroBubbleAutomatic)
          EXPECT_LE(held, heldBy(shape)) << p << ' ' << m;
        else
          EXPECT_EQ(held, heldBy(shape)) << ir::name(kind) << ' ' << p << ' ' << m;
      }
}
