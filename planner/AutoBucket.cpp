//===- AutoBucket.cpp - `gradient_bucket_size = auto`: the size with the fastest step ---------===//
#include "planner/AutoBucket.h"
#include "cost/step/StepTimes.h"
#include "ir/Limits.h"
#include "passes/Passes.h"
#include <optional>

using namespace dpl;
using namespace dpl::planner;

namespace {
/// The plan with one bucket size after the passes up to its memory; none if it is not legal.
/// Assertions, runs, launches and search spaces are removed.
struct Sized {
  explicit Sized(const ir::Plan& from) : plan(from) {
    plan.assertions.clear(), plan.runs.clear(), plan.launches.clear(), plan.spaces.clear();
  }
  std::optional<double> step(std::uint64_t bytes) {
    plan.layout.gradientBucket = bytes;
    DiagnosticEngine silent;
    made = plan;
    if (runThrough(made, silent, "schedule-pipeline").failed())
      return std::nullopt;
    fits = createCheckMemoryPass()->run(made, silent).succeeded();
    return cost::stepTimes(made).step;
  }
  ir::Plan plan, made;
  bool fits = false;
};
} // namespace

std::vector<std::uint64_t> planner::bucketSizes(const ir::Plan& plan) {
  std::uint64_t largest = 0, smallest = UINT64_MAX;
  for (const ir::Collective& c : plan.collectives)
    if (c.purpose == ir::CollectivePurpose::GradientReduce && c.count > 0) {
      smallest = std::min(smallest, c.bytes);
      largest = std::max(largest, c.bytes * c.count);
    }
  std::vector<std::uint64_t> sizes;
  for (std::uint64_t size = ir::leastBucket; size < 2 * largest; size *= 2)
    if (size >= smallest / 4)
      sizes.push_back(size);
  return sizes;
}

void planner::chooseBucket(ir::Plan& plan) {
  if (!plan.layout.bucketAutomatic)
    return;
  plan.layout.bucketAutomatic = false;
  Sized sized(plan);
  std::optional<double> least = sized.step(0);
  if (!least)
    return;
  bool fits = sized.fits;
  for (const std::uint64_t size : bucketSizes(sized.made)) {
    const std::optional<double> step = sized.step(size);
    if (step && sized.fits >= fits && (sized.fits > fits || *step < *least))
      plan.layout.gradientBucket = size, least = step, fits = sized.fits;
  }
}
