//===- ControllableMemory.cpp - V-shaped orders that hold a part of what 1F1B holds -----------===//
//
// Qi et al., arXiv 2405.15362, and their way to close the gaps of the beginning and the end
// (github. com/sail-sg/zero-bubble-pipeline-parallelism 39f2c18, zbv_greedy.py): the block is
// repeated every six slots, then passes move to earlier slots as far as what they need and the most
// that the rank holds allow; once with weight gradients in their slots, once with weight gradients
// wherever a slot is free.
#include "cost/schedules/ControllableMemory.h"
#include <algorithm>
#include <array>

using namespace dpl::cost;
using dpl::ir::OperationKind;

namespace {
constexpr std::int64_t blockSlots = 6;
/// Passes of a rank: down and up forward, down and up backward, weight gradients of both.
enum Pass { DownForward, UpForward, DownInput, UpInput, Weight };
constexpr int passes = 4; ///< without weight gradients

/// The slots of a rank's passes, by pass and micro-batch; weight gradients by the order in which
/// their inputs run.
using Slots = std::array<std::vector<std::int64_t>, 5>;

struct Event {
  std::int64_t slot = 0;
  std::size_t rank = 0;
  int pass = 0;
  std::size_t microBatch = 0;
  auto key() const { return std::tie(slot, rank, pass, microBatch); }
  bool operator<(const Event& o) const { return key() < o.key(); }
};

bool isInput(int pass) { return pass == DownInput || pass == UpInput; }

std::vector<Event> eventsOf(const std::vector<Slots>& ranks) {
  std::vector<Event> events;
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

/// What runs in each slot of a rank; -1 where none does.
std::vector<signed char> rowOf(const Slots& rank) {
  std::vector<signed char> row(static_cast<std::size_t>(endOf(rank)) + 1, -1);
  for (int pass = 0; pass <= Weight; ++pass)
    for (const std::int64_t slot : rank[pass])
      row[static_cast<std::size_t>(slot)] = static_cast<signed char>(pass);
  return row;
}

/// Weight gradients run where their slots are, or else wherever one is free.
std::int64_t mostHeld(const std::vector<signed char>& row, bool withWeights) {
  std::int64_t held = 0, most = 0, due = 0;
  for (const signed char pass : row) {
    if (pass == DownForward || pass == UpForward)
      ++held;
    else if (pass == Weight)
      --held;
    else if (pass >= 0)
      ++due;
    else if (!withWeights && due > 0)
      --held, --due;
    most = std::max(most, held);
  }
  return most;
}

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

/// The slot in which the latest of what a pass needs runs.
std::int64_t neededBy(const std::vector<Slots>& ranks, const Event& e) {
  const Slots& own = ranks[e.rank];
  std::int64_t slot = -1;
  if (e.pass < passes) {
    const bool down = e.pass % 2 == 0;
    if (down && e.rank > 0)
      slot = std::max(slot, ranks[e.rank - 1][e.pass][e.microBatch]);
    if (!down && e.rank + 1 < ranks.size())
      slot = std::max(slot, ranks[e.rank + 1][e.pass][e.microBatch]);
    if (e.pass > 0)
      slot = std::max(slot, own[e.pass - 1][e.microBatch]);
  } else {
    std::vector<std::int64_t> inputs = own[DownInput];
    inputs.insert(inputs.end(), own[UpInput].begin(), own[UpInput].end());
    std::nth_element(inputs.begin(), inputs.begin() + static_cast<std::ptrdiff_t>(e.microBatch),
                     inputs.end());
    slot = inputs[e.microBatch];
  }
  return e.microBatch > 0 ? std::max(slot, own[e.pass][e.microBatch - 1]) : slot;
}

/// All passes as early as their order and what they need allow, each in one slot.
void squeeze(std::vector<Slots>& ranks) {
  std::vector<std::int64_t> next(ranks.size(), 0);
  std::vector<std::size_t> weights(ranks.size(), 0);
  for (const Event& e : eventsOf(ranks)) {
    std::int64_t slot = next[e.rank];
    if (e.pass < passes)
      slot = std::max(slot, neededBy(ranks, e) + 1);
    ranks[e.rank][e.pass][e.microBatch] = slot;
    next[e.rank] = slot + 1;
  }
}

/// Moves passes of the beginning and the end to earlier slots.
void tighten(std::vector<Slots>& ranks, bool withWeights) {
  std::int64_t most = 0;
  std::vector<std::vector<signed char>> rows, settled;
  for (Slots& rank : ranks) {
    if (withWeights)
      putWeights(rank);
    rows.push_back(rowOf(rank));
    most = std::max(most, mostHeld(rows.back(), withWeights));
    settled.emplace_back(rows.back().size(), -1);
  }
  enum { Beginning, Steady, End } phase = Beginning;
  for (const Event& e : eventsOf(ranks)) {
    auto& row = rows[e.rank];
    auto& own = settled[e.rank];
    const auto at = [](std::int64_t slot) { return static_cast<std::size_t>(slot); };
    if (e.pass == UpInput && e.rank == 0 && phase == Beginning)
      phase = Steady;
    if (phase == Steady && e.pass == DownForward &&
        e.microBatch + 1 == ranks[0][DownForward].size()) {
      phase = End;
      own[at(e.slot)] = static_cast<signed char>(e.pass);
      continue;
    }
    std::int64_t slot = e.slot;
    if (phase == End || (phase == Beginning && withWeights))
      for (std::int64_t earlier = neededBy(ranks, e) + 1; earlier < e.slot; ++earlier) {
        if (own[at(earlier)] >= 0)
          continue;
        row[at(e.slot)] = -1, row[at(earlier)] = static_cast<signed char>(e.pass);
        if (mostHeld(row, withWeights) <= most) {
          slot = earlier;
          break;
        }
        row[at(earlier)] = -1, row[at(e.slot)] = static_cast<signed char>(e.pass);
      }
    ranks[e.rank][e.pass][e.microBatch] = slot;
    own[at(slot)] = static_cast<signed char>(e.pass);
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
                                   OperationLists& out) {
  std::vector<Slots> ranks(blocks.size());
  for (std::size_t rank = 0; rank < blocks.size(); ++rank)
    for (int pass = 0; pass < passes; ++pass)
      for (std::uint64_t i = 0; i < microBatches; ++i)
        ranks[rank][pass].push_back(blocks[rank][pass] + blockSlots * static_cast<std::int64_t>(i));
  tighten(ranks, true);
  tighten(ranks, false);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    std::uint32_t done[passes] = {}, due[2] = {}, weights[2] = {};
    // Down is the first chunk forward and the second one backward. Of the gradients that are due
    // those of the way down come first.
    const auto weight = [&] {
      const int way = due[0] > 0 ? 0 : 1;
      --due[way];
      out[rank].push_back(
          {OperationKind::BackwardWeight, static_cast<std::uint16_t>(1 - way), weights[way]++});
    };
    for (const signed char pass : rowOf(ranks[rank])) {
      if (pass < 0) {
        if (due[0] + due[1] > 0)
          weight();
        continue;
      }
      const int way = pass % 2;
      out[rank].push_back({isInput(pass) ? OperationKind::BackwardInput : OperationKind::Forward,
                           static_cast<std::uint16_t>(isInput(pass) ? 1 - way : way),
                           done[pass]++});
      if (isInput(pass))
        ++due[way];
    }
    while (due[0] + due[1] > 0)
      weight();
  }
}
