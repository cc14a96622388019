//===- ScheduleTest.cpp - What holds for the lists of every row, and for changed ones ---------===//
#include "cost/PlanCheck.h"
#include "cost/memory/LivePeak.h"
#include "cost/schedules/Proof.h"
#include "cost/schedules/StoredOrder.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>
#include <map>
#include <set>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using dpl::test::Random;

namespace {
/// A shape that its row takes, with what chunks take: of some shapes all the same and messages
/// nothing.
struct Case {
  PipelineShape shape;
  std::vector<PieceTime> times;
  bool equal = false;

  explicit Case(std::uint64_t seed) {
    Random random(seed);
    shape.kind = static_cast<ScheduleKind>(seed % scheduleCount);
    if (shape.kind == ScheduleKind::Listed) // as other rows' lists are
      shape.kind = ScheduleKind::Interleaved;
    do {
      shape.ranks = 1 + random.below(10);
      const std::uint64_t fixed = chunksOf(shape.kind);
      shape.chunks = fixed > 0 ? fixed : 1 + random.below(4);
      shape.microBatches = 1 + random.below(4 * shape.ranks + 4);
      if (random.oneIn(2)) // what rows with turns take
        shape.microBatches = shape.ranks * (1 + random.below(4));
      shape.inFlight = 1 + random.below(2 * shape.ranks);
      if (shape.kind == ScheduleKind::Interleaved && random.oneIn(2))
        shape.group = shape.ranks + random.below(2 * shape.ranks);
    } while (scheduleInfo(shape.kind).legal(shape) != ScheduleRule::Legal);
    equal = random.oneIn(2);
    const bool alike = random.oneIn(2); // forward, input and weight passes
    const PieceTime one = piece(random, alike);
    for (std::uint64_t i = 0; i < shape.placement().copies(); ++i) {
      times.push_back(equal ? one : piece(random, alike));
      if (equal)
        times.back().sendForward = times.back().sendBackward = 0;
    }
  }
  std::string name() const {
    return fmt::format("{} p {} v {} m {}", ir::name(shape.kind), shape.ranks, shape.chunks,
                       shape.microBatches);
  }

private:
  static PieceTime piece(Random& random, bool alike) {
    PieceTime t;
    t.forward = 100 + random.below(900);
    t.weight = alike ? t.forward : 100 + random.below(900);
    t.backward = t.weight + (alike ? t.forward : 100 + random.below(900));
    t.whole = t.backward;
    t.sendForward = random.below(200), t.sendBackward = random.below(200);
    return t;
  }
};

/// What a rank holds at most, from the times at which its passes begin and end.
std::uint64_t replayedPeak(const OperationList& list, const Executor& run, std::uint64_t rank,
                           const std::vector<std::uint64_t>& bytes,
                           const std::vector<std::uint64_t>& working) {
  // At one time what ends comes before what begins; a pass of no time still holds.
  std::multimap<std::pair<std::uint64_t, std::size_t>, std::int64_t> changes;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const ScheduledOperation& op = list[i];
    const auto held = static_cast<std::int64_t>(bytes[op.chunk]),
               used = static_cast<std::int64_t>(working[op.chunk]);
    const bool frees =
        op.kind == OperationKind::Backward || op.kind == OperationKind::BackwardWeight;
    changes.insert({{run.start(rank, i), 2 * i}, used + (op.forward() ? held : 0)});
    changes.insert({{run.end(rank, i), 2 * i + 1}, -used - (frees ? held : 0)});
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
      const PieceTime& t = c.times[placement.indexOf(rank, chunk)];
      const std::uint64_t runs = c.shape.microBatches / placement.directions();
      work += runs * (t.forward + t.backward), weights += runs * t.weight;
      std::uint64_t on = 0, back = 0;
      Placement::Place at{rank, chunk};
      for (auto from = placement.previous(at); from; from = placement.previous(at)) {
        const PieceTime &mine = c.times[placement.indexOf(at.rank, at.chunk)],
                        &other = c.times[placement.indexOf(from->rank, from->chunk)];
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
      : lists(listsOf(of.shape, of.times)), views(lists.begin(), lists.end()) {}
  OperationLists lists;
  std::vector<llvm::ArrayRef<ScheduledOperation>> views;
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
    ASSERT_EQ(proof.whatBreaks(c.shape.kind, placement, c.shape.microBatches, list.views), "")
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
    StoredOrder stored(placement, c.shape.microBatches, list.views, proof.order());
    stored.sweep(c.times, true);
    for (std::uint64_t rank = 0; rank < c.shape.ranks; ++rank) {
      for (std::size_t i = 0; i < list.lists[rank].size(); ++i)
        ASSERT_EQ(inOrder.start(rank, i), run.start(rank, i)) << c.name();
      ASSERT_EQ(stored.ranks()[rank].begin, run.start(rank, 0)) << c.name();
      ASSERT_EQ(stored.ranks()[rank].end, run.end(rank)) << c.name();
    }
    ASSERT_GE(executed.makespan, workAndFill(c)) << c.name();
    const bool flushed = scheduleInfo(c.shape.kind).flushed(); // else it has no makespan
    if (const auto form = scheduleInfo(c.shape.kind).equalStages; form && c.equal && flushed)
      if (const auto claimed = form(c.shape, c.times.front())) {
        ASSERT_EQ(*claimed, executed.makespan) << c.name();
        ++claims[c.shape.kind];
      }
    Random random(~seed);
    std::vector<std::uint64_t> bytes, working;
    for (std::uint64_t chunk = 0; chunk < c.shape.chunks; ++chunk)
      bytes.push_back(random.below(100)), working.push_back(random.below(100));
    for (std::uint64_t rank = 0; rank < c.shape.ranks; ++rank)
      ASSERT_EQ(livePeak(list.lists[rank], bytes, working).bytes,
                replayedPeak(list.lists[rank], run, rank, bytes, working))
          << c.name() << " rank " << rank;
  }
  for (std::size_t i = 0; made >= 900 && i < scheduleCount; ++i)
    if (const auto kind = static_cast<ScheduleKind>(i);
        scheduleInfo(kind).equalStages && scheduleInfo(kind).flushed()) {
      EXPECT_GT(claims[kind], 0U) << ir::name(kind);
    }
}

namespace {
/// Chunks of micro-batches that the fullest rank holds where there are 2p micro-batches, as
/// docs/schedules/ says.
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
  default:
    return v * p;
  }
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
        for (const OperationList& list : listsOf(shape))
          held = std::max(held, livePeak(list, std::vector<std::uint64_t>(v, 1),
                                         std::vector<std::uint64_t>(v, 0))
                                    .bytes);
        if (kind == ScheduleKind::ZeroBubbleAutomatic)
          EXPECT_LE(held, heldBy(shape)) << p << ' ' << m;
        else
          EXPECT_EQ(held, heldBy(shape)) << ir::name(kind) << ' ' << p << ' ' << m;
      }
}

namespace {
/// One change of a list: two passes change places, one is dropped, comes twice, or is one of
/// another micro-batch, chunk or kind. Times stay where they are, or go with their pass.
class Mutation {
public:
  Mutation(std::uint64_t seed, const Plan& of) : random(seed), plan(of) {
    do
      rank = &plan.schedule[random.below(plan.schedule.size())];
    while (passes() == 0);
    switch (random.below(4)) {
    case 0:
      swap();
      break;
    case 1:
      drop();
      break;
    case 2:
      duplicate();
      break;
    default:
      retarget();
    }
  }
  Plan take() { return std::move(plan); }

private:
  std::size_t passes() const {
    return static_cast<std::size_t>(
        llvm::count_if(rank->operations, [](const auto& op) { return isPass(op.kind); }));
  }
  std::size_t any() { return random.below(passes()); }
  void swap() {
    const std::size_t a = any(), b = random.oneIn(2) ? any() : std::min(a + 1, passes() - 1);
    std::swap(rank->operations[a], rank->operations[b]);
    if (random.oneIn(4))
      std::swap(rank->start[a], rank->start[b]);
    if (random.oneIn(2))
      std::swap(rank->duration[a], rank->duration[b]);
  }
  template <class List> static void erase(List& list, std::size_t at) {
    list.erase(list.begin() + static_cast<std::ptrdiff_t>(at));
  }
  void drop() {
    const std::size_t at = any();
    erase(rank->operations, at), erase(rank->start, at), erase(rank->duration, at);
  }
  template <class List> static void repeat(List& list, std::size_t from, std::size_t to) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(to), list[from]);
  }
  void duplicate() {
    const std::size_t from = any(), to = random.below(passes() + 1);
    const ScheduledOperation op = rank->operations[from];
    rank->operations.insert(rank->operations.begin() + static_cast<std::ptrdiff_t>(to), op);
    // A second pass takes no time, so that no other one has to move.
    const std::uint64_t at = to == 0 ? 0 : rank->start[to - 1] + rank->duration[to - 1];
    rank->start.insert(rank->start.begin() + static_cast<std::ptrdiff_t>(to), at);
    rank->duration.insert(rank->duration.begin() + static_cast<std::ptrdiff_t>(to), 0);
  }
  void retarget() {
    ScheduledOperation& op = rank->operations[any()];
    switch (random.below(3)) {
    case 0:
      op.microBatch = static_cast<std::uint32_t>(random.below(plan.mesh.microBatches + 1));
      return;
    case 1:
      op.chunk = static_cast<std::uint16_t>(random.below(plan.placement.chunks + 1));
      return;
    default:
      op.kind = static_cast<OperationKind>(random.below(Routes::kinds));
    }
  }

  Random random;
  Plan plan;
  RankSchedule* rank = nullptr;
};

using Key = std::tuple<OperationKind, std::uint16_t, std::uint32_t>;
Key keyOf(const ScheduledOperation& op) { return {op.kind, op.chunk, op.microBatch}; }
/// A forward of a pair is a forward; what it makes leaves when the pair has ended.
Key passOf(const ScheduledOperation& op) {
  return {op.forward() ? OperationKind::Forward : op.kind, op.chunk, op.microBatch};
}

/// Whether a changed plan is the same schedule with passes exchanged that nobody can tell apart:
/// the same passes on each rank, at the same times, each behind what it needs, and no rank holds
/// more.
bool equivalent(const Plan& plan, const Plan& changed) {
  std::map<std::uint32_t, std::uint64_t> made; // when a message is there
  const Routes routes(plan.placement, plan.mesh.microBatches);
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    const RankSchedule &was = plan.schedule[r], &is = changed.schedule[r];
    if (was.start != is.start || was.duration != is.duration)
      return false;
    std::multiset<Key> before, after;
    for (std::size_t i = 0; i < was.operations.size(); ++i) {
      before.insert(passOf(was.operations[i])), after.insert(passOf(is.operations[i]));
      const ScheduledOperation& op = is.operations[i];
      if (isPass(op.kind) && op.chunk < plan.placement.chunks)
        if (const Route& route = routes.of(r, op); route.output != Route::none)
          made[route.output + op.microBatch] =
              is.endOf(op.kind == OperationKind::PairedForward ? i + 1 : i);
    }
    if (before != after)
      return false;
  }
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    const RankSchedule& is = changed.schedule[r];
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint64_t> forward, input;
    for (std::size_t i = 0; i < is.operations.size(); ++i) {
      const ScheduledOperation& op = is.operations[i];
      if (!isPass(op.kind))
        continue;
      const Route& route = routes.of(r, op);
      if (route.input != Route::none && made[route.input + op.microBatch] > is.start[i])
        return false;
      const std::pair of(op.chunk, op.microBatch);
      if (op.forward())
        forward[of] = is.endOf(i);
      else if (op.kind == OperationKind::BackwardWeight ? input.count(of) == 0
                                                        : forward.count(of) == 0)
        return false;
      if (op.kind == OperationKind::BackwardInput)
        input[of] = is.endOf(i);
    }
    std::vector<std::uint64_t> bytes(plan.placement.chunks), working(plan.placement.chunks);
    for (const ChunkCost& cost : plan.costs)
      if (cost.rank == r)
        bytes[cost.chunk] = cost.activationBytes, working[cost.chunk] = cost.workingBytes;
    if (livePeak(is.operations, bytes, working).bytes !=
        livePeak(plan.schedule[r].operations, bytes, working).bytes)
      return false;
  }
  return true;
}

/// The first operation that differs.
std::string difference(const Plan& plan, const Plan& changed) {
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    const RankSchedule &was = plan.schedule[r], &is = changed.schedule[r];
    for (std::size_t i = 0; i < std::min(was.operations.size(), is.operations.size()); ++i)
      if (keyOf(was.operations[i]) != keyOf(is.operations[i]) || was.start[i] != is.start[i])
        return fmt::format(
            ": {}, operation {} of rank {}: {} {} {} from {} for {} is {} {} {} from {} for {}",
            ir::name(plan.layout.schedule), i, r, ir::name(was.operations[i].kind),
            was.operations[i].chunk, was.operations[i].microBatch, was.start[i], was.duration[i],
            ir::name(is.operations[i].kind), is.operations[i].chunk, is.operations[i].microBatch,
            is.start[i], is.duration[i]);
  }
  return {};
}

bool sameLists(const Plan& plan, const Plan& changed) {
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    const RankSchedule &was = plan.schedule[r], &is = changed.schedule[r];
    if (was.start != is.start || was.duration != is.duration ||
        !std::equal(was.operations.begin(), was.operations.end(), is.operations.begin(),
                    is.operations.end(),
                    [](const ScheduledOperation& a, const ScheduledOperation& b) {
                      return keyOf(a) == keyOf(b);
                    }))
      return false;
  }
  return true;
}
} // namespace

TEST(Schedules, AChangedList_IsRefusedOrTheSameSchedule) {
  std::uint64_t effective = 0, refused = 0, same = 0;
  const std::uint64_t made = std::max<std::uint64_t>(1, test::plansToMake() / 5);
  for (std::uint64_t seed = 1; seed <= made; ++seed) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine diags;
    if (runPipeline(plan, diags, {}).failed())
      continue;
    // As it is written.
    const FailureOr<Plan> written = ir::read(ir::print(plan), "plan.ir", diags);
    ASSERT_FALSE(written.failed()) << seed;
    ASSERT_TRUE(whatIsUnsound(*written).empty()) << seed << ' ' << whatIsUnsound(*written).front();
    for (std::uint64_t i = 0; i < 20; ++i) {
      const Plan changed = Mutation(1000 * seed + i, *written).take();
      if (sameLists(*written, changed))
        continue;
      const bool accepted = whatIsUnsound(changed).empty();
      if (accepted && equivalent(*written, changed)) {
        ++same;
        continue;
      }
      ++effective, refused += accepted ? 0 : 1;
      EXPECT_FALSE(accepted) << "plan " << seed << ", change " << i
                             << difference(*written, changed);
    }
  }
  EXPECT_GT(effective, 10 * made);
  RecordProperty("refused", std::to_string(refused) + " of " + std::to_string(effective) + ", " +
                                std::to_string(same) + " are the same schedule");
}
