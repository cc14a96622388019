#pragma once
//===- MegatronPlans.h - Small finished plans for the tests of the Megatron target ------------===//
#include "ir/Plan.h"
#include <set>

namespace dpl::test {

/// What a test plan is made from; layers are spread evenly unless `layers` lists them by chunk.
struct PlanSketch {
  std::uint64_t nodes = 1;
  std::uint64_t pipeline = 1, data = 1, context = 1, tensor = 1, replica = 1, chunks = 1;
  std::uint64_t experts = 0, expert = 1, expertTensor = 1; ///< experts 0: a dense model
  std::uint64_t layerCount = 8;
  std::vector<std::uint64_t> layers = {};
  std::uint64_t batch = 64, microBatch = 1;
  bool dataOutside = false; ///< data outside pipeline: Megatron-LM's other rank order
};

/// A complete decoder plan: rotary, gated, 16 heads with 4 key-value heads, hidden 1024, context
/// 2048.
ir::Plan planOf(const PlanSketch& sketch);

/// A legal plan with one change.
template <class Change> ir::Plan changed(const PlanSketch& sketch, Change change) {
  ir::Plan plan = planOf(sketch);
  change(plan);
  return plan;
}
/// The codes of the rules that a release refuses a plan by.
std::set<std::string> refusals(const ir::Plan& plan, const char* release);

/// The code of a rule, and a plan that only it refuses.
using MegatronRule = std::pair<const char*, ir::Plan (*)()>;
/// Of the rules about norms, positions, activations and routing; all are of every release.
std::vector<MegatronRule> megatronFactRules();
/// The rules that ended with release 0.16, and those that ended with 0.15.
std::vector<MegatronRule> megatronRulesOf016();
std::vector<MegatronRule> megatronRulesOf015();

} // namespace dpl::test
