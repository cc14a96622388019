//===- StepRecord.cpp - The times of each worker's reads, updates and steps -------------------===//
#include "simulate/engine/StepRecord.h"
#include <algorithm>

using namespace dpl::simulate;

namespace {
/// The number of sequences of steps that show the variation of the pace.
constexpr std::uint64_t mostRuns = 20;
} // namespace

StepRecord::StepRecord(const Workers& of)
    : workers(of.workers), steps(of.steps), apart(of.apart), read(steps * std::size_t{workers}),
      updated(read.size()), ended(read.size()), slowest(steps), waited(workers), heldUp(steps),
      keepsUpdates(of.keepsUpdates) {}

void StepRecord::waits(std::uint32_t step, std::uint32_t worker, double time) {
  waited[worker] += time;
  if (time > 0)
    heldUp = std::min(heldUp, step);
}

WorkersTime StepRecord::summary() const {
  WorkersTime out;
  // The mean step is taken from the first step in which a worker waited for the bound, because
  // until then workers have independent paces. If that is more than half of the run, all steps are
  // used.
  const std::uint32_t from = heldUp < steps / 2 ? heldUp + 1 : 0;
  out.step = pace(from, steps);
  for (std::uint32_t worker = 0; worker < workers; ++worker)
    out.waiting += waited[worker] / ended[at(steps - 1, worker)] / workers;
  const auto runs = static_cast<std::uint32_t>(
      std::min(mostRuns, (steps - from) / std::max(2UL, batchLength(apart))));
  if (runs >= 2) {
    const std::uint32_t length = (steps - from) / runs;
    for (std::uint32_t i = 0; i < runs; ++i)
      out.batches.push_back(pace(from + length * i, from + length * (i + 1)));
  } else {
    out.batches = {out.step};
  }
  out.parts = timesOfAll(from);
  if (out.parts.empty())
    out.parts = {out.step};
  out.updates = updates();
  for (std::size_t i = 0; i < out.updates.size(); ++i)
    out.ages.push_back(static_cast<double>(i) - static_cast<double>(out.updates[i].seen));
  if (!keepsUpdates)
    out.updates.clear(), out.updates.shrink_to_fit();
  // After the last update of the first worker that finishes, the other workers update the
  // parameters without it. Those updates are left out.
  const double until = *std::min_element(updated.end() - workers, updated.end());
  while (!out.updates.empty() && out.updates.back().time > until)
    out.updates.pop_back();
  return out;
}

/// The mean step time of all workers between two steps. The rates of workers add up.
double StepRecord::pace(std::uint32_t first, std::uint32_t last) const {
  double rate = 0;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    const double begin = first > 0 ? ended[at(first - 1, worker)] : 0;
    rate += (last - first) / (ended[at(last - 1, worker)] - begin);
  }
  return workers / rate;
}

/// Lengths of intervals in which as many steps end as there are workers, from the end of step
/// `from` until the first worker finishes. With barriers these are the times between two barriers.
std::vector<double> StepRecord::timesOfAll(std::uint32_t from) const {
  std::vector<double> ends = ended;
  std::sort(ends.begin(), ends.end());
  const auto until = [&](double time) {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), time) -
                                    ends.begin());
  };
  // The first interval begins when no earlier step is in progress.
  std::size_t next = from > 0 ? until(slowest[from - 1]) : workers;
  double before = ends[next - 1];
  std::vector<double> out;
  const std::size_t all = until(*std::min_element(ended.end() - workers, ended.end()));
  for (; next + workers <= all; next += workers) {
    out.push_back(ends[next + workers - 1] - before);
    before = ends[next + workers - 1];
  }
  return out;
}

std::vector<double> dpl::simulate::acceptedAges(llvm::ArrayRef<Update> updates,
                                                std::uint64_t bound) {
  std::vector<std::uint64_t> accepted{0}; // accepted updates among the first i
  std::vector<double> out;
  for (const Update& update : updates) {
    const std::uint64_t age = accepted.back() - accepted[update.seen];
    if (age <= bound)
      out.push_back(static_cast<double>(age));
    accepted.push_back(out.size());
  }
  return out;
}

double dpl::simulate::rejectedShare(llvm::ArrayRef<Update> updates, std::uint64_t bound) {
  const double all = static_cast<double>(updates.size()),
               accepted = static_cast<double>(acceptedAges(updates, bound).size());
  return all > 0 ? 1 - accepted / all : 0;
}

std::vector<Update> StepRecord::updates() const {
  std::vector<std::uint32_t> order(updated.size()), place(updated.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return updated[a] != updated[b] ? updated[a] < updated[b] : a % workers < b % workers;
  });
  std::vector<double> times;
  for (std::uint32_t i = 0; i < order.size(); ++i)
    place[order[i]] = i, times.push_back(updated[order[i]]);
  std::vector<Update> out;
  for (const std::uint32_t i : order) {
    // A worker that updates and immediately continues reads its own update. Of other updates at
    // that time it reads those that are earlier in the order.
    const bool atOnce = i >= workers && read[i] == updated[i - workers];
    const auto seen = atOnce
                          ? place[i - workers] + 1
                          : std::upper_bound(times.begin(), times.end(), read[i]) - times.begin();
    out.push_back({updated[i], i % workers, static_cast<std::uint32_t>(seen)});
  }
  return out;
}
