//===- PostValidationTest.cpp - Steps that no barrier parts -----------------------------------===//
//
// An account of its own: the lists of a plan are run for several steps, each rank its steps one
// behind the other. What passes and messages take is read from the plan.
#include "cost/schedules/Schedule.h"
#include "cost/step/PlanCheck.h"
#include "ir/Arithmetic.h"
#include "tests/unit/CompiledPlan.h"
#include "tests/unit/ValueOf.h"
#include <gtest/gtest.h>
#include <map>

using namespace dpl;
using namespace dpl::ir;
using test::valueOf;

namespace {
Plan planOf(const std::string& schedule, unsigned pipeline, bool postValidation) {
  return test::completedPlan(
      "small.dpl", "import std.models\nimport std.clusters\n"
                   "cluster pod from clusters.dgx_h100 { nodes = 1 }\n"
                   "model tiny from models.gpt2_small { layers = 16, hidden = 8192, heads = 64, "
                   "vocab = 1024, tied_embeddings = false }\n"
                   "layout train for tiny on pod {\n  mesh { pipeline = " +
                       std::to_string(pipeline) + ", tensor = " + std::to_string(8 / pipeline) +
                       " }\n  batch = 16seq\n  micro_batch = 1seq\n  schedule = " + schedule +
                       "\n  post_validation = " + (postValidation ? "true" : "false") + "\n}\n");
}

/// ps between the last begins of a step on rank 0, when all ranks run so many without a barrier.
std::uint64_t period(const Plan& plan, unsigned steps) {
  const std::uint64_t message = [&] {
    for (const Collective& c : plan.collectives)
      if (c.kind == CollectiveKind::SendReceive)
        return c.time;
    return std::uint64_t{0};
  }();
  using Key = std::tuple<unsigned, bool, std::uint64_t, std::uint64_t, std::uint64_t>;
  std::map<Key, std::uint64_t> arrived; // step, forward, rank and chunk that take it, micro-batch
  const std::size_t ranks = plan.schedule.size();
  std::vector<std::uint64_t> clock(ranks, 0);
  std::vector<std::size_t> next(ranks, 0);
  std::map<std::pair<std::size_t, bool>, std::uint64_t>
      link; // by sender and whether to the next rank
  std::vector<std::uint64_t> begins;
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t r = 0; r < ranks; ++r) {
      const RankSchedule& schedule = plan.schedule[r];
      const unsigned step = static_cast<unsigned>(next[r] / schedule.actions.size());
      if (step == steps)
        continue;
      const std::size_t i = next[r] % schedule.actions.size();
      const ScheduledAction& op = schedule.actions[i];
      const Placement::ChunkLocation here{r, op.chunk};
      const bool forward = op.kind == ActionKind::Forward;
      const bool backward = op.kind == ActionKind::Backward || op.kind == ActionKind::BackwardInput;
      const auto from = forward    ? plan.placement.previous(here)
                        : backward ? plan.placement.next(here)
                                   : std::nullopt;
      if (from) {
        const auto found = arrived.find({step, forward, r, op.chunk, op.microBatch});
        if (found == arrived.end())
          continue;
        clock[r] = std::max(clock[r], found->second);
      }
      if (r == 0 && i == 0)
        begins.push_back(clock[r]);
      clock[r] += schedule.duration[i];
      const auto to = forward    ? plan.placement.next(here)
                      : backward ? plan.placement.previous(here)
                                 : std::nullopt;
      if (to) {
        std::uint64_t there = clock[r];
        if (to->rank != r) {
          std::uint64_t& free = link[{r, to->rank == r + 1}];
          there = free = std::max(free, there) + message;
        }
        arrived[{step, forward, to->rank, to->chunk, op.microBatch}] = there;
      }
      ++next[r];
      moved = true;
    }
  }
  EXPECT_EQ(begins.size(), steps);
  return begins[steps - 1] - begins[steps - 2];
}
} // namespace

TEST(PostValidation, AStepIsWhatAllRanksRepeat) {
  for (const char* schedule : {"1f1b", "zb_h2", "zb_2p", "zb_v"})
    for (const unsigned pipeline : {2U, 4U}) {
      const Plan plan = planOf(schedule, pipeline, true);
      EXPECT_NEAR(valueOf(plan, "time.schedule"), toSeconds(period(plan, 4)), 1e-12)
          << schedule << " over " << pipeline;
    }
}

TEST(PostValidation, TakesWhatTheBarrierCost) {
  for (const char* schedule : {"1f1b", "zb_h2", "zb_v"}) {
    const Plan with = planOf(schedule, 4, true), without = planOf(schedule, 4, false);
    EXPECT_LE(valueOf(with, "step_time"), valueOf(without, "step_time")) << schedule;
    EXPECT_EQ(valueOf(with, "time.makespan"), valueOf(without, "time.makespan")) << schedule;
  }
  EXPECT_LT(valueOf(planOf("zb_h2", 4, true), "step_time"),
            0.98 * valueOf(planOf("zb_h2", 4, false), "step_time"));
}

TEST(PostValidation, WithoutAFlush_ChangesNothing) {
  const Plan with = planOf("pipedream", 4, true), without = planOf("pipedream", 4, false);
  EXPECT_EQ(valueOf(with, "step_time"), valueOf(without, "step_time"));
  // Of a plan that is read no order was looked for before its times are checked.
  DiagnosticEngine diags;
  const FailureOr<Plan> read = ir::read(print(with), "small.ir", diags);
  ASSERT_FALSE(read.failed());
  EXPECT_EQ(cost::whatIsUnsound(*read), std::vector<std::string>());
}
