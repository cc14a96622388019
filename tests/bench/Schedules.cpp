//===- Schedules.cpp - Making, proving and executing the lists of a pipeline ------------------===//
#include "cost/execution/Proof.h"
#include "cost/execution/RankSchedules.h"
#include "cost/execution/StoredOrder.h"
#include <benchmark/benchmark.h>
using namespace dpl;

namespace {
struct Lists {
  cost::PipelineShape shape;
  std::vector<cost::ActionList> lists;
  std::vector<llvm::ArrayRef<ir::ScheduledAction>> views;
  std::vector<cost::ChunkTime> times;
  cost::Proof proof;
  cost::Executor executor;
  std::int64_t operations = 0;

  explicit Lists(cost::PipelineShape of) : shape(of) {
    times.assign(shape.ranks * shape.chunks, {1000, 2000, 50, 50, 900});
    lists = cost::perRankSchedules(shape, times);
    for (const cost::ActionList& schedule : lists)
      operations += static_cast<std::int64_t>(schedule.size());
    views.assign(lists.begin(), lists.end());
  }
  /// Whether they are sound; executes them.
  bool prove(cost::Proof& by, cost::Executor& with) const {
    const ir::Placement placement = shape.placement();
    const auto execute = [&](llvm::ArrayRef<cost::ActionRun> order) {
      return with
          .run(placement, shape.microBatches, views, times, true, {}, order, {}, order.empty())
          .completed;
    };
    return by.flawOf(shape.kind, placement, shape.microBatches, views, with, execute).text.empty();
  }
  bool prove() { return prove(proof, executor); }
  cost::StoredOrder stored() const {
    return {shape.placement(), shape.microBatches, lists, executor};
  }
};

cost::PipelineShape shapeOf(std::int64_t which) {
  using enum ir::ScheduleKind;
  return which == 0   ? cost::PipelineShape{OneForwardOneBackward, 8, 1, 64}
         : which == 1 ? cost::PipelineShape{Interleaved, 64, 4, 512}
         : which == 2 ? cost::PipelineShape{OneForwardOneBackward, 64, 1, 544} // 69,632 passes
         : which == 3 ? cost::PipelineShape{DualPipeV, 64, 2, 256}             // of as many
         : which == 4 ? cost::PipelineShape{DualPipeV, 64, 2, 512}
                      : cost::PipelineShape{DualPipe, 64, 2, 512}; // of half as many
}

void generatesLists(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(Lists(shapeOf(state.range(0))).operations);
}
BENCHMARK(generatesLists)->Arg(0)->Arg(1)->Arg(3)->Unit(benchmark::kMicrosecond);

void executesLists(benchmark::State& state) {
  const Lists lists(shapeOf(state.range(0)));
  cost::Executor executor;
  for (auto _ : state)
    benchmark::DoNotOptimize(
        executor
            .run(lists.shape.placement(), lists.shape.microBatches, lists.views, lists.times, true)
            .makespan);
  state.SetItemsProcessed(state.iterations() * lists.operations);
}
BENCHMARK(executesLists)->Arg(0)->Arg(1)->Arg(3)->Unit(benchmark::kMicrosecond);

/// The order of a shape, found before.
void sweepsAnOrder(benchmark::State& state) {
  Lists lists(shapeOf(state.range(0)));
  (void)lists.prove();
  cost::StoredOrder order = lists.stored();
  for (auto _ : state) {
    order.sweep(lists.times, true);
    benchmark::DoNotOptimize(order.ranks().front().end);
  }
  state.SetItemsProcessed(state.iterations() * lists.operations);
}
BENCHMARK(sweepsAnOrder)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// Whether lists can hang, and the order on each link.
void provesLists(benchmark::State& state) {
  const Lists lists(shapeOf(state.range(0)));
  cost::Proof proof;
  for (auto _ : state)
    benchmark::DoNotOptimize(proof.flawOf(lists.shape.kind, lists.shape.placement(),
                                          lists.shape.microBatches, lists.views));
  state.SetItemsProcessed(state.iterations() * lists.operations);
}
BENCHMARK(provesLists)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMicrosecond);

/// What a plan costs whose shape is new: its lists, their proof and their times.
void makesProvesAndExecutes(benchmark::State& state) {
  cost::Proof proof;
  cost::Executor executor;
  std::int64_t operations = 0;
  for (auto _ : state) {
    const Lists lists(shapeOf(state.range(0)));
    benchmark::DoNotOptimize(lists.prove(proof, executor));
    operations = lists.operations;
  }
  state.SetItemsProcessed(state.iterations() * operations);
}
BENCHMARK(makesProvesAndExecutes)->Arg(1)->Arg(4)->Arg(5)->Unit(benchmark::kMillisecond);

void executesInGroups(benchmark::State& state) {
  const Lists lists(shapeOf(state.range(0)));
  cost::GroupedRun groups;
  for (auto _ : state)
    benchmark::DoNotOptimize(groups.run(lists.shape.placement(), lists.shape.microBatches,
                                        lists.views,
                                        *cost::scheduleInfo(lists.shape.kind).exchanges));
  state.SetItemsProcessed(state.iterations() * lists.operations);
}
BENCHMARK(executesInGroups)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// Stores the order in which a shape has run and sweeps it.
void ordersLists(benchmark::State& state) {
  Lists lists(shapeOf(state.range(0)));
  (void)lists.prove();
  for (auto _ : state) {
    cost::StoredOrder order = lists.stored();
    order.sweep(lists.times, true);
    benchmark::DoNotOptimize(order.ranks().front().end);
  }
  state.SetItemsProcessed(state.iterations() * lists.operations);
}
BENCHMARK(ordersLists)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);
} // namespace
