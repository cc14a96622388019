//===- ImportFuzzer.cpp - Any text as a launch script and as a configuration ------------------===//
#include "frontend/Frontend.h"
#include "frontend/import/Configuration.h"
#include "frontend/import/HuggingFace.h"
#include "frontend/import/Megatron.h"
#include "support/FileIo.h"
#include <cstdio>
#include <cstdlib>
using namespace dpl;

namespace {
void mustBeADocument(const FailureOr<std::string>& text, SourceManager& sources,
                     DiagnosticEngine& diags) {
  if (text.failed() && diags.errors() == 0) {
    std::fprintf(stderr, "failed without an error\n");
    std::abort();
  }
  if (text.failed())
    return;
  const std::uint32_t made = sources.add("import.dpl", *text);
  if (format(sources, made, diags).failed()) {
    std::fprintf(stderr, "wrote what is no document:\n%s\n", text->c_str());
    std::abort();
  }
}
} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  SourceManager sources;
  const std::uint32_t file = sources.add("fuzz", text);
  // What no file can hold reaches no import.
  if (DiagnosticEngine diags; checkText(sources, file, diags).failed())
    return 0;
  for (const bool lenient : {false, true}) {
    DiagnosticEngine diags;
    const imports::LaunchImport request{sources, file,    {{"@", "a --b=2"}, {"NNODES", "2"}},
                                        {},      lenient, "clusters.dgx_h100"};
    mustBeADocument(imports::megatronLaunch(request, diags), sources, diags);
  }
  DiagnosticEngine diags;
  mustBeADocument(imports::huggingFaceModel(sources, file, "llm", "", diags), sources, diags);
  const imports::ConfigurationImport request{sources,
                                             file,
                                             {{"NNODES", "2"}, {"NPROC_PER_NODE", "8"}},
                                             {},
                                             "clusters.dgx_h100",
                                             imports::NamedModel{"", "models.llama3_8b", 32}};
  const imports::TorchtitanTables facts{[](auto&&...) { return std::nullopt; },
                                        [](auto&&...) { return std::nullopt; }};
  DiagnosticEngine toml, python, json, yaml;
  mustBeADocument(imports::torchtitanConfiguration(request, facts, toml), sources, toml);
  imports::ConfigurationImport module = request;
  module.file = sources.add("fuzz.py", text);
  mustBeADocument(imports::torchtitanConfiguration(module, facts, python), sources, python);
  mustBeADocument(imports::deepspeedConfiguration(request, json), sources, json);
  mustBeADocument(imports::nemoConfiguration(request, yaml), sources, yaml);
  return 0;
}
