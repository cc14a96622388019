//===- Simulate.cpp - Events and transfers of the simulator -------------------------------===//
#include "simulate/Flows.h"
#include "simulate/Random.h"
#include <benchmark/benchmark.h>
using namespace dpl;

namespace {
/// 256 MiB over all ranks of nodes of one size, every message a flow: a ring inside each node
/// scatters, rings of one rank of each node reduce and gather, a ring inside each node gathers.
/// Links carry 450 GB/s inside a node and 50 GB/s out of it; oversubscribed 2:1, two ranks of a
/// node share an uplink and a downlink of its leaf.
class AllReduce {
public:
  AllReduce(std::uint32_t nodes, std::uint32_t each, bool oversubscribed, bool jitter)
      : nodes(nodes), each(each), ranks(nodes * each), oversubscribed(oversubscribed),
        jitter(jitter), flows(capacities(), queue), steps(ranks), received(ranks), busy(ranks) {}

  /// ps until the last rank is done.
  std::uint64_t run() {
    for (std::uint32_t rank = 0; rank < ranks; ++rank)
      advance(rank, 0);
    std::uint64_t now = 0;
    while (!queue.empty()) {
      const simulate::Event event = queue.take();
      ++events;
      now = event.time();
      if (!simulate::Flows::isOwn(event)) {
        send(static_cast<std::uint32_t>(event.payload), now);
        continue;
      }
      if (const auto sender = flows.take(event))
        arrive(static_cast<std::uint32_t>(*sender), now);
    }
    return now;
  }
  std::uint64_t events = 0;
  std::uint64_t messages() const { return flows.begun(); }

private:
  static constexpr double inner = 0.45, outer = 0.05; // bytes a ps
  std::vector<double> capacities() const {
    std::vector<double> all(ranks * 4, inner);
    std::fill(all.begin() + ranks * 2, all.end(), outer);
    all.resize(ranks * 5, outer);
    return all;
  }
  std::uint32_t innerSteps() const { return each - 1; }
  std::uint32_t outerSteps() const { return 2 * (nodes - 1); }
  bool isInner(std::uint32_t step) const {
    return step < innerSteps() || step >= innerSteps() + outerSteps();
  }
  std::uint32_t peer(std::uint32_t rank, std::uint32_t step) const {
    const std::uint32_t node = rank / each, at = rank % each;
    return isInner(step) ? node * each + (at + 1) % each : (node + 1) % nodes * each + at;
  }
  /// A rank sends its next message when it has the one before and its last one has left.
  void advance(std::uint32_t rank, std::uint64_t now) {
    const std::uint32_t step = steps[rank];
    if (busy[rank] || step == 2 * innerSteps() + outerSteps() || received[rank] < step)
      return;
    busy[rank] = 1;
    if (jitter) {
      simulate::Draws draws({1, 0, rank, step});
      queue.add(now + draws.next() % 1'000'000, simulate::Phase::Begins, rank);
    } else {
      send(rank, now);
    }
  }
  void send(std::uint32_t rank, std::uint64_t now) {
    const std::uint32_t step = steps[rank], to = peer(rank, step);
    const double bytes = 0x1p28 / each / (isInner(step) ? 1 : nodes);
    const std::uint32_t base = isInner(step) ? 0 : 2 * ranks;
    llvm::SmallVector<std::uint32_t, 4> route{base + rank, base + ranks + to};
    if (oversubscribed && !isInner(step))
      route.append({4 * ranks + rank / 2, 4 * ranks + ranks / 2 + to / 2});
    flows.begin(now, route, bytes, rank);
  }
  void arrive(std::uint32_t rank, std::uint64_t now) {
    const std::uint32_t to = peer(rank, steps[rank]);
    busy[rank] = 0;
    ++steps[rank], ++received[to];
    advance(rank, now);
    advance(to, now);
  }

  std::uint32_t nodes, each, ranks;
  bool oversubscribed, jitter;
  simulate::EventQueue queue;
  simulate::Flows flows;
  std::vector<std::uint32_t> steps, received;
  std::vector<char> busy;
};

void allReduce(benchmark::State& state) {
  std::uint64_t events = 0, messages = 0, time = 0;
  for (auto _ : state) {
    AllReduce all(static_cast<std::uint32_t>(state.range(0)),
                  static_cast<std::uint32_t>(state.range(1)), state.range(2) != 0,
                  state.range(3) != 0);
    time = all.run();
    events += all.events, messages = all.messages();
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
  state.counters["messages"] = static_cast<double>(messages);
  state.counters["simulated_us"] = static_cast<double>(time) / 1e6;
}
BENCHMARK(allReduce)
    ->ArgNames({"nodes", "each", "oversubscribed", "jitter"})
    ->Args({64, 64, 0, 0})
    ->Args({64, 64, 1, 0})
    ->Args({64, 64, 0, 1})
    ->Args({64, 64, 1, 1})
    ->Args({512, 8, 0, 0})
    ->Args({512, 8, 1, 0})
    ->Args({512, 8, 1, 1})
    ->Unit(benchmark::kMillisecond);

/// The queue alone, with so many events in it.
void events(benchmark::State& state) {
  simulate::EventQueue queue;
  simulate::Draws draws({1, 0, 0, 0});
  std::vector<std::uint64_t> delays(1 << 16);
  for (std::uint64_t& delay : delays)
    delay = draws.next() % 1'000'000;
  for (std::int64_t i = 0; i < state.range(0); ++i)
    queue.add(delays[static_cast<std::size_t>(i) % delays.size()], simulate::Phase::Begins, 0);
  std::size_t at = 0;
  for (auto _ : state) {
    const simulate::Event event = queue.take();
    queue.add(event.time() + delays[at++ % delays.size()], simulate::Phase::Begins, 0);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(events)->Arg(4096)->Arg(1 << 20);
} // namespace
