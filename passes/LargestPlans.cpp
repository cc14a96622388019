//===- LargestPlans.cpp - The largest sizes with which a plan fits ----------------------------===//
#include "passes/MemoryFixes.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::ir;

namespace {
/// A quantity of a plan that may be increased.
struct Growth {
  std::uint64_t now = 0, unit = 1, most = 0; ///< current value, step, and limit: tried are `now`
                                             ///< plus multiples of `unit` up to `most`
  std::function<std::string(std::uint64_t)> text;
  std::function<void(Plan&, std::uint64_t)> set;
};

/// The largest value that fits, by bisection, because memory grows with the value. A plan that the
/// passes refuse does not fit.
std::optional<MemoryOutcome> largest(const Plan& plan, const Growth& growth,
                                     const AcceptsPlan& takes, TrialBudget& budget) {
  std::optional<MemoryOutcome> best;
  const auto fits = [&](std::uint64_t steps) {
    const std::uint64_t value = growth.now + steps * growth.unit;
    const PlanChange change{"", fmt::format("`{}`", growth.text(value)),
                            [&](Plan& p) { growth.set(p, value); }};
    std::optional<MemoryOutcome> out = outcomeOf(plan, {&change}, takes, budget);
    if (!out || !out->fits())
      return false;
    best = std::move(out);
    return true;
  };
  const std::uint64_t most = (growth.most - growth.now) / growth.unit;
  std::uint64_t in = 0, out = 1;
  while (out <= most && fits(out))
    in = out, out *= 2;
  out = std::min(out, most + 1);
  while (out - in > 1) {
    const std::uint64_t middle = in + (out - in) / 2;
    (fits(middle) ? in : out) = middle;
  }
  return best;
}

constexpr std::uint64_t mostTimes = 64; ///< largest factor by which a quantity may grow

/// The largest micro-batch that fits, among divisors of a replica's batch.
std::optional<MemoryOutcome> largestMicroBatch(const Plan& plan, const AcceptsPlan& takes,
                                               TrialBudget& budget) {
  const std::uint64_t now = plan.layout.microBatch, all = now * plan.mesh.microBatches;
  std::optional<MemoryOutcome> best;
  for (std::uint64_t size = now + 1; size <= std::min(all, now * mostTimes); ++size) {
    if (all % size != 0)
      continue;
    const PlanChange change = microBatchOf(plan, size);
    std::optional<MemoryOutcome> out = outcomeOf(plan, {&change}, takes, budget);
    if (out && !out->fits())
      break;
    if (out)
      best = std::move(out);
  }
  return best;
}

Growth context(const Plan& plan) {
  const std::uint64_t now = plan.model.context;
  // Each context rank has two halves of its sequence, each divided by the tensor ranks.
  const std::uint64_t part = 2 * plan.mesh.size(Axis::Context) * plan.mesh.size(Axis::Tensor);
  return {now, ceilDiv(std::max<std::uint64_t>(1, now / 16), part) * part, now * mostTimes,
          [](std::uint64_t tokens) { return fmt::format("model.context = {}tok", tokens); },
          [](Plan& p, std::uint64_t tokens) { p.model.context = tokens; }};
}

/// The growth of depth: layers are added in the longest run of equal layers, one per chunk.
Growth depth(const Plan& plan) {
  std::size_t longest = 0;
  for (std::size_t i = 0; i < plan.model.runs.size(); ++i)
    if (plan.model.runs[i].count > plan.model.runs[longest].count)
      longest = i;
  const std::uint64_t now = plan.model.layers(), run = plan.model.runs[longest].count;
  return {now, std::max<std::uint64_t>(1, plan.chunks.size()), now * mostTimes,
          [](std::uint64_t layers) { return fmt::format("model.layers = {}", layers); },
          [=](Plan& p, std::uint64_t layers) { p.model.runs[longest].count = run + layers - now; }};
}

} // namespace

MemoryOutcomes dpl::largestThatFit(const Plan& plan, const AcceptsPlan& takes) {
  TrialBudget budget;
  MemoryOutcomes all;
  const auto add = [&](std::optional<MemoryOutcome> out) {
    if (out)
      all.found.push_back(std::move(*out));
  };
  add(largestMicroBatch(plan, takes, budget));
  if (!plan.model.isLayerList() && plan.layout.split != SplitKind::Listed) {
    add(largest(plan, context(plan), takes, budget));
    add(largest(plan, depth(plan), takes, budget));
  } // a layer list or a listed split fixes the number of layers
  all.all = !budget.spent();
  return all;
}
