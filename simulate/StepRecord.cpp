//===- StepRecord.cpp - When each worker read, updated and was through ------------------------===//
#include "simulate/StepRecord.h"
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
    out.parts.assign(out.batches.begin() + 1, out.batches.end()); // before it nothing was under way
  } else {
    out.parts = out.batches = {out.step};
  }
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
