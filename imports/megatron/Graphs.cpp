//===- Graphs.cpp - CUDA graphs of a launch ---------------------------------------------------===//
#include "imports/megatron/Graphs.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl::imports::megatron;

Graphs dpl::imports::megatron::graphsOf(Launch& launch) {
  const bool local = launch.flag("--enable-cuda-graph"),
             external = launch.flag("--external-cuda-graph");
  const std::string how = launch.choice("--cuda-graph-impl", local || external ? "local" : "none",
                                        {"none", "local", "transformer_engine", "full_iteration"});
  std::vector<std::string> parts = launch.list("--cuda-graph-scope");
  for (const std::string& part : launch.list("--cuda-graph-modules"))
    parts.push_back(part);
  if (how == "none")
    return {};
  const bool whole = how == "full_iteration" || llvm::all_of(parts, [](const std::string& part) {
                       return part == "full" || part == "full_iteration" || part == "layer";
                     });
  return {whole, whole ? "" : fmt::format("{}", fmt::join(parts, ", "))};
}
