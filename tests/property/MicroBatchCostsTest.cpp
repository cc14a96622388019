//===- MicroBatchCostsTest.cpp - Unequal micro-batches, executed and by an account of its own -===//
#include "cost/execution/RankSchedules.h"
#include "cost/execution/StoredOrder.h"
#include "tests/property/RandomShape.h"
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <tuple>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;
using dpl::test::Random;
using dpl::test::RandomShape;

namespace {
ActionTime lasts(std::uint64_t ps) {
  ProgramTime body;
  body.outputsReady = body.computation = {static_cast<std::int64_t>(ps), Delay::never};
  return {body, body, body, body};
}

/// A step pass by pass: each begins when its rank is free and what it needs is there.
class Account {
public:
  Account(const RandomShape& of, const PerRankSchedules& schedules, const MicroBatchCosts& costs,
          bool overlapped)
      : of(of), lists(schedules), costs(costs), placement(of.shape.placement()),
        overlapped(overlapped) {
    begin.resize(schedules.size()), clock.resize(schedules.size()),
        links.resize(2 * schedules.size());
    for (bool moved = true; moved;) {
      moved = false;
      for (std::size_t rank = 0; rank < schedules.size(); ++rank)
        moved = step(rank) || moved;
    }
  }
  std::vector<std::vector<std::uint64_t>> begin; ///< of each pass, by rank
  std::vector<std::uint64_t> clock;

private:
  using Message = std::tuple<std::uint64_t, std::uint64_t, bool, std::uint32_t>;

  std::uint64_t takes(std::size_t rank, const ScheduledAction& op) const {
    const ChunkTime& t = of.times[placement.indexOf(rank, op.chunk).index()];
    const std::uint64_t time = op.forward()                            ? t.forward
                               : op.kind == ActionKind::Backward       ? t.backward
                               : op.kind == ActionKind::BackwardWeight ? t.weight
                               : op.kind == ActionKind::Recomputation  ? t.recompute
                                                                       : t.backward - t.weight;
    return costs.of(op.microBatch).of(time);
  }
  static bool messages(const ScheduledAction& op) {
    return op.kind != ActionKind::BackwardWeight && op.kind != ActionKind::Recomputation;
  }
  /// When what the pass needs of another chunk is there; nothing where it is not.
  std::optional<std::uint64_t> ready(std::size_t rank, const ScheduledAction& op) const {
    const Placement::ChunkLocation at{rank, op.chunk};
    const auto from = op.forward() ? placement.previous(at) : placement.next(at);
    if (!from || !messages(op))
      return 0;
    const auto found = there.find({rank, op.chunk, op.forward(), op.microBatch});
    return found == there.end() ? std::nullopt : std::optional(found->second);
  }
  void leaves(std::size_t rank, const ScheduledAction& op, std::uint64_t when) {
    const Placement::ChunkLocation at{rank, op.chunk};
    const auto to = op.forward() ? placement.next(at) : placement.previous(at);
    if (!to || !messages(op))
      return;
    if (to->rank != rank) {
      const ChunkTime& t = of.times[placement.indexOf(rank, op.chunk).index()];
      // In a ring of two ranks both neighbours are one.
      const bool ring = placement.kind == PlacementKind::Looped, two = lists.size() == 2;
      const bool on = !two   ? to->rank == (rank + 1) % lists.size()
                      : ring ? op.forward()
                             : to->rank > rank;
      std::uint64_t& free = links[2 * rank + (on ? 0 : 1)];
      when = free = std::max(free, when) + (op.forward() ? t.sendForward : t.sendBackward);
      if (!overlapped)
        clock[rank] = std::max(clock[rank], when);
    }
    there[{to->rank, to->chunk, op.forward(), op.microBatch}] = when;
  }
  bool step(std::size_t rank) {
    const ActionList& schedule = lists[rank];
    const std::size_t i = begin[rank].size();
    if (i == schedule.size())
      return false;
    const bool pair = schedule[i].kind == ActionKind::PairedForward;
    std::uint64_t now = clock[rank];
    for (std::size_t k = i; k <= i + (pair ? 1 : 0); ++k) {
      const auto at = ready(rank, schedule[k]);
      if (!at)
        return false;
      now = std::max(now, *at);
    }
    for (std::size_t k = i; k <= i + (pair ? 1 : 0); ++k)
      begin[rank].push_back(now), now += takes(rank, schedule[k]);
    clock[rank] = now;
    for (std::size_t k = i; k <= i + (pair ? 1 : 0); ++k)
      leaves(rank, schedule[k], now);
    return true;
  }

  const RandomShape& of;
  const PerRankSchedules& lists;
  const MicroBatchCosts& costs;
  const Placement placement;
  const bool overlapped;
  std::vector<std::uint64_t> links;
  std::map<Message, std::uint64_t> there;
};

std::vector<ChunkClocks> clocksOf(const RandomShape& of, const MicroBatchCosts& costs) {
  std::vector<ChunkClocks> out;
  for (const ChunkTime& t : of.times)
    for (std::size_t kind = 0; kind < costs.kinds(); ++kind) {
      const CostRatio cost = costs.ratio(kind);
      const bool split = scheduleInfo(of.shape.kind).backward != BackwardSplit::Whole;
      ChunkClocks& clocks = out.emplace_back();
      clocks.forward = lasts(cost.of(t.forward));
      clocks.backward = lasts(cost.of(split ? t.backward - t.weight : t.backward));
      clocks.weight = lasts(cost.of(t.weight)), clocks.whole = lasts(cost.of(t.backward));
      clocks.recompute = lasts(cost.of(t.recompute));
      clocks.mixed = scheduleInfo(of.shape.kind).backward == BackwardSplit::Mixed;
    }
  return out;
}
} // namespace

TEST(MicroBatchCosts, ExecutionOfEachRow_IsThatOfAnAccountOfItsOwn) {
  const std::uint64_t made = test::plansToMake();
  for (std::uint64_t seed = 1; seed <= made; ++seed) {
    RandomShape of(seed);
    Random random(~seed);
    const std::uint64_t m = of.shape.microBatches;
    std::vector<std::uint64_t> given;
    for (std::uint64_t i = 0; i < m; ++i)
      given.push_back(1 + random.below(random.oneIn(3) ? 100 : 4));
    const MicroBatchCosts costs(given);
    const bool overlapped = random.oneIn(2);
    const Placement placement = of.shape.placement();
    const PerRankSchedules schedules = perRankSchedules(of.shape, of.times);
    const std::vector<llvm::ArrayRef<ScheduledAction>> views(schedules.begin(), schedules.end());
    const std::vector<ChunkClocks> clocks = clocksOf(of, costs);
    Executor executor;
    ASSERT_TRUE(
        executor.run(placement, m, views, of.times, overlapped, clocks, {}, costs).completed);
    StoredOrder stored(placement, m, schedules, executor, costs);
    const std::vector<SweptRank> executed = stored.ranks();
    stored.sweep(of.times, overlapped, clocks);
    const Account account(of, schedules, costs, overlapped);
    for (std::size_t rank = 0; rank < schedules.size(); ++rank) {
      ASSERT_EQ(account.begin[rank].size(), schedules[rank].size()) << of.name();
      for (std::size_t i = 0; i < schedules[rank].size(); ++i)
        ASSERT_EQ(executor.start(rank, i), account.begin[rank][i])
            << of.name() << " rank " << rank << " pass " << i << " seed " << seed;
      ASSERT_EQ(executor.end(rank), account.clock[rank]) << of.name();
      ASSERT_EQ(stored.ranks()[rank].end, account.clock[rank]) << of.name();
      ASSERT_EQ(stored.ranks()[rank], executed[rank]) << of.name();
    }
  }
}
