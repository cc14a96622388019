//===- VerifySchedule.cpp - Per-rank schedules are complete -----------------------------------===//
#include "ir/Names.h"
#include "ir/Verify.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {

/// Number of times that one chunk ran one micro-batch.
struct Count {
  unsigned forward = 0, backward = 0, input = 0, weight = 0, recomputed = 0;
};

bool isBackward(ActionKind k) {
  return k == ActionKind::Backward || k == ActionKind::BackwardInput;
}

/// Counts by chunk and micro-batch; empty if an action is in a wrong place.
std::vector<Count> countsOf(const Plan& plan, const RankSchedule& rank,
                            std::vector<std::string>& broken) {
  const std::uint64_t chunks = plan.layout.chunks, microBatches = plan.mesh.microBatches;
  const bool inAdvance = plan.layout.recompute.inAdvance;
  // Checked before memory is allocated: a plan that was edited by hand may have any number.
  if (microBatches > rank.actions.size() || chunks > rank.actions.size()) {
    broken.push_back(fmt::format("rank {} has {} operations for {} micro-batches of {} chunks",
                                 rank.rank, rank.actions.size(), microBatches, chunks));
    return {};
  }
  std::vector<Count> counts(chunks * microBatches);
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < rank.actions.size(); ++i) {
    const ScheduledAction& op = rank.actions[i];
    if (!isChunkAction(op.kind))
      continue;
    const auto exists = [&] {
      return op.chunk < chunks && op.microBatch < microBatches &&
             plan.placement.runsMicroBatch(
                 plan.placement.stageReplicaOf(rank.rank, op.chunk).direction, op.microBatch,
                 microBatches);
    };
    if (!exists()) {
      broken.push_back(fmt::format("rank {} runs micro-batch {} of chunk {}, which does not exist",
                                   rank.rank, op.microBatch, op.chunk));
      return {};
    }
    if (rank.start[i] < end) {
      broken.push_back(fmt::format("rank {} computes twice at {} ps", rank.rank, rank.start[i]));
      return {};
    }
    end = rank.endOf(i);
    Count& count = counts[op.chunk * microBatches + op.microBatch];
    const bool begun = count.forward == 1;
    const bool ready = begun && count.recomputed == (inAdvance ? 1U : 0U);
    const char* early = nullptr;
    switch (op.kind) {
    case ActionKind::PairedForward:
      if (i + 1 == rank.actions.size() || !isBackward(rank.actions[i + 1].kind))
        broken.push_back(fmt::format("rank {} pairs the forward of micro-batch {}, chunk {} with "
                                     "no backward",
                                     rank.rank, op.microBatch, op.chunk));
      [[fallthrough]];
    case ActionKind::Forward:
      ++count.forward;
      break;
    case ActionKind::Backward:
      ++count.backward;
      early = ready ? nullptr : "backward";
      break;
    case ActionKind::BackwardInput:
      ++count.input;
      early = ready ? nullptr : "backward_input";
      break;
    case ActionKind::Recomputation:
      ++count.recomputed;
      early = begun && count.backward + count.input == 0 ? nullptr : "recomputation";
      break;
    default:
      ++count.weight;
      early = count.input == 1 ? nullptr : "backward_weight";
      break;
    }
    if (early)
      broken.push_back(fmt::format("rank {} runs {} of micro-batch {}, chunk {} too early",
                                   rank.rank, early, op.microBatch, op.chunk));
  }
  return counts;
}

void verifyRank(const Plan& plan, const RankSchedule& rank, std::vector<std::string>& broken) {
  const std::uint64_t microBatches = plan.mesh.microBatches;
  const bool inAdvance = plan.layout.recompute.inAdvance;
  const std::vector<Count> counts = countsOf(plan, rank, broken);
  for (std::uint64_t i = 0; i < counts.size(); ++i) {
    const Count& c = counts[i];
    const std::uint64_t direction =
        plan.placement.stageReplicaOf(rank.rank, i / microBatches).direction;
    if (!plan.placement.runsMicroBatch(direction, i % microBatches, microBatches))
      continue;
    const bool split = c.backward == 0 && c.input == 1 && c.weight == 1;
    const bool whole = c.backward == 1 && c.input == 0 && c.weight == 0;
    if (c.forward != 1 || !(split || whole)) {
      broken.push_back(fmt::format(
          "rank {} runs micro-batch {} of chunk {} {} times forward and {} backward", rank.rank,
          i % microBatches, i / microBatches, c.forward, c.backward + c.input));
      return;
    }
    if (const unsigned needed = inAdvance ? 1 : 0; c.recomputed != needed) {
      broken.push_back(fmt::format(
          "rank {} recomputes micro-batch {} of chunk {} {} times in advance, needed {}", rank.rank,
          i % microBatches, i / microBatches, c.recomputed, needed));
      return;
    }
  }
}

/// Checks the actions of all steps that a rank runs in one period.
void verifyRepeated(const RankSchedule& rank, std::uint64_t period,
                    std::vector<std::string>& broken) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> passes; // begin and end
  for (std::size_t i = 0; i < rank.actions.size(); ++i)
    if (isChunkAction(rank.actions[i].kind))
      passes.emplace_back(rank.start[i] % period, rank.start[i] % period + rank.duration[i]);
  std::sort(passes.begin(), passes.end());
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const bool last = i + 1 == passes.size();
    const std::uint64_t next = last ? passes.front().first + period : passes[i + 1].first;
    if (passes[i].second > next) {
      broken.push_back(fmt::format("rank {} computes in two steps at {} ps of a period of {} ps",
                                   rank.rank, next % period, period));
      return;
    }
  }
}

} // namespace

void ir::verifySchedule(const Plan& plan, std::vector<std::string>& broken) {
  const std::uint64_t stages = plan.mesh.size(Axis::Pipeline);
  if (plan.schedule.size() != stages) {
    broken.push_back(fmt::format("schedules of {} ranks, needed {}", plan.schedule.size(), stages));
    return;
  }
  for (std::size_t r = 0; r < plan.schedule.size(); ++r) {
    const RankSchedule& rank = plan.schedule[r];
    if (rank.rank != r) {
      broken.push_back(fmt::format("schedule {} belongs to rank {}", r, rank.rank));
      return;
    }
    if (rank.start.size() != rank.actions.size() || rank.duration.size() != rank.actions.size()) {
      broken.push_back(fmt::format("rank {} has {} operations and times of {}", r,
                                   rank.actions.size(), rank.start.size()));
      return;
    }
    verifyRank(plan, rank, broken);
    for (const ScheduledAction& op : rank.actions)
      if (op.kind == ActionKind::Collective && !plan.collectives.has(op.collective)) {
        broken.push_back(fmt::format("rank {} names a collective that does not exist", r));
        return;
      }
  }
  if (!broken.empty() || plan.steady.empty())
    return;
  if (plan.steady.size() > 1 || plan.steady.front().period == 0) {
    broken.push_back("steps without a flush need one period, which is not 0");
    return;
  }
  for (const RankSchedule& rank : plan.schedule)
    verifyRepeated(rank, plan.steady.front().period, broken);
}
