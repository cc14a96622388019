//===- StepRecord.cpp - When each worker read, updated and was through ------------------------===//
#include "simulate/engine/StepRecord.h"
#include <algorithm>

using namespace dpl::simulate;

namespace {
/// Runs of consecutive steps that tell how far the pace varies.
constexpr std::uint64_t mostRuns = 20;
} // namespace

StepRecord::StepRecord(const Workers& of)
    : workers(of.workers), steps(of.steps), apart(of.apart), read(steps * std::size_t{workers}),
      updated(read.size()), ended(read.size()), slowest(steps), waited(workers), heldUp(steps) {}

void StepRecord::waits(std::uint32_t step, std::uint32_t worker, double time) {
  waited[worker] += time;
  if (time > 0)
    heldUp = std::min(heldUp, step);
}

WorkersTime StepRecord::summary() const {
  WorkersTime out;
  // Up to the step in which the bound is first reached everyone has a pace of its own. Where that
  // takes most of the steps they are all that is known.
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
  out.ages = ages();
  return out;
}

/// Of all workers together, from one step on to another: their rates add.
double StepRecord::pace(std::uint32_t first, std::uint32_t last) const {
  double rate = 0;
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    const double begin = first > 0 ? ended[at(first - 1, worker)] : 0;
    rate += (last - first) / (ended[at(last - 1, worker)] - begin);
  }
  return workers / rate;
}

/// In which as many steps end as there are workers, from a step on and while all of them have some
/// left: where they meet behind each step, between two meetings.
std::vector<double> StepRecord::timesOfAll(std::uint32_t from) const {
  std::vector<double> ends = ended;
  std::sort(ends.begin(), ends.end());
  const auto until = [&](double time) {
    return static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), time) -
                                    ends.begin());
  };
  // Before the first of them nothing was under way.
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

std::vector<double> StepRecord::ages() const {
  std::vector<std::uint32_t> order(updated.size()), place(updated.size());
  for (std::uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return updated[a] != updated[b] ? updated[a] < updated[b] : a % workers < b % workers;
  });
  std::vector<double> times;
  for (std::uint32_t i = 0; i < order.size(); ++i)
    place[order[i]] = i, times.push_back(updated[order[i]]);
  std::vector<double> out;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    // Who updates and goes on at once reads what itself has written; of others at that time, what
    // stands before it in the order.
    const bool atOnce = i >= workers && read[i] == updated[i - workers];
    const auto seen = atOnce
                          ? place[i - workers] + 1
                          : std::upper_bound(times.begin(), times.end(), read[i]) - times.begin();
    out.push_back(static_cast<double>(place[i]) - static_cast<double>(seen));
  }
  return out;
}
