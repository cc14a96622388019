//===- Cost.cpp - What the leaves of the cost model and the passes cost -----------------------===//
#include "cost/collectives/CollectiveCost.h"
#include "cost/compute/LayerCost.h"
#include "cost/compute/OperatorTime.h"
#include "cost/execution/OrderStatistics.h"
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include "passes/Pass.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "tests/SourceFolder.h"
#include "tests/unit/Jitters.h"
#include <benchmark/benchmark.h>
#include <ctime>
using namespace dpl;

namespace {
/// The 70B example; complete when the passes have run.
ir::Plan example(bool complete, const std::string& name = "llama3_70b_h100") {
  SourceManager sources;
  DiagnosticEngine diags;
  ParsedFiles files(sources);
  Compilation compilation(files, diags, {});
  FailureOr<CompiledFile> compiled =
      compilation.compile((test::sourceFolder() / "examples" / (name + ".dpl")).string());
  if (compiled.failed())
    return {};
  ir::Plan plan = std::move(compiled->plans.front());
  if (complete && runPipeline(plan, diags, {}).failed())
    return {};
  return plan;
}

double secondsOfThread() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Counts what `run` takes and nothing else of an iteration. A pause of the library asks for the
/// clocks of the whole process, which takes 2 µs and counts.
template <class Run> void timed(benchmark::State& state, const Run& run) {
  const double begin = secondsOfThread();
  benchmark::DoNotOptimize(run());
  state.SetIterationTime(secondsOfThread() - begin);
}

/// The operators of one class of layers and their sum.
void sumsALayer(benchmark::State& state) {
  const ir::Plan plan = example(true);
  const cost::Division division = cost::divisionOf(plan);
  const std::vector<ir::Device> devices =
      cost::pacingDevices(plan, plan.mesh.rankNodeTypes.front());
  for (auto _ : state)
    benchmark::DoNotOptimize(
        cost::sumOf(cost::operatorsOf(plan.model, plan.model.layerTypes.front(), division), devices,
                    plan.layout.recompute, false));
}
BENCHMARK(sumsALayer)->Unit(benchmark::kNanosecond);

/// One collective of the plan: its algorithm, time and bytes.
void choosesAnAlgorithm(benchmark::State& state) {
  const ir::Plan plan = example(true);
  std::size_t i = 0;
  for (auto _ : state) {
    const ir::Collective& c = plan.collectives[i++ % plan.collectives.size()];
    benchmark::DoNotOptimize(cost::collectiveCost(
        c.kind, static_cast<double>(c.bytes), {plan.groups[c.group].inside}, plan.cluster.levels));
  }
}
BENCHMARK(choosesAnAlgorithm)->Unit(benchmark::kNanosecond);

/// What a barrier waits for, asked again.
void amplifies(benchmark::State& state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(
        cost::barrierAmplification(dpl::test::jitter(ir::JitterKind::LogNormal, 0.05), 512, 8));
}
BENCHMARK(amplifies)->Unit(benchmark::kNanosecond);

/// A point of the example: the same again, and one of six that differ in their divisions.
void estimatesAPoint(benchmark::State& state) {
  planner::Estimator estimator(example(false));
  std::vector<cost::LayoutCandidate> candidates;
  for (const std::uint32_t tensor : {8U, 4U, 2U})
    for (const std::uint32_t pipeline : {8U, 4U}) {
      cost::LayoutCandidate candidate;
      candidate.tensor = tensor, candidate.pipeline = pipeline,
      candidate.data = 512 / tensor / pipeline;
      candidate.sequenceParallel = true;
      candidates.push_back(candidate);
    }
  std::size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(estimator.exact(candidates[state.range(0) == 0 ? 0 : i++ % 6]).step);
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(estimatesAPoint)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// The first estimate of a point of the example, with nothing in the tables: by closed forms, and
/// with the lists of its shape made, proved and put in order; and that where the shape alone is
/// new.
void estimatesFirst(benchmark::State& state) {
  const ir::Plan plan = example(false);
  cost::LayoutCandidate candidate;
  candidate.tensor = 8, candidate.pipeline = 8, candidate.data = 8,
  candidate.sequenceParallel = true;
  for (auto _ : state) {
    planner::Estimator estimator(plan);
    if (state.range(0) == 2)
      benchmark::DoNotOptimize(estimator.quick(candidate).step);
    timed(state, [&] {
      return (state.range(0) == 0 ? estimator.quick(candidate) : estimator.exact(candidate)).step;
    });
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(estimatesFirst)->Arg(0)->Arg(1)->Arg(2)->UseManualTime()->Unit(benchmark::kMicrosecond);

/// All layouts of a space by closed forms, with its enumeration; the tables are warm.
void quickEstimates(benchmark::State& state) {
  ir::Plan plan = example(false, state.range(0) == 0 ? "llama3_70b_h100" : "dualpipe_v3_h800");
  plan.layout.microBatchGiven = plan.layout.shard.sequenceGiven = false;
  if (state.range(0) == 0) // the example's own divides few layers evenly
    plan.layout.schedule = ir::ScheduleKind::OneForwardOneBackward, plan.layout.chunks = 1;
  planner::Estimator estimator(plan);
  const std::vector<cost::LayoutCandidate> candidates = planner::meshSpace(plan);
  double executed = 0;
  for (const cost::LayoutCandidate& candidate : candidates)
    executed += estimator.quick(candidate).executed ? 1 : 0;
  for (auto _ : state)
    for (const cost::LayoutCandidate& candidate : planner::meshSpace(plan))
      benchmark::DoNotOptimize(estimator.quick(candidate).step);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(candidates.size()));
  state.counters["layouts"] = static_cast<double>(candidates.size());
  state.counters["executed"] = executed;
}
BENCHMARK(quickEstimates)->Arg(0)->Arg(1)->Unit(benchmark::kMicrosecond);

/// Each pass on the plan that the ones before it left.
void runsAPass(benchmark::State& state, const PassInfo& info) {
  ir::Plan plan = example(false);
  DiagnosticEngine diags;
  for (const PassInfo& before : allPasses()) {
    if (&before == &info)
      break;
    if (before.create()->run(plan, diags).failed())
      state.SkipWithError("the example does not pass");
  }
  for (auto _ : state) {
    ir::Plan copy = plan;
    timed(state, [&] { return info.create()->run(copy, diags).failed(); });
  }
}

/// All of them one after the other, with the proof of the schedule; the figures that a file asks
/// for stand apart (runs/check-asserts).
void runsAllPasses(benchmark::State& state) {
  ir::Plan plan = example(false);
  plan.assertions.clear();
  DiagnosticEngine diags;
  for (auto _ : state) {
    ir::Plan copy = plan;
    timed(state, [&] { return runPipeline(copy, diags, {}).failed(); });
  }
}
BENCHMARK(runsAllPasses)->UseManualTime()->Unit(benchmark::kMicrosecond);

const bool registered = [] {
  for (const PassInfo& info : allPasses())
    benchmark::RegisterBenchmark(fmt::format("runs/{}", info.name).c_str(),
                                 [&info](benchmark::State& state) { runsAPass(state, info); })
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  return true;
}();
} // namespace
