//===- ChangedScheduleTest.cpp - A changed list is refused, or the same schedule --------------===//
#include "cost/memory/RankMemory.h"
#include "cost/schedules/Routes.h"
#include "cost/step/PlanCheck.h"
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
        llvm::count_if(rank->actions, [](const auto& op) { return isChunkAction(op.kind); }));
  }
  std::size_t any() { return random.below(passes()); }
  void swap() {
    const std::size_t a = any(), b = random.oneIn(2) ? any() : std::min(a + 1, passes() - 1);
    std::swap(rank->actions[a], rank->actions[b]);
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
    erase(rank->actions, at), erase(rank->start, at), erase(rank->duration, at);
  }
  template <class List> static void repeat(List& list, std::size_t from, std::size_t to) {
    list.insert(list.begin() + static_cast<std::ptrdiff_t>(to), list[from]);
  }
  void duplicate() {
    const std::size_t from = any(), to = random.below(passes() + 1);
    const ScheduledAction op = rank->actions[from];
    rank->actions.insert(rank->actions.begin() + static_cast<std::ptrdiff_t>(to), op);
    // A second pass takes no time, so that no other one has to move.
    const std::uint64_t at = to == 0 ? 0 : rank->start[to - 1] + rank->duration[to - 1];
    rank->start.insert(rank->start.begin() + static_cast<std::ptrdiff_t>(to), at);
    rank->duration.insert(rank->duration.begin() + static_cast<std::ptrdiff_t>(to), 0);
  }
  void retarget() {
    ScheduledAction& op = rank->actions[any()];
    switch (random.below(3)) {
    case 0:
      op.microBatch = static_cast<std::uint32_t>(random.below(plan.mesh.microBatches + 1));
      return;
    case 1:
      op.chunk = static_cast<std::uint16_t>(random.below(plan.placement.chunks + 1));
      return;
    default:
      op.kind = static_cast<ActionKind>(random.below(Routes::kinds));
    }
  }

  Random random;
  Plan plan;
  RankSchedule* rank = nullptr;
};

using Key = std::tuple<ActionKind, std::uint16_t, std::uint32_t>;
Key keyOf(const ScheduledAction& op) { return {op.kind, op.chunk, op.microBatch}; }
/// A forward of a pair is a forward; what it makes leaves when the pair has ended.
Key passOf(const ScheduledAction& op) {
  return {op.forward() ? ActionKind::Forward : op.kind, op.chunk, op.microBatch};
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
    for (std::size_t i = 0; i < was.actions.size(); ++i) {
      before.insert(passOf(was.actions[i])), after.insert(passOf(is.actions[i]));
      const ScheduledAction& op = is.actions[i];
      if (isChunkAction(op.kind) && op.chunk < plan.placement.chunks)
        if (const Route& route = routes.of(r, op); route.output != Route::none)
          made[route.output + op.microBatch] =
              is.endOf(op.kind == ActionKind::PairedForward ? i + 1 : i);
    }
    if (before != after)
      return false;
  }
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    const RankSchedule& is = changed.schedule[r];
    std::map<std::pair<std::uint16_t, std::uint32_t>, std::uint64_t> forward, input;
    for (std::size_t i = 0; i < is.actions.size(); ++i) {
      const ScheduledAction& op = is.actions[i];
      if (!isChunkAction(op.kind))
        continue;
      const Route& route = routes.of(r, op);
      if (route.input != Route::none && made[route.input + op.microBatch] > is.start[i])
        return false;
      const std::pair of(op.chunk, op.microBatch);
      if (op.forward())
        forward[of] = is.endOf(i);
      else if (op.kind == ActionKind::BackwardWeight ? input.count(of) == 0
                                                     : forward.count(of) == 0)
        return false;
      if (op.kind == ActionKind::BackwardInput)
        input[of] = is.endOf(i);
    }
    const ChunkBytes bytes = MemoryModel(plan).bytesOf(rankChunks(plan, r));
    if (livePeak(is.actions, bytes).bytes != livePeak(plan.schedule[r].actions, bytes).bytes)
      return false;
  }
  return true;
}

/// The first operation that differs.
std::string difference(const Plan& plan, const Plan& changed) {
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    const RankSchedule &was = plan.schedule[r], &is = changed.schedule[r];
    for (std::size_t i = 0; i < std::min(was.actions.size(), is.actions.size()); ++i)
      if (keyOf(was.actions[i]) != keyOf(is.actions[i]) || was.start[i] != is.start[i])
        return fmt::format(
            ": {}, operation {} of rank {}: {} {} {} from {} for {} is {} {} {} from {} for {}",
            ir::name(plan.layout.schedule), i, r, ir::name(was.actions[i].kind),
            was.actions[i].chunk, was.actions[i].microBatch, was.start[i], was.duration[i],
            ir::name(is.actions[i].kind), is.actions[i].chunk, is.actions[i].microBatch,
            is.start[i], is.duration[i]);
  }
  return {};
}

bool sameLists(const Plan& plan, const Plan& changed) {
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    const RankSchedule &was = plan.schedule[r], &is = changed.schedule[r];
    if (was.start != is.start || was.duration != is.duration ||
        !std::equal(was.actions.begin(), was.actions.end(), is.actions.begin(), is.actions.end(),
                    [](const ScheduledAction& a, const ScheduledAction& b) {
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
