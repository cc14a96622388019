#pragma once
//===- ChangedPlans.h - Random plans, as they are made and as the passes complete them --------===//
#include "passes/Pass.h"
#include "tests/property/RandomPlan.h"
#include <gtest/gtest.h>

namespace dpl::test {

/// Whether the passes accept the plan, which they complete.
inline bool complete(ir::Plan& plan) {
  DiagnosticEngine unheard;
  return runPipeline(plan, unheard, {}).succeeded();
}

/// Calls `check(seed, as made, completed)` for each plan that the passes accept.
template <class F> void forEachPlan(F check) {
  std::uint64_t legal = 0, made = plansToMake();
  for (std::uint64_t seed = 1; seed <= made; ++seed) {
    const ir::Plan plan = randomPlan(seed);
    ir::Plan done = plan;
    if (!complete(done))
      continue;
    ++legal;
    check(seed, plan, done);
    if (testing::Test::HasFailure())
      return;
  }
  EXPECT_GE(legal * 10, made * 9) << "the maker is to make legal plans";
}

/// A change of a plan that has not been completed.
struct Change {
  const char* name;
  void (*apply)(ir::Plan&);
};

} // namespace dpl::test
