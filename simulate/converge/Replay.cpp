//===- Replay.cpp - Updates in the order in which simulated workers made them -----------------===//
#include "simulate/converge/Replay.h"
#include <algorithm>
#include <deque>

using namespace dpl::converge;

namespace {
constexpr std::size_t mostKept = 20'000'000; ///< limit on elements of old parameters

/// For each recorded update, the smallest `seen` of this update and all later ones. Parameters from
/// before that are not read any more.
std::vector<std::uint32_t> oldestNeeded(llvm::ArrayRef<dpl::simulate::Update> updates) {
  std::vector<std::uint32_t> out(updates.size());
  std::uint32_t least = UINT32_MAX;
  for (std::size_t i = updates.size(); i-- > 0;)
    out[i] = least = std::min(least, updates[i].seen);
  return out;
}
} // namespace

Outcome dpl::converge::replay(const Quadratic& problem, const Method& method,
                              const ReplayRequest& request) {
  Outcome out;
  out.ending = Ending::OutOfData;
  Iterates iterates(problem, method);
  GoalCheck goal(problem, request.rejectAbove.value_or(0) + 1);
  const std::vector<std::uint32_t> needed = oldestNeeded(request.updates);
  std::vector<std::uint32_t> accepted{
      0}; // number of accepted updates among the first i recorded ones
  std::deque<Vector> versions{iterates.parameters()};
  std::uint64_t oldest = 0; // number of accepted updates before `versions.front()`
  Vector gradient;
  for (std::size_t i = 0; i < request.updates.size(); ++i) {
    const dpl::simulate::Update& update = request.updates[i];
    const std::uint64_t read = accepted[update.seen], staleness = out.updates - read;
    out.time = update.time;
    if (request.rejectAbove && staleness > *request.rejectAbove) {
      ++out.rejected;
      accepted.push_back(static_cast<std::uint32_t>(out.updates));
      continue;
    }
    for (; oldest < accepted[needed[i]]; ++oldest)
      versions.pop_front();
    iterates.gradient(versions[read - oldest], out.updates, gradient);
    iterates.apply(gradient, out.updates, staleness);
    versions.push_back(iterates.parameters());
    if (versions.size() * problem.curvatures.size() > mostKept) {
      out.ending = Ending::TooStale;
      return out;
    }
    ++out.updates, ++out.staleness[staleness];
    accepted.push_back(static_cast<std::uint32_t>(out.updates));
    if (const auto ending = goal.judge(iterates.parameters())) {
      out.ending = *ending;
      return out;
    }
    if (out.updates == problem.mostUpdates) {
      out.ending = Ending::GaveUp;
      return out;
    }
  }
  return out;
}
