//===- Workers.cpp - Data-parallel workers and how they wait for each other -------------------===//
#include "simulate/engine/StepRecord.h"
#include <algorithm>
#include <cassert>
#include <numeric>

using namespace dpl::simulate;

namespace {
using Compute = llvm::function_ref<double(std::uint32_t, std::uint32_t)>;

/// The workers of each unit wait for the slowest of them, and then exchange. Returns the sum of
/// their waits.
double meetInside(const Workers& of, std::vector<double>& took) {
  double waited = 0;
  for (std::size_t first = 0; first < took.size(); first += of.workersPerUnit) {
    const auto begin = took.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end =
        took.begin() +
        static_cast<std::ptrdiff_t>(std::min<std::size_t>(first + of.workersPerUnit, took.size()));
    const double last = *std::max_element(begin, end);
    waited += last * static_cast<double>(end - begin) - std::accumulate(begin, end, 0.0);
    std::fill(begin, end, last + of.innerExchange);
  }
  return waited;
}

/// Simulates rounds of `period` steps that end with an exchange of all workers.
WorkersTime inRounds(const Workers& of, std::uint32_t period, std::uint32_t dropped,
                     Compute compute) {
  WorkersTime out;
  std::vector<double> rounds, took(of.workers);
  double time = 0, computing = 0;
  const bool units = of.synchronization == WorkerSynchronization::Hierarchical;
  for (std::uint32_t first = 0; first < of.steps; first += period) {
    const std::uint32_t steps = std::min(period, of.steps - first);
    std::fill(took.begin(), took.end(), 0);
    for (std::uint32_t step = 0; step < steps; ++step) {
      if (units && step > 0 && step % of.inner == 0)
        computing -= meetInside(of, took);
      for (std::uint32_t worker = 0; worker < of.workers; ++worker)
        took[worker] += compute(worker, first + step);
    }
    std::sort(took.begin(), took.end());
    const double last = took[of.workers - 1 - dropped];
    for (const double each : took)
      computing += std::min(each, last);
    time += last + of.exchange;
    rounds.push_back((last + of.exchange) / steps);
  }
  out.step = time / of.steps;
  out.batches = batchMeans(rounds, (of.apart + period - 1) / period);
  out.parts = std::move(rounds);
  const double exchanging = of.exchange * ((of.steps + period - 1) / period);
  out.waiting = std::max(0.0, 1 - (computing / of.workers + exchanging) / time);
  out.lost = static_cast<double>(dropped) / of.workers;
  return out;
}

/// Simulates workers without barriers. With a bound, no worker is more than `bound` steps ahead of
/// the slowest one.
WorkersTime unaligned(const Workers& of, Compute compute) {
  const bool bounded = of.synchronization == WorkerSynchronization::Bounded;
  const std::uint32_t bound = bounded ? of.bound : of.steps;
  StepRecord record(of);
  std::vector<double> handed(of.workers);
  for (std::uint32_t step = 0; step < of.steps; ++step)
    for (std::uint32_t worker = 0; worker < of.workers; ++worker) {
      const std::size_t at = record.at(step, worker);
      const double own = handed[worker];
      const double begins = step > bound ? std::max(own, record.slowest[step - bound - 1]) : own;
      record.waits(step, worker, begins - own);
      const double computed = begins + compute(worker, step);
      // At most one exchange overlaps with computation.
      const double leaves = of.kind == ExchangeMode::Overlapped && step > 0
                                ? std::max(computed, record.ended[at - of.workers])
                                : computed;
      record.read[at] = begins;
      record.updated[at] = record.ended[at] = leaves + of.exchange;
      handed[worker] = of.kind == ExchangeMode::Serial ? record.ended[at] : leaves;
      record.slowest[step] = std::max(
          {record.slowest[step], record.ended[at], step > 0 ? record.slowest[step - 1] : 0});
    }
  return record.summary();
}
} // namespace

WorkersTime dpl::simulate::run(const Workers& of, Compute compute) {
  assert(of.workers > 0 && of.steps > 0);
  switch (of.synchronization) {
  case WorkerSynchronization::Barrier:
    return inRounds(of, 1, 0, compute);
  case WorkerSynchronization::Local:
  case WorkerSynchronization::Hierarchical:
    return inRounds(of, of.bound, 0, compute);
  case WorkerSynchronization::Backup:
    return inRounds(of, 1, of.bound, compute);
  case WorkerSynchronization::Bounded:
  case WorkerSynchronization::Never:
    break;
  }
  return unaligned(of, compute);
}
