//===- Simulate.cpp - Events and transfers of the simulator -----------------------------------===//
#include "driver/collective/CollectiveMessages.h"
#include "simulate/engine/EventQueue.h"
#include "support/math/Random.h"
#include "tests/unit/SampleNetwork.h"
#include <benchmark/benchmark.h>
using namespace dpl;

namespace {
/// Nodes of one size, 450 GB/s inside and 50 GB/s out of it for each device; oversubscribed, nodes
/// have half of that together.
ir::Plan planOf(std::uint64_t nodes, std::uint64_t each, bool oversubscribed) {
  ir::Plan plan;
  plan.cluster.nodes = nodes, plan.cluster.gpusPerNode = each;
  plan.cluster.nodeTypes.resize(1);
  plan.cluster.nodeTypes.front().nodes = nodes;
  test::setNetwork(plan.cluster, 1, {3'600'000'000'000, 0}, {400'000'000'000, 0},
                   oversubscribed ? 2 : 1);
  ir::Group all;
  all.name = "data", all.size = nodes * each, all.inside = {each, nodes * each};
  plan.groups.push_back(std::move(all));
  return plan;
}

/// A hierarchical all-reduce of 256 MiB, every message a flow.
void allReduce(benchmark::State& state) {
  const ir::Plan plan = planOf(static_cast<std::uint64_t>(state.range(0)),
                               static_cast<std::uint64_t>(state.range(1)), state.range(2) != 0);
  const score::CollectiveRequest request{ir::CollectiveKind::AllReduce, std::uint64_t{1} << 28,
                                         ir::Algorithm::Hierarchical};
  score::CollectivePrediction predicted;
  predicted.cost = cost::costOf(request.kind, *request.algorithm, 0x1p28,
                                {plan.groups.front().inside}, plan.cluster.levels);
  score::MessagesRequest how;
  how.delay = state.range(3) != 0 ? 500'000 : 0;
  DiagnosticEngine diags;
  std::uint64_t events = 0;
  score::MessagesRun run;
  for (auto _ : state) {
    run = *score::runMessages(plan, request, predicted, how, diags);
    events += run.events;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(events));
  state.counters["messages"] = static_cast<double>(run.messages);
  state.counters["simulated_us"] = run.seconds.front() * 1e6;
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
    queue.add(delays[static_cast<std::size_t>(i) % delays.size()], simulate::EventPhase::Begins, 0);
  std::size_t at = 0;
  for (auto _ : state) {
    const simulate::Event event = queue.pop();
    queue.add(event.time() + delays[at++ % delays.size()], simulate::EventPhase::Begins, 0);
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(events)->Arg(4096)->Arg(1 << 20);
} // namespace
