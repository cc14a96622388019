#pragma once
//===- FollowThePlan.h - What executes a plan executes what it says ---------------------------===//
#include "cost/execution/StepSweep.h"
#include "cost/step/Timeline.h"
#include "simulate/plan/Simulation.h"
#include <gtest/gtest.h>
#include <vector>

namespace dpl::test {

/// A simulated step takes what the plan says, and so does the compute of each operation in the
/// trace.
inline void simulationAndTraceFollow(const ir::Plan& plan) {
  EXPECT_FALSE(plan.schedule.empty());
  EXPECT_EQ(simulation::runSteps(plan, {}).steady, cost::endOfSchedule(plan));
  for (const ir::RankSchedule& rank : plan.schedule) {
    std::vector<std::uint64_t> compute(rank.actions.size());
    cost::visitSegments(plan, rank.rank, [&](const cost::ExecutedSegment& s) {
      compute[s.action.index()] += s.end - s.begin;
    });
    for (std::size_t i = 0; i < compute.size(); ++i)
      EXPECT_EQ(compute[i], rank.duration[i]) << rank.rank << ' ' << i;
  }
}

} // namespace dpl::test
