//===- StepWaits.cpp - The critical path of a step over its ranks -----------------------------===//
#include "simulate/plan/StepWaits.h"
#include <algorithm>

using namespace dpl::simulation;

std::vector<PathPart> dpl::simulation::criticalPath(const StepWaits& waits, std::uint32_t last,
                                                    std::uint64_t begin, std::uint64_t end) {
  std::vector<PathPart> path; // in reverse order of time
  const auto add = [&](PathPart part) {
    part.from = std::max(part.from, begin);
    if (part.from >= part.to)
      return;
    if (!path.empty() && path.back().rank == part.rank && path.back().computes == part.computes &&
        path.back().what == part.what)
      path.back().from = part.from;
    else
      path.push_back(part);
  };
  // Number of waits of each rank that can still be on the path; later waits are not.
  std::vector<std::size_t> left(waits.ranks());
  for (std::uint32_t unit = 0; unit < waits.ranks(); ++unit)
    left[unit] = waits.of(unit).size();
  std::uint32_t unit = last;
  std::uint64_t at = end;
  while (at > begin) {
    const std::vector<StepWait>& before = waits.of(unit);
    while (left[unit] > 0 && before[left[unit] - 1].until > at)
      --left[unit];
    if (left[unit] == 0) {
      add({unit, true, WaitFor::Message, 0, at});
      break;
    }
    const StepWait& wait = before[--left[unit]];
    add({unit, true, WaitFor::Message, wait.until, at});
    add({wait.cause, false, wait.what, wait.since, wait.until});
    unit = wait.cause, at = wait.since;
  }
  std::reverse(path.begin(), path.end());
  for (PathPart& part : path)
    part.from -= begin, part.to -= begin;
  return path;
}
