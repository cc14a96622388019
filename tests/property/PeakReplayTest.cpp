//===- PeakReplayTest.cpp - Peaks against a replay of the executed schedule -------------------===//
//
// Passes of random plans are replayed by the times at which they ran, one event after the other:
// what a chunk keeps is there from the start of its forward pass to the end of its last backward
// pass; what is brought back, in advance or in the first of two backward passes, from the start of
// that to the same end; what it works with while a pass runs; and gradients that are summed whole
// from the end of the chunk's first backward pass to that of its last.
#include "cost/memory/RankMemory.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include "ir/MergedProgram.h"
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::ir;

namespace {
using Count = std::uint64_t;

/// Bytes of gradients of a chunk that are summed whole; 0 where none are.
Count summedOf(const Plan& plan, const ChunkCost& chunk) {
  const Buffers& buffers = plan.layout.buffers;
  if (!buffers.hasWholeGradients || plan.layout.shard.gradients != ShardAxis::Data ||
      plan.mesh.microBatches < 2 || plan.mesh.size(Axis::Pipeline) < 2)
    return 0;
  const auto trained = [&](std::size_t kind, Count parameters) { // frozen weights have no gradient
    return static_cast<double>(parameters - (chunk.use.empty() ? 0 : chunk.use[kind].frozen));
  };
  double elements = plan.stateRanks() > 1 ? trained(0, chunk.parameters) : 0;
  const Count ofExperts =
      plan.mesh.expertAxes.empty() ? plan.stateRanks() : plan.expertStateRanks();
  elements += ofExperts > 1 ? trained(1, chunk.expertParameters) : 0;
  return static_cast<Count>(std::llround(elements * bitsOf(buffers.wholeGradients) / 8));
}

/// Bytes of sharded units while a pass of a chunk runs, and the most of any chunk of the rank,
/// which counts all along.
struct Units {
  double own = 0, most = 0;
};
Units unitsOf(const Plan& plan, std::uint64_t rank, std::uint64_t of) {
  const cost::Division division = cost::divisionOf(plan);
  Units units;
  for (const Chunk& chunk : plan.chunks) {
    if (chunk.rank != rank)
      continue;
    const double bytes = cost::GatheredParameters(plan, division).of(chunk).passing();
    units.most = std::max(units.most, bytes);
    if (chunk.chunk == of)
      units.own = bytes;
  }
  return units;
}

/// Most that passes of a rank hold at once, beside the most of its units.
Count peakOf(const Plan& plan, const RankSchedule& rank) {
  struct Event {
    std::int64_t keeps = 0, works = 0;
  };
  // What a pass leaves counts before what the next begins with at the same time.
  std::map<std::pair<Count, bool>, Event> events;
  std::map<Count, std::pair<Count, Count>> backward; // by chunk: ends of the first and the last
  for (std::size_t i = 0; i < rank.actions.size(); ++i) {
    const ScheduledAction& op = rank.actions[i];
    if (!isChunkAction(op.kind))
      continue;
    const ChunkCost& chunk = plan.costs[plan.placement.indexOf(rank.rank, op.chunk)];
    const bool first = op.kind == ActionKind::BackwardInput,
               second = op.kind == ActionKind::BackwardWeight;
    // Groups of layers come back one at a time only in a pass that is the whole way back.
    const bool isWhole = op.kind == ActionKind::Backward;
    const bool inAdvance = plan.layout.recompute.inAdvance;
    const auto kept = static_cast<std::int64_t>(chunk.activationBytes),
               restored = static_cast<std::int64_t>(chunk.restoredBytes);
    // Passes that run merged both work until both have ended, with the units of both.
    const bool merged = mergedProgram(plan, rank.rank, op),
               behind = i > 0 && mergedProgram(plan, rank.rank, rank.actions[i - 1]);
    auto working =
        static_cast<std::int64_t>(isWhole ? chunk.temporaryBytes : chunk.splitTemporaryBytes);
    if (const Units units = unitsOf(plan, rank.rank, op.chunk); !merged && !behind)
      working = std::max<std::int64_t>(0, working - std::llround(units.most - units.own));
    Event& begin = events[{rank.start[behind ? i - 1 : i], true}];
    Event& end = events[{rank.endOf(merged ? i + 1 : i), false}];
    begin.works += working, end.works -= working;
    if (isForward(op.kind))
      begin.keeps += kept;
    if (inAdvance ? op.kind == ActionKind::Recomputation : first)
      begin.keeps += restored;
    if (!isWhole && !second)
      continue;
    // A whole backward pass that recomputes drops what it brings back as it goes.
    end.keeps -= kept + (inAdvance || second ? restored : 0);
    const auto [found, fresh] =
        backward.try_emplace(op.chunk, std::make_pair(rank.endOf(i), rank.endOf(i)));
    found->second.second = rank.endOf(i);
  }
  for (const auto& [chunk, ends] : backward) {
    const Count bytes = summedOf(plan, plan.costs[plan.placement.indexOf(rank.rank, chunk)]);
    events[{ends.first, false}].keeps += static_cast<std::int64_t>(bytes);
    events[{ends.second, false}].keeps -= static_cast<std::int64_t>(bytes);
  }
  std::int64_t held = 0, most = 0;
  for (const auto& [when, event] : events) {
    held += event.keeps + event.works;
    most = std::max(most, held);
  }
  return static_cast<Count>(most);
}
} // namespace

TEST(PeakReplay, OfTheExecutedSchedule_IsThePeak) {
  Count plans = 0, ranks = 0, several = 0;
  for (Count seed = 1; seed <= test::plansToMake(); ++seed) {
    Plan plan = test::randomPlan(seed);
    DiagnosticEngine unheard;
    if (runPipeline(plan, unheard, {}).failed() ||
        !cost::scheduleInfo(plan.layout.schedule).flushed())
      continue;
    ++plans;
    for (const RankMemory& memory : plan.memory) {
      const Count beside =
          whole(cost::gatheredBytes(plan, memory.rank) + cost::bufferBytes(plan).messages());
      EXPECT_EQ(memory.activations + memory.temporary,
                peakOf(plan, plan.schedule[memory.rank]) + beside)
          << "plan " << seed << " rank " << memory.rank;
      ++ranks;
      several += memory.inFlight > 1 ? 1 : 0;
    }
    if (testing::Test::HasFailure())
      break;
  }
  EXPECT_GE(plans, test::plansToMake() * 8 / 10);
  EXPECT_GE(several, ranks / 10);
}
