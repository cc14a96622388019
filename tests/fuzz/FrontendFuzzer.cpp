//===- FrontendFuzzer.cpp - Any text through the whole front end and the passes ---------------===//
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include "passes/Pass.h"
#include "planner/CompletePlan.h"
#include <cstdio>
#include <cstdlib>
using namespace dpl;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  SourceManager sources;
  DiagnosticEngine diags;
  FrontendOptions options;
  const FileReader reader = [&](const std::string& path) -> FileText {
    if (path != "fuzz.dpl")
      return FileProblem::Missing;
    return std::string(reinterpret_cast<const char*>(data), size);
  };
  ParsedFiles files(sources, reader);
  Compilation compilation(files, diags, options);
  FailureOr<CompiledFile> compiled = compilation.compile("fuzz.dpl");
  diags.endPhase();
  if (compiled.failed() && diags.errors() == 0) {
    std::fprintf(stderr, "failed without an error\n");
    std::abort();
  }
  if (!compiled.failed() && diags.errors() == 0)
    for (ir::Plan& plan : compiled->plans) {
      PipelineOptions pipeline;
      pipeline.verify = true;
      (void)planner::completePlan(plan, diags, pipeline);
    }
  diags.endPhase();
  (void)renderText(diags, sources, false);
  (void)renderJson(diags, sources);
  (void)renderSarif(diags, sources, "0", [](llvm::StringRef) { return llvm::StringRef(); });
  return 0;
}
