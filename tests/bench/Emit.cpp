//===- Emit.cpp - What the files of every target cost -----------------------------------------===//
#include "backends/Target.h"
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include "passes/Pass.h"
#include "planner/CompletePlan.h"
#include "tests/SourceFolder.h"
#include "llvm/ADT/STLExtras.h"
#include <benchmark/benchmark.h>
using namespace dpl;

namespace {

/// A target, the layout of targets.dpl that it runs, and for a launcher its launch.
struct Row {
  const char *target, *layout, *launch;
};
constexpr Row rows[] = {{"megatron", "dense3d", ""},
                        {"pytorch", "dense3d", ""},
                        {"nccl", "dense3d", ""},
                        {"mpi", "dense3d", ""},
                        {"deepspeed", "sharded", ""},
                        {"accelerate", "sharded", ""},
                        {"torchtitan", "two_axes", ""},
                        {"torchrun", "dense3d", "on_nodes"},
                        {"slurm", "dense3d", "on_slurm"},
                        {"mpirun", "dense3d", "on_hosts"},
                        {"kubernetes", "dense3d", "on_pods"},
                        {"trace", "dense3d", ""}};

/// targets.dpl with `scale` times its 512 devices, data parallelism and batch.
std::vector<ir::Plan> plansOf(unsigned scale) {
  SourceManager sources;
  DiagnosticEngine diags;
  FrontendOptions options;
  const auto set = [&](const char* path, unsigned value, const char* unit) {
    options.overrides.push_back({path, std::to_string(scale * value) + unit, "--set"});
  };
  if (scale > 1) {
    set("example.pod.nodes", 64, "");
    set("example.dense3d.mesh.data", 8, "");
    set("example.dense3d.batch", 4, "Mitok");
    set("sharded.mesh.data", 512, "");
    set("sharded.batch", 4, "Mitok");
    set("two_axes.mesh.data", 64, "");
    set("two_axes.batch", 4, "Mitok");
  }
  ParsedFiles files(sources);
  Compilation compilation(files, diags, options);
  FailureOr<CompiledFile> compiled =
      compilation.compile((test::sourceFolder() / "tests/bench/targets.dpl").string());
  std::vector<ir::Plan> plans;
  if (compiled.failed())
    return plans;
  for (std::vector<ir::Plan>* from : {&compiled->plans, &compiled->launched})
    for (ir::Plan& plan : *from)
      if (planner::completePlan(plan, diags, {}).succeeded())
        plans.push_back(std::move(plan));
  return plans;
}

/// Bytes written; 0 when the target refused. A launcher starts Megatron-LM.
std::size_t bytesOf(const Row& row, const std::vector<ir::Plan>& plans) {
  const auto found =
      llvm::find_if(plans, [&](const ir::Plan& p) { return p.layout.name == row.layout; });
  if (found == plans.end())
    return 0;
  ir::Plan plan = *found;
  llvm::erase_if(plan.launches,
                 [&](const ir::Launch& launch) { return launch.name != row.launch; });
  const Target& target = *targetNamed(row.target);
  TargetRequest request{target, plan, target.newest(), {}};
  if (*row.launch)
    request.alsoEmitted = {"megatron"};
  DiagnosticEngine diags;
  const FailureOr<std::vector<EmittedFile>> files = emit(request, diags);
  std::size_t bytes = 0;
  if (!files.failed())
    for (const EmittedFile& file : *files)
      bytes += file.text().size();
  return bytes;
}

/// Checks the rules and renders. `bytes` shows what grows with the devices: DeepSpeed's hostfile
/// has a line a node, and nothing else does.
void emits(benchmark::State& state, const Row& row) {
  const std::vector<ir::Plan> plans = plansOf(static_cast<unsigned>(state.range(0)));
  std::size_t bytes = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(bytes = bytesOf(row, plans));
  if (bytes == 0)
    state.SkipWithError("refused");
  state.counters["bytes"] = static_cast<double>(bytes);
}

/// From the source to the files of all targets.
void emitsToAllTargets(benchmark::State& state) {
  std::size_t bytes = 0;
  for (auto _ : state) {
    const std::vector<ir::Plan> plans = plansOf(static_cast<unsigned>(state.range(0)));
    bytes = 0;
    for (const Row& row : rows)
      bytes += bytesOf(row, plans);
  }
  state.counters["bytes"] = static_cast<double>(bytes);
}
BENCHMARK(emitsToAllTargets)->Arg(1)->Arg(200)->Unit(benchmark::kMillisecond);

const bool registered = [] {
  for (const Row& row : rows)
    benchmark::RegisterBenchmark(fmt::format("emits/{}", row.target).c_str(), emits, row)
        ->Arg(1)
        ->Arg(200)
        ->Unit(benchmark::kMillisecond);
  return true;
}();

} // namespace
