//===- Bench.cpp - Throughput of the front end, and what a check costs ------------------------===//
#include "frontend/Frontend.h"
#include "frontend/ast/StandardLibrary.h"
#include "frontend/parse/ParseTree.h"
#include "frontend/parse/Tokens.h"
#include "frontend/sema/ParsedFiles.h"
#include "planner/CompletePlan.h"
#include "tests/SourceFolder.h"
#include <benchmark/benchmark.h>
using namespace dpl;

namespace {

/// About `bytes` of declarations as people write them.
std::string generated(std::size_t bytes) {
  std::string text = "import std.clusters\n\n";
  for (unsigned i = 0; text.size() < bytes; ++i)
    text += fmt::format(R"(/// Cluster {0} of the fleet.
cluster pod_{0} from clusters.dgx_h100 {{
  nodes = {1}                       // of eight devices
  node.gpu.memory = 80GiB
  nic {{ bandwidth = 400Gbps per nic, latency = 5us }}
  spine.oversubscription = (1 + {0}) / {1}
  storage {{ write = 10GB/s, read = 20GB/s }}
  assert nodes >= 1 and nodes <= 100_000, "a fleet has limits"
}}

)",
                        i, i % 64 + 1);
  return text;
}

void lexes(benchmark::State& state) {
  const std::string text = generated(std::size_t{1} << 20);
  for (auto _ : state)
    benchmark::DoNotOptimize(tokenize(text));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(lexes)->Unit(benchmark::kMillisecond);

void parses(benchmark::State& state) {
  const std::string text = generated(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    SourceManager sources;
    DiagnosticEngine diags;
    Arena arena;
    const ParseResult result = parse(sources, sources.add("bench.dpl", text), arena, diags);
    if (result.failed)
      state.SkipWithError("the generated file does not parse");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(parses)->Arg(1500)->Arg(1 << 20)->Unit(benchmark::kMillisecond);

/// The whole front end on a file in memory.
void compiles(benchmark::State& state) {
  const std::string text = generated(static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) {
    SourceManager sources;
    DiagnosticEngine diags;
    FrontendOptions options;
    const FileReader reader = [&](const std::string&) -> FileText { return text; };
    ParsedFiles files(sources, reader);
    Compilation compilation(files, diags, options);
    if (compilation.compile("bench.dpl").failed())
      state.SkipWithError("the generated file does not compile");
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}
BENCHMARK(compiles)->Arg(1 << 20)->Unit(benchmark::kMillisecond);

/// Every declaration of the library, which a run of dplc never does.
void loadsTheLibrary(benchmark::State& state) {
  for (auto _ : state) {
    SourceManager sources;
    Arena arena;
    StandardLibrary library(embeddedLibrary(), sources, arena);
    for (llvm::StringRef module : library.modules())
      for (const LibraryEntry& entry : library.entries(module))
        benchmark::DoNotOptimize(library.find(module, entry.name));
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * embeddedLibrary().size()));
}
BENCHMARK(loadsTheLibrary)->Unit(benchmark::kMicrosecond);

/// `dplc check` of the 70B example without the start of the process; `scale` multiplies the data
/// parallelism, the nodes and the batch, so 200 is 102,400 devices.
void checks(benchmark::State& state) {
  const auto scale = static_cast<unsigned>(state.range(0));
  for (auto _ : state) {
    SourceManager sources;
    DiagnosticEngine diags;
    FrontendOptions options;
    if (scale > 1)
      options.overrides = {{"pod.nodes", std::to_string(64 * scale), "--set"},
                           {"dense3d.mesh.data", std::to_string(8 * scale), "--set"},
                           {"dense3d.batch", fmt::format("{}Mitok", 4 * scale), "--set"}};
    ParsedFiles files(sources);
    Compilation compilation(files, diags, options);
    FailureOr<CompiledFile> compiled =
        compilation.compile((test::sourceFolder() / "examples/llama3_70b_h100.dpl").string());
    if (compiled.failed() || planner::completePlan(compiled->plans.front(), diags, {}).failed())
      state.SkipWithError("the example does not pass");
  }
}
BENCHMARK(checks)->Arg(1)->Arg(200)->Unit(benchmark::kMillisecond);

} // namespace
