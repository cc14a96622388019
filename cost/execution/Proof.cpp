//===- Proof.cpp - Proves that a schedule cannot hang -----------------------------------------===//
#include "cost/execution/Proof.h"
#include "support/Text.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
OrderFlaw outOfSendOrder(const Placement& placement, const OrderFlaw::RankAction& sender,
                         const OrderFlaw::RankAction& receiver) {
  return {OrderFlaw::FlawKind::OutOfSendOrder,
          fmt::format("rank {} sends the {} where rank {} receives the {}", sender.rank,
                      messageText(placement, sender.rank, sender.action, false), receiver.rank,
                      messageText(placement, receiver.rank, receiver.action, true)),
          {sender, receiver}};
}

/// Finds the first message of a link that is received out of send order. Activations and gradients
/// on a link are separate orders.
OrderFlaw linkOrder(const Placement& placement, std::uint64_t microBatches,
                    Executor::PerRankScheduleRefs lists) {
  const Routes routes(placement, microBatches);
  const auto orderOf = [](std::uint32_t link, const ScheduledAction& op) {
    return 2 * link + (op.forward() ? 0 : 1);
  };
  // The number of earlier messages on the same link, by message.
  std::vector<std::uint32_t> turn(routes.messages(), UINT32_MAX);
  std::vector<std::uint32_t> sent(4 * placement.ranks, 0), taken(4 * placement.ranks, 0);
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledAction& op : lists[rank])
      if (const Route& route = routes.of(rank, op); route.sends())
        turn[route.output + op.microBatch] = sent[orderOf(route.outputLink, op)]++;
  const auto nextOn = [&](std::uint32_t order) {
    for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
      for (const ScheduledAction& op : lists[rank])
        if (const Route& route = routes.of(rank, op);
            route.sends() && orderOf(route.outputLink, op) == order &&
            turn[route.output + op.microBatch] == taken[order])
          return OrderFlaw::RankAction{rank, op};
    return OrderFlaw::RankAction{};
  };
  for (std::uint64_t rank = 0; rank < lists.size(); ++rank)
    for (const ScheduledAction& op : lists[rank]) {
      const Route& route = routes.of(rank, op);
      if (!route.receives())
        continue;
      const std::uint32_t order = orderOf(route.inputLink, op);
      if (turn[route.input + op.microBatch] != taken[order])
        return outOfSendOrder(placement, nextOn(order), {rank, op});
      ++taken[order];
    }
  return {};
}

OrderFlaw endless(const Placement& placement, const std::vector<Waiting>& waiting,
                  const char* where) {
  OrderFlaw flaw{OrderFlaw::FlawKind::Endless, describe(placement, waiting) + where, {}};
  for (const Waiting& w : waiting)
    flaw.actions.push_back({w.rank, w.action});
  return flaw;
}

/// Whether the schedule begins with a forward pass, and its backward passes begin with one that
/// sends a gradient. Implementations that post receives after actions of the same direction rely on
/// this.
bool beginsInOrder(llvm::ArrayRef<ScheduledAction> schedule) {
  bool ran = false; // a forward pass has run
  for (const ScheduledAction& op : schedule) {
    if (op.kind == ActionKind::Recomputation)
      continue;
    if (!op.forward())
      return ran && relaysMessage(op.kind);
    ran = true;
  }
  return true;
}

/// Sound schedules of the last plans on this thread, with their orders. The plans of a study or of
/// a client often have equal schedules and other times.
class SoundSchedules {
public:
  struct Key {
    ScheduleKind kind{};
    PlacementKind placement{};
    std::uint64_t chunks = 0, microBatches = 0;
    bool operator==(const Key&) const = default;
  };
  /// The order of equal schedules; null if they are not known.
  const std::vector<ActionRun>* find(const Key& key, Executor::PerRankScheduleRefs of) const {
    for (const Known& known : table)
      if (known.key == key &&
          std::equal(known.schedules.begin(), known.schedules.end(), of.begin(), of.end(),
                     [](const auto& one, const auto& other) { return other.equals(one); }))
        return &known.order;
    return nullptr;
  }
  void add(const Key& key, Executor::PerRankScheduleRefs of, llvm::ArrayRef<ActionRun> order) {
    std::size_t actions = 0;
    for (const llvm::ArrayRef<ScheduledAction> schedule : of)
      actions += schedule.size();
    if (actions > mostActions)
      return;
    Known& known = table[next++ % table.size()];
    known.key = key, known.order = order.vec();
    known.schedules.clear();
    for (const llvm::ArrayRef<ScheduledAction> schedule : of)
      known.schedules.push_back(schedule.vec());
  }

private:
  struct Known {
    Key key;
    std::vector<std::vector<ScheduledAction>> schedules; ///< by rank
    std::vector<ActionRun> order;
  };
  static constexpr std::size_t mostActions = 16384; ///< longer schedules are not kept
  std::array<Known, 24> table;
  std::size_t next = 0;
};
} // namespace

std::vector<llvm::ArrayRef<ScheduledAction>> dpl::cost::actionsOf(const Plan& plan) {
  std::vector<llvm::ArrayRef<ScheduledAction>> schedules;
  for (const RankSchedule& rank : plan.schedule) {
    std::size_t passes = 0;
    while (passes < rank.actions.size() && isChunkAction(rank.actions[passes].kind))
      ++passes;
    schedules.emplace_back(rank.actions.data(), passes);
  }
  return schedules;
}

OrderFlaw Proof::flawOf(ScheduleKind kind, const Placement& placement, std::uint64_t microBatches,
                        Executor::PerRankScheduleRefs schedules) {
  const std::vector<ChunkTime> noTimes(placement.stageReplicas());
  return flawOf(kind, placement, microBatches, schedules, untimedExecutor,
                [&](llvm::ArrayRef<ActionRun> order) {
                  return !order.empty() || untimedExecutor
                                               .run(placement, microBatches, schedules, noTimes,
                                                    true, {}, {}, {}, true)
                                               .completed;
                });
}

OrderFlaw Proof::flawOf(ScheduleKind kind, const Placement& placement, std::uint64_t microBatches,
                        Executor::PerRankScheduleRefs schedules, const Executor& executor,
                        Execute execute) {
  Exchanges& exchanges = *scheduleInfo(kind).exchanges;
  // If receives are posted with actions only, an action runs as early as with buffered sends.
  if (waitsInActionsOnly(exchanges) && llvm::all_of(schedules, beginsInOrder) && execute({}) &&
      executor.inSendOrder()) {
    found = executor.order();
    return {};
  }
  static thread_local SoundSchedules known;
  const SoundSchedules::Key key{kind, placement.kind, placement.chunks, microBatches};
  const std::vector<ActionRun>* order = known.find(key, schedules);
  // A schedule that completes in groups also completes with buffered sends.
  if (order || groups.run(placement, microBatches, schedules, exchanges)) {
    found = order ? llvm::makeArrayRef(*order) : groups.order();
    (void)execute(found);
    if (!order)
      known.add(key, schedules, found);
    return {};
  }
  const std::vector<ChunkTime> noTimes(placement.stageReplicas());
  const Execution& run = untimedExecutor.run(placement, microBatches, schedules, noTimes, true);
  if (!run.completed)
    return endless(placement, run.waiting, "");
  // A message out of order may hang before it is received.
  if (OrderFlaw flaw = linkOrder(placement, microBatches, schedules); !flaw.text.empty())
    return flaw;
  return endless(placement, groups.waiting(), ", in the groups in which the schedule sends");
}

/// A micro-batch is in flight from its forward pass to its last backward action, as in the memory
/// model.
OrderFlaw dpl::cost::aboveLimit(const Layout& layout, Executor::PerRankScheduleRefs schedules) {
  for (std::uint64_t rank = 0; layout.inFlight > 0 && rank < schedules.size(); ++rank) {
    std::uint64_t held = 0; // in-flight micro-batches of all chunks
    for (const ScheduledAction& op : schedules[rank]) {
      if (op.forward() && ++held > layout.inFlight * layout.chunks)
        return {OrderFlaw::FlawKind::TooManyInFlight,
                fmt::format("rank {} holds more than {} with micro-batch {}", rank,
                            plural(layout.inFlight, "micro-batch"), op.microBatch),
                {{rank, op}}};
      if (op.kind == ActionKind::Backward || op.kind == ActionKind::BackwardWeight)
        --held;
    }
  }
  return {};
}

std::string dpl::cost::whatBreaks(const Plan& plan) {
  const std::vector<llvm::ArrayRef<ScheduledAction>> schedules = actionsOf(plan);
  std::string text =
      Proof().flawOf(plan.layout.schedule, plan.placement, plan.mesh.microBatches, schedules).text;
  return text.empty() ? aboveLimit(plan.layout, schedules).text : text;
}

std::string dpl::cost::serialWait(const Plan& plan) {
  GroupedRun serial;
  return serial.run(plan.placement, plan.mesh.microBatches, actionsOf(plan), blockingSendReceive)
             ? ""
             : describe(plan.placement, serial.waiting());
}
