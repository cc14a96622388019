//===- ControllableMemory.cpp - V-shaped schedules with less memory than 1F1B -----------------===//
//
// These are the schedules of Qi et al., arXiv 2405.15362, with their method to close the gaps at
// both ends (github.com/sail-sg/zero-bubble-pipeline-parallelism 39f2c18, zbv_greedy.py). The block
// is repeated every six slots. Then actions move to earlier slots, as far as dependencies and the
// peak of in-flight micro-batches allow: once with weight gradients in fixed slots, once with
// weight gradients in any free slot.
#include "cost/schedules/ControllableMemory.h"
#include <algorithm>
#include <array>

using namespace dpl::cost;
using dpl::ir::ActionKind;

namespace {
constexpr std::int64_t blockSlots = 6;
/// Actions of a rank: forward passes and input gradients on the way down (rank 0 to the last rank)
/// and up, and weight gradients of both.
enum SlotAction { DownForward, UpForward, DownInput, UpInput, Weight };
constexpr int slotActions = 4; ///< number of kinds without weight gradients

/// The slots of a rank's actions, by kind and micro-batch. Weight gradients are in the order of
/// their input gradients.
using Slots = std::array<std::vector<std::int64_t>, 5>;

struct SlotEvent {
  std::int64_t slot = 0;
  std::size_t rank = 0;
  int action = 0;
  std::size_t microBatch = 0;
  auto key() const { return std::tie(slot, rank, action, microBatch); }
  bool operator<(const SlotEvent& o) const { return key() < o.key(); }
};

bool isInput(int pass) { return pass == DownInput || pass == UpInput; }

std::vector<SlotEvent> eventsOf(const std::vector<Slots>& ranks) {
  std::vector<SlotEvent> events;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    for (int pass = 0; pass <= Weight; ++pass)
      for (std::size_t i = 0; i < ranks[rank][pass].size(); ++i)
        events.push_back({ranks[rank][pass][i], rank, pass, i});
  std::sort(events.begin(), events.end());
  return events;
}

std::int64_t endOf(const Slots& rank) {
  std::int64_t end = 0;
  for (const auto& of : rank)
    if (!of.empty())
      end = std::max(end, of.back());
  return end;
}

/// The action in each slot of a rank; -1 for an empty slot.
std::vector<signed char> rowOf(const Slots& rank) {
  std::vector<signed char> row(static_cast<std::size_t>(endOf(rank)) + 1, -1);
  for (int pass = 0; pass <= Weight; ++pass)
    for (const std::int64_t slot : rank[pass])
      row[static_cast<std::size_t>(slot)] = static_cast<signed char>(pass);
  return row;
}

/// In-flight micro-batches of a rank by slot. Weight gradients run in their slots (`withWeights`)
/// or in any free one.
class InFlightRow {
public:
  InFlightRow(const Slots& rank, bool withWeights) : row(rowOf(rank)), withWeights(withWeights) {
    states.reserve(row.size() + 1);
    states.emplace_back();
    for (const signed char pass : row)
      states.push_back(after(states.back(), pass));
  }
  std::size_t slots() const { return row.size(); }
  std::int64_t most() const {
    return std::max_element(
               states.begin(), states.end(),
               [](const SlotState& a, const SlotState& b) { return a.inFlight < b.inFlight; })
        ->inFlight;
  }
  /// Moves an action to an earlier free slot, unless more than `most` micro-batches would then be
  /// in flight.
  bool move(std::size_t from, std::size_t to, std::int64_t most) {
    std::swap(row[from], row[to]);
    SlotState state = states[to];
    std::size_t end = to; // nothing changes from here on
    for (; end < row.size() && (end <= from || !(state == states[end])); ++end)
      if (state = after(state, row[end]); state.inFlight > most) {
        std::swap(row[from], row[to]);
        return false;
      }
    for (std::size_t slot = to; slot < end; ++slot)
      states[slot + 1] = after(states[slot], row[slot]);
    return true;
  }

private:
  struct SlotState {
    std::int32_t inFlight = 0, due = 0;
    bool operator==(const SlotState& o) const { return inFlight == o.inFlight && due == o.due; }
  };
  SlotState after(SlotState before, signed char pass) const {
    if (pass == DownForward || pass == UpForward)
      ++before.inFlight;
    else if (pass == Weight)
      --before.inFlight;
    else if (pass >= 0)
      ++before.due;
    else if (!withWeights && before.due > 0)
      --before.inFlight, --before.due;
    return before;
  }
  std::vector<signed char> row;
  std::vector<SlotState> states; ///< before each slot, and after the last
  bool withWeights;
};

void putWeights(Slots& rank) {
  rank[Weight].clear();
  std::int64_t due = 0, slot = 0;
  for (const signed char pass : rowOf(rank)) {
    if (pass >= 0)
      due += isInput(pass) ? 1 : 0;
    else if (due > 0)
      rank[Weight].push_back(slot), --due;
    ++slot;
  }
  for (; due > 0; --due)
    rank[Weight].push_back(slot++);
}

/// The latest slot of the inputs of an action. `inputs` are the slots of the rank's earlier input
/// gradients, in order; weight gradient i needs input gradient i.
std::int64_t neededBy(const std::vector<Slots>& ranks, const SlotEvent& e,
                      const std::vector<std::int64_t>& inputs) {
  const Slots& own = ranks[e.rank];
  std::int64_t slot = -1;
  if (e.action < slotActions) {
    const bool down = e.action % 2 == 0;
    if (down && e.rank > 0)
      slot = std::max(slot, ranks[e.rank - 1][e.action][e.microBatch]);
    if (!down && e.rank + 1 < ranks.size())
      slot = std::max(slot, ranks[e.rank + 1][e.action][e.microBatch]);
    if (e.action > 0)
      slot = std::max(slot, own[e.action - 1][e.microBatch]);
  } else {
    slot = inputs[e.microBatch];
  }
  return e.microBatch > 0 ? std::max(slot, own[e.action][e.microBatch - 1]) : slot;
}

/// Moves all actions as early as their order and inputs allow, one per slot.
void squeeze(std::vector<Slots>& ranks) {
  std::vector<std::int64_t> next(ranks.size(), 0);
  std::vector<std::size_t> weights(ranks.size(), 0);
  for (const SlotEvent& e : eventsOf(ranks)) {
    std::int64_t slot = next[e.rank];
    if (e.action < slotActions)
      slot = std::max(slot, neededBy(ranks, e, {}) + 1);
    ranks[e.rank][e.action][e.microBatch] = slot;
    next[e.rank] = slot + 1;
  }
}

/// Moves actions of the warm-up and the cool-down to earlier slots.
void tighten(std::vector<Slots>& ranks, bool withWeights) {
  std::int64_t most = 0;
  std::vector<InFlightRow> rows;
  std::vector<std::vector<signed char>> settled;
  // For each rank the slots of the input gradients that are already placed, in rising order.
  std::vector<std::vector<std::int64_t>> inputs(ranks.size());
  for (Slots& rank : ranks) {
    if (withWeights)
      putWeights(rank);
    rows.emplace_back(rank, withWeights);
    most = std::max(most, rows.back().most());
    settled.emplace_back(rows.back().slots(), -1);
  }
  enum { Beginning, Steady, End } phase = Beginning;
  for (const SlotEvent& e : eventsOf(ranks)) {
    auto& own = settled[e.rank];
    const auto at = [](std::int64_t slot) { return static_cast<std::size_t>(slot); };
    if (e.action == UpInput && e.rank == 0 && phase == Beginning)
      phase = Steady;
    if (phase == Steady && e.action == DownForward &&
        e.microBatch + 1 == ranks[0][DownForward].size()) {
      phase = End;
      own[at(e.slot)] = static_cast<signed char>(e.action);
      continue;
    }
    std::int64_t slot = e.slot;
    if (phase == End || (phase == Beginning && withWeights)) {
      slot = std::min(e.slot, neededBy(ranks, e, inputs[e.rank]) + 1);
      while (slot < e.slot &&
             (own[at(slot)] >= 0 || !rows[e.rank].move(at(e.slot), at(slot), most)))
        ++slot;
    }
    ranks[e.rank][e.action][e.microBatch] = slot;
    own[at(slot)] = static_cast<signed char>(e.action);
    if (withWeights && isInput(e.action)) {
      auto& known = inputs[e.rank];
      known.insert(std::upper_bound(known.begin(), known.end(), slot), slot);
    }
  }
  if (!withWeights)
    for (Slots& rank : ranks)
      putWeights(rank);
  squeeze(ranks);
  for (Slots& rank : ranks)
    rank[Weight].clear();
}
} // namespace

ScheduleRule dpl::cost::needsPipeline(const PipelineShape& shape) {
  return shape.ranks == 1 ? ScheduleRule::NeedsPipeline : ScheduleRule::Legal;
}

void dpl::cost::generateFromBlocks(llvm::ArrayRef<BuildingBlock> blocks, std::uint64_t microBatches,
                                   PerRankSchedules& out) {
  std::vector<Slots> ranks(blocks.size());
  for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    for (int pass = 0; pass < slotActions; ++pass)
      for (std::uint64_t i = 0; i < microBatches; ++i)
        ranks[rank][pass].push_back(blocks[rank][pass] + blockSlots * static_cast<std::int64_t>(i));
  tighten(ranks, true);
  tighten(ranks, false);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::uint32_t done[slotActions] = {}, due[2] = {}, weights[2] = {};
    // Down is the first chunk in the forward pass and the second one in the backward pass. Weight
    // gradients of the down direction come first.
    const auto weight = [&] {
      const int way = due[0] > 0 ? 0 : 1;
      --due[way];
      out[rank].push_back(
          {ActionKind::BackwardWeight, static_cast<std::uint16_t>(1 - way), weights[way]++});
    };
    for (const signed char pass : rowOf(ranks[rank])) {
      if (pass < 0) {
        if (due[0] + due[1] > 0)
          weight();
        continue;
      }
      const int way = pass % 2;
      out[rank].push_back({isInput(pass) ? ActionKind::BackwardInput : ActionKind::Forward,
                           static_cast<std::uint16_t>(isInput(pass) ? 1 - way : way),
                           done[pass]++});
      if (isInput(pass))
        ++due[way];
    }
    while (due[0] + due[1] > 0)
      weight();
  }
}
