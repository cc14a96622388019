//===- AutoMicroBatch.cpp - `micro_batch = auto`: the size with the fastest step
//------------------===//
#include "planner/AutoMicroBatch.h"
#include "cost/step/StepTimes.h"
#include "passes/Passes.h"
#include <algorithm>
#include <optional>

using namespace dpl;
using namespace dpl::planner;

namespace {
/// A size of micro-batches.
struct Sized {
  bool fits = false;
  double step = 0;
  std::uint64_t peak = 0; ///< bytes of the fullest rank
  bool betterThan(const Sized& other) const {
    constexpr double alike = 1e-9;
    if (fits != other.fits)
      return fits;
    return fits ? step <= other.step * (1 + alike) : peak < other.peak;
  }
};

/// The plan with this size; none if it is not legal.
std::optional<Sized> withSize(const ir::Plan& from, std::uint64_t size) {
  ir::Plan plan = from;
  plan.assertions.clear(), plan.runs.clear(), plan.launches.clear(), plan.spaces.clear();
  plan.layout.microBatch = size;
  DiagnosticEngine silent;
  if (runThrough(plan, silent, "schedule-pipeline").failed())
    return std::nullopt;
  Sized out;
  out.fits = createCheckMemoryPass()->run(plan, silent).succeeded();
  out.step = cost::stepTimes(plan).step;
  for (const ir::RankMemory& rank : plan.memory)
    out.peak = std::max(out.peak, rank.peak());
  return out;
}
} // namespace

std::vector<std::uint64_t> planner::microBatchSizes(std::uint64_t share) {
  constexpr std::size_t most = 24;
  std::vector<std::uint64_t> all, powers;
  for (std::uint64_t size = 1; size <= share / size; ++size)
    if (share % size == 0) {
      all.push_back(size);
      if (size != share / size)
        all.push_back(share / size);
    }
  std::sort(all.begin(), all.end());
  for (const std::uint64_t size : all)
    if ((size & (size - 1)) == 0)
      powers.push_back(size);
  return all.size() <= most ? all : powers;
}

void planner::chooseMicroBatch(ir::Plan& plan) {
  if (!plan.layout.microBatchAutomatic)
    return;
  plan.layout.microBatchAutomatic = false;
  ir::Plan resolved = plan;
  DiagnosticEngine silent;
  if (runThrough(resolved, silent, "resolve-mesh").failed())
    return;
  const std::uint64_t ranks = resolved.mesh.dataRanks();
  if (ranks == 0 || plan.layout.batch % ranks != 0)
    return;
  std::optional<Sized> best;
  for (const std::uint64_t size : microBatchSizes(plan.layout.batch / ranks))
    if (const std::optional<Sized> sized = withSize(plan, size);
        sized && (!best || sized->betterThan(*best)))
      plan.layout.microBatch = size, best = sized;
}
