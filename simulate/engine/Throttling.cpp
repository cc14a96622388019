//===- Throttling.cpp - Workers on a shared bus, and delays of the early ones -----------------===//
#include "simulate/engine/Throttling.h"
#include "simulate/engine/Flows.h"
#include <algorithm>
#include <cmath>
#include <numeric>

using namespace dpl::simulate;

std::vector<double> dpl::simulate::onBus(const BusLoad& bus, llvm::ArrayRef<double> alone,
                                         llvm::ArrayRef<double> held, bool silent) {
  const auto workers = static_cast<std::uint32_t>(alone.size());
  std::vector<double> capacities{bus.capacity};
  capacities.resize(1 + workers, bus.computing); // the largest load that a computing worker puts on
                                                 // the bus
  EventQueue queue;
  Flows flows(std::move(capacities), queue);
  double forever = 0; // work of a flow that outlasts all others
  for (std::uint32_t i = 0; i < workers; ++i) {
    flows.begin(0, {0, 1 + i}, alone[i] * bus.computing, i);
    forever += (alone[i] * bus.computing + held[i] * bus.capacity) * (1 + workers * bus.flows);
  }
  std::vector<double> out(workers);
  for (std::uint32_t left = workers; left > 0;) {
    const Event event = queue.pop();
    if (!Flows::isOwn(event)) {
      for (std::uint32_t i = 0; i < bus.flows; ++i)
        flows.begin(event.time(), {0}, forever, workers);
      continue;
    }
    const std::optional<std::uint64_t> ended = flows.handle(event);
    if (!ended || *ended >= workers)
      continue;
    out[*ended] = static_cast<double>(event.time());
    --left;
    if (!silent)
      queue.add(event.time() + static_cast<std::uint64_t>(held[*ended]), EventPhase::Settles,
                *ended);
  }
  return out;
}

/// The end of each worker's computation, without its own delay.
std::vector<double> ThrottledGroup::through(llvm::ArrayRef<double> alone,
                                            llvm::ArrayRef<double> held) {
  const auto firstOf = [&](llvm::ArrayRef<double> ready) { // start of the first communication
    double first = INFINITY;
    for (std::size_t i = 0; i < ready.size(); ++i)
      first = std::min(first, ready[i] + held[i]);
    return first;
  };
  std::vector<double> done(alone.begin(), alone.end());
  if (!throttling.bus) {
    const double first = firstOf(alone);
    for (double& each : done)
      each = each <= first ? each : first + throttling.coupling * (each - first);
    return done;
  }
  done = onBus(*throttling.bus, alone, held, false);
  if (!measures)
    return done;
  const std::vector<double> quiet = onBus(*throttling.bus, alone, held, true);
  const double first = firstOf(done);
  for (std::size_t i = 0; i < done.size(); ++i)
    if (quiet[i] > first)
      measuredTime += done[i] - first, needed += quiet[i] - first;
  return done;
}

double ThrottledGroup::step(llvm::ArrayRef<double> alone,
                            llvm::MutableArrayRef<double> communicates) {
  const double wait = early < alone.size() ? delay : 0;
  std::vector<double> held(alone.size(), 0);
  if (early < alone.size())
    held[early] = wait;
  const std::vector<double> done = through(alone, held);
  double last = 0, others = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    last = std::max(last, done[i] + held[i]);
    if (!communicates.empty())
      communicates[i] = done[i] + held[i];
    if (i != early)
      others = std::max(others, done[i]);
  }
  ++steps;
  if (throttling.change > 0 && early < alone.size()) {
    const double move = throttling.change / std::sqrt(static_cast<double>(steps));
    const bool late = others > done[early] + wait;
    delay = std::max(0.0, delay + move * (late ? coupling() - 1 : -1));
  }
  early = static_cast<std::size_t>(std::min_element(done.begin(), done.end()) - done.begin());
  return last;
}

double dpl::simulate::meanStep(const Throttling& throttling, llvm::ArrayRef<StepsOfGroup> groups) {
  std::vector<double> last(groups.front().size());
  for (const StepsOfGroup& steps : groups) {
    ThrottledGroup group(throttling, false);
    for (std::size_t i = 0; i < steps.size(); ++i)
      last[i] = std::max(last[i], group.step(steps[i]));
  }
  return std::accumulate(last.begin(), last.end(), 0.0) / static_cast<double>(last.size());
}

double dpl::simulate::bestDelay(Throttling throttling, llvm::ArrayRef<StepsOfGroup> groups) {
  throttling.change = 0;
  double low = 0, high = 0;
  for (const StepsOfGroup& steps : groups)
    for (const std::vector<double>& alone : steps) {
      const auto [first, last] = std::minmax_element(alone.begin(), alone.end());
      high = std::max(high, *last - *first);
    }
  constexpr int cells = 32;
  double best = 0;
  for (int finer = 0; finer < 4; ++finer) {
    const double width = (high - low) / cells;
    double least = INFINITY;
    for (int i = 0; i <= cells; ++i) {
      throttling.delay = low + width * i;
      if (const double mean = meanStep(throttling, groups); mean < least)
        least = mean, best = throttling.delay;
    }
    low = std::max(0.0, best - width), high = best + width;
  }
  return best;
}
