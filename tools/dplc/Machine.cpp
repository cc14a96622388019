//===- Machine.cpp - A cluster that the command line names ------------------------------------===//
#include "tools/dplc/Machine.h"
#include "driver/collective/Collective.h"
#include "frontend/parse/Tokens.h"
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
bool isDottedName(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef, 2> parts;
  text.split(parts, '.');
  return llvm::all_of(parts, [](llvm::StringRef part) {
    const std::vector<Token> words = tokenize(part.str());
    return words.size() == 2 && words.front().is(TokenKind::Identifier);
  });
}
} // namespace

bool tool::isMachine(Session& session, const MachineRequest& request) {
  if (!isDottedName(request.cluster)) {
    session.wrongUsage(
        fmt::format("--cluster: `{}` is not a name such as clusters.dgx_h100", request.cluster),
        "give the file as an argument and name its cluster with --cluster");
    return false;
  }
  const std::vector<std::string> library = tool::clustersOfLibrary();
  if (!request.file.empty() || llvm::is_contained(library, request.cluster))
    return true;
  const std::string longer = "clusters." + request.cluster;
  session.wrongUsage(
      fmt::format("--cluster: `{}` is not a cluster of the library", request.cluster),
      didYouMean(llvm::is_contained(library, longer) ? std::vector{longer}
                                                     : nearNames(request.cluster, library),
                 "there are " + alternatives(library)));
  return false;
}

std::vector<std::string> tool::clustersOfLibrary() {
  std::vector<std::string> out;
  for (const std::string& name : libraryNames())
    if (llvm::StringRef(name).startswith("std.clusters."))
      out.push_back(name.substr(4));
  return out;
}

ir::Plan* tool::planOn(Session& session, const MachineRequest& request, std::uint64_t nodes,
                       std::unique_ptr<CompiledUnit>& unit) {
  if (!isMachine(session, request))
    return nullptr;
  // The generated file is next to the file that it imports.
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
