//===- Partition.cpp - Choosing a split, without the execution of its candidates --------------===//
#include "cost/partition/SplitSearch.h"
#include <benchmark/benchmark.h>
using namespace dpl;

namespace {
/// Layers of two kinds, an embedding and a head of two layers.
cost::StageCosts costsOf(std::uint64_t layers, ir::Placement placement) {
  cost::StageCosts costs;
  costs.placement = placement, costs.microBatches = 256;
  cost::StageCosts::RankCostSums kind;
  kind.time = kind.state = kind.saved = kind.restored = {0};
  for (std::uint64_t i = 0; i < layers; ++i) {
    kind.time.push_back(kind.time.back() + (i < 3 ? 7'000'000'000 : 9'000'000'000));
    kind.state.push_back(kind.state.back() + 1'000'000'000);
    kind.saved.push_back(kind.saved.back() + 100'000'000);
    kind.restored.push_back(0);
  }
  kind.first = {100'000'000, 1'000'000'000, 10'000'000, 0};
  kind.last = {18'000'000'000, 1'000'000'000, 50'000'000, 2'000'000'000};
  costs.rankCostSums = {kind};
  costs.rankCostSumsOf.assign(placement.ranks, 0);
  costs.room.assign(placement.ranks, 80'000'000'000);
  costs.live.assign(placement.stageReplicas(), placement.ranks);
  costs.restored.assign(placement.stageReplicas(), 0);
  costs.message.assign(placement.stages(), 200'000'000);
  return costs;
}

/// 64 pieces: on 64 ranks, and on 16 ranks with four chunks each.
void partitions(benchmark::State& state) {
  const bool linear = state.range(1) == 1;
  const cost::StageCosts costs =
      costsOf(static_cast<std::uint64_t>(state.range(0)),
              {linear ? ir::PlacementKind::Linear : ir::PlacementKind::Looped,
               64 / static_cast<std::uint64_t>(state.range(1)),
               static_cast<std::uint64_t>(state.range(1))});
  for (auto _ : state)
    benchmark::DoNotOptimize(cost::chooseSplit(costs, {}, 8, [](const cost::LayerSplit&) {
                               return std::optional(cost::SplitOutcome{0, 1});
                             }).executed);
}
BENCHMARK(partitions)->Args({128, 1})->Args({128, 4})->Unit(benchmark::kMicrosecond);
} // namespace
