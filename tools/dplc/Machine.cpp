//===- Machine.cpp - A cluster that the command line names ------------------------------------===//
#include "tools/dplc/Machine.h"
#include "score/Collective.h"
#include <filesystem>
using namespace dpl;
using namespace dpl::tool;

namespace {
std::string textFor(const MachineRequest& request, std::uint64_t nodes) {
  std::string text = "import std.clusters\nimport std.models\n";
  std::string base = request.cluster;
  if (!request.file.empty()) {
    const std::string name = std::filesystem::path(request.file).filename().string();
    text += fmt::format("import \"./{}\" as given\n", name);
    base = "given." + base;
  }
  return text +
         fmt::format("model any from models.gpt2_small {{}}\ncluster machine from {} {{{}}}\n"
                     "layout run for any on machine {{\n{}}}\n",
                     base, nodes > 0 ? fmt::format(" nodes = {} ", nodes) : "",
                     score::layoutOfRanks(request.ranks));
}
} // namespace

ir::Plan* tool::planOn(Session& session, const MachineRequest& request, std::uint64_t nodes,
                       std::unique_ptr<CompiledUnit>& unit) {
  // Beside the file that it imports.
  const std::string file =
      (std::filesystem::path(request.file).parent_path() / "<collective>").string();
  session.workspace.overlay(file, textFor(request, nodes));
  unit = session.compile(file);
  if (unit->file.failed() || session.diags.errors() > 0 || unit->file->plans.empty())
    return nullptr;
  return &unit->file->plans.front();
}

std::uint64_t tool::nodesFor(const ir::Cluster& cluster, std::uint64_t devices) {
  const std::uint64_t domain =
      std::max<std::uint64_t>(cluster.devicesIn(ir::Level::Domain), cluster.gpusPerNode);
  return (devices + domain - 1) / domain * (domain / cluster.gpusPerNode);
}
