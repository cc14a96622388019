//===- StudyRuns.cpp - A study of a small file, run in memory ---------------------------------===//
#include "tests/unit/StudyRuns.h"
#include "support/RenderText.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::test;

std::string dpl::test::fileOf(const std::string& study) {
  return R"(
import std.models
import std.clusters

cluster pod from clusters.dgx_h100 { nodes = 2, jitter = lognormal { cv = 0.1 } }

layout plain for models.gpt2_small on pod {
  mesh { pipeline = 2, data = rest }
  batch = 64seq
  micro_batch = 2seq
}

layout searched from plain { mesh = auto }

study scale for plain {
)" + study +
         "\n}\n";
}

Ran dpl::test::run(const std::string& text, unsigned threads, std::uint64_t shard,
                   std::uint64_t shards, const char* layout) {
  Workspace workspace;
  DiagnosticEngine diags;
  workspace.overlay("plan.dpl", text);
  const auto unit = workspace.compile("plan.dpl", diags);
  Ran out;
  if (!unit->file.failed() && diags.errors() == 0) {
    study::RunOptions options;
    options.request = {"plan.dpl", "scale", layout, text, {}};
    options.threads = threads, options.shard = shard, options.shards = shards;
    FailureOr<study::Results> results =
        study::run(*unit->file, options, workspace.sources(), diags);
    if (!results.failed())
      out.results = std::move(*results);
  }
  diags.endPhase();
  out.errors = renderText(diags, workspace.sources(), false);
  return out;
}
