//===- Workers.cpp - Workers that wait for one another, or do not -----------------------------===//
#include "simulate/Workers.h"
#include <algorithm>
#include <cassert>

using namespace dpl::simulate;

namespace {
using Compute = llvm::function_ref<double(std::uint32_t, std::uint32_t)>;

/// Rounds of `period` steps that all end with the exchange.
WorkersTime inRounds(const Workers& of, std::uint32_t period, std::uint32_t dropped,
                     Compute compute) {
  WorkersTime out;
  std::vector<double> rounds, took(of.workers);
  double time = 0, computing = 0;
  for (std::uint32_t first = 0; first < of.steps; first += period) {
    const std::uint32_t steps = std::min(period, of.steps - first);
    std::fill(took.begin(), took.end(), 0);
    for (std::uint32_t step = first; step < first + steps; ++step)
      for (std::uint32_t worker = 0; worker < of.workers; ++worker)
        took[worker] += compute(worker, step);
    std::sort(took.begin(), took.end());
    const double last = took[of.workers - 1 - dropped];
    for (const double each : took)
      computing += std::min(each, last);
    time += last + of.exchange;
    rounds.push_back((last + of.exchange) / steps);
  }
  out.step = time / of.steps;
  out.parts = rounds;
  if (rounds.size() > 1)
    out.halfWidth = Sample(std::move(rounds)).halfWidth();
  const double exchanging = of.exchange * ((of.steps + period - 1) / period);
  out.waiting = 1 - (computing / of.workers + exchanging) / time;
  out.lost = static_cast<double>(dropped) / of.workers;
  return out;
}

/// Each worker by itself, and with a bound behind the slowest.
class Unaligned {
public:
  Unaligned(const Workers& of, Compute compute)
      : of(of), compute(compute), read(of.steps * std::size_t{of.workers}), done(read.size()),
        slowest(of.steps) {}

  WorkersTime run() {
    std::vector<double> handed(of.workers), waited(of.workers);
    for (std::uint32_t step = 0; step < of.steps; ++step)
      for (std::uint32_t worker = 0; worker < of.workers; ++worker) {
        const double own = handed[worker];
        const double begins = step > bound() ? std::max(own, slowest[step - bound() - 1]) : own;
        waited[worker] += begins - own;
        const double computed = begins + compute(worker, step);
        // Beside computation one exchange is under way at a time.
        const double leaves = of.kind == Exchange::Beside && step > 0
                                  ? std::max(computed, done[at(step - 1, worker)])
                                  : computed;
        read[at(step, worker)] = begins;
        done[at(step, worker)] = leaves + of.exchange;
        handed[worker] = of.kind == Exchange::Serial ? done[at(step, worker)] : leaves;
        slowest[step] =
            std::max({slowest[step], done[at(step, worker)], step > 0 ? slowest[step - 1] : 0});
      }
    WorkersTime out;
    out.step = pace(0, of.steps);
    for (std::uint32_t worker = 0; worker < of.workers; ++worker)
      out.waiting += waited[worker] / done[at(of.steps - 1, worker)] / of.workers;
    if (of.steps >= 2 * batches) {
      std::vector<double> paces;
      for (std::uint32_t i = 0; i < batches; ++i)
        paces.push_back(pace(of.steps / batches * i, of.steps / batches * (i + 1)));
      out.parts.assign(paces.begin() + 1, paces.end()); // before the first nothing was under way
      out.halfWidth = Sample(std::move(paces)).halfWidth();
    } else {
      out.parts = {out.step};
    }
    out.ages = ages();
    return out;
  }

private:
  /// Runs of consecutive steps that tell how far the pace varies.
  static constexpr std::uint32_t batches = 20;
  std::uint32_t bound() const { return of.waiting == Waiting::Bounded ? of.bound : of.steps; }
  std::size_t at(std::uint32_t step, std::uint32_t worker) const {
    return std::size_t{step} * of.workers + worker;
  }
  /// Of all workers together, from one step on to another: their rates add. With a bound they are
  /// one in the long run, that of the slowest.
  double pace(std::uint32_t first, std::uint32_t last) const {
    if (of.waiting == Waiting::Bounded)
      return (slowest[last - 1] - (first > 0 ? slowest[first - 1] : 0)) / (last - first);
    double rate = 0;
    for (std::uint32_t worker = 0; worker < of.workers; ++worker) {
      const double begin = first > 0 ? done[at(first - 1, worker)] : 0;
      rate += (last - first) / (done[at(last - 1, worker)] - begin);
    }
    return of.workers / rate;
  }
  std::vector<double> ages() const {
    std::vector<std::uint32_t> order(done.size()), place(done.size());
    for (std::uint32_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return done[a] != done[b] ? done[a] < done[b] : a % of.workers < b % of.workers;
    });
    std::vector<double> times;
    for (std::uint32_t i = 0; i < order.size(); ++i)
      place[order[i]] = i, times.push_back(done[order[i]]);
    std::vector<double> out;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      // Who updates and goes on at once reads what itself has written; of others at that time, what
      // stands before it in the order.
      const bool atOnce = i >= of.workers && read[i] == done[i - of.workers];
      const auto seen = atOnce
                            ? place[i - of.workers] + 1
                            : std::upper_bound(times.begin(), times.end(), read[i]) - times.begin();
      out.push_back(static_cast<double>(place[i]) - static_cast<double>(seen));
    }
    return out;
  }

  const Workers& of;
  Compute compute;
  std::vector<double> read, done; ///< by step and worker: begin of computation, end of exchange
  std::vector<double> slowest;    ///< when all have done a step
};
} // namespace

WorkersTime dpl::simulate::run(const Workers& of, Compute compute) {
  assert(of.workers > 0 && of.steps > 0);
  switch (of.waiting) {
  case Waiting::Barrier:
    return inRounds(of, 1, 0, compute);
  case Waiting::Local:
    return inRounds(of, of.bound, 0, compute);
  case Waiting::Backup:
    return inRounds(of, 1, of.bound, compute);
  case Waiting::Bounded:
  case Waiting::Never:
    break;
  }
  return Unaligned(of, compute).run();
}
