//===- Started.cpp - Nodes and processes of a launch ------------------------------------------===//
#include "frontend/import/megatron/LaunchOptions.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
/// Whether a command is `python`, or starts it exactly once.
bool startsPython(llvm::StringRef command) {
  static const char* const transparent[] = {"exec", "nohup",   "time", "env",   "sudo",
                                            "nice", "numactl", "nsys", "stdbuf"};
  return llvm::is_contained(transparent, command) ||
         command.substr(command.rfind('/') + 1).startswith("python");
}
} // namespace

/// Reads the numbers of nodes and processes.
void LaunchOptions::started(llvm::ArrayRef<ShellWord> words,
                            const std::map<std::string, ShellWord>& batch) {
  const shell::Processes ofLauncher = processesOf(words, batch);
  const std::string& launcher = ofLauncher.launcher;
  // A command before `python`, such as one that binds processes, may run it in each process.
  const bool wrapped = launcher == "python" && !words.empty() && !startsPython(words[0].text);
  const bool known = !launcher.empty();
  if (!known && !words.empty() && !words[0].doubt) {
    (void)diags.report<diag::ImportRefused>(
        where, "the import",
        fmt::format("how many processes `{}` starts is not known", words[0].text));
    placeholders.insert(LaunchOptions::processes);
    return;
  }
  if (ofLauncher.notFollowed) {
    placeholders.insert(LaunchOptions::processes);
    return doubtful(*ofLauncher.notFollowed);
  }
  const auto counted = [&](const std::optional<ShellWord>& word, const char* name,
                           const char* variable) -> std::uint64_t {
    std::uint64_t plain = 0;
    if (word && llvm::StringRef(word->text).getAsInteger(10, plain))
      if (const std::string* given = definitionFor(variable);
          given && !llvm::StringRef(*given).getAsInteger(10, plain) && plain > 0)
        return plain; // replaces a word that is not a number by the number of `--define`
    if (word && word->doubt)
      placeholders.insert(LaunchOptions::processes);
    if (word && word->doubt && !word->doubt->outside)
      return doubtful(*word), 1;
    return word ? number(name, *word, variable) : 0;
  };
  nodes = counted(ofLauncher.nodes,
                  launcher == "deepspeed" ? "--num_nodes"
                  : launcher == "srun"    ? "--nodes"
                                          : "--nnodes",
                  "NNODES");
  gpus = counted(ofLauncher.perNode,
                 launcher == "srun"        ? "--ntasks-per-node"
                 : launcher == "deepspeed" ? "--num_gpus"
                 : launcher == "mpirun"    ? "-npernode"
                                           : "--nproc-per-node",
                 "NPROC_PER_NODE");
  const std::uint64_t total =
      counted(ofLauncher.total, launcher == "srun" ? "--ntasks" : "-np", "NPROC");
  if (failed()) {
    placeholders.insert(LaunchOptions::processes);
    return;
  }
  if (launcher == "python") { // another script may start this one with a launcher
    nodes = defined("NNODES", processes), gpus = defined("NPROC_PER_NODE", processes);
    oneProcess = nodes == 0 && gpus == 0;
    inWrapper = wrapped;
  }
  if (launcher == "torchrun" || launcher == "python" || launcher.empty()) {
    nodes = std::max<std::uint64_t>(nodes, 1), gpus = std::max<std::uint64_t>(gpus, 1);
    return;
  }
  gpus = gpus == 0 ? defined("NPROC_PER_NODE", processes) : gpus;
  nodes = nodes == 0 ? defined("NNODES", processes) : nodes;
  if (nodes == 0 && total != 0 && gpus != 0 && total % gpus == 0)
    nodes = total / gpus;
  if (nodes == 0 && !ofLauncher.elsewhere && launcher != "srun")
    nodes = 1;
  if (gpus == 0 && total != 0 && nodes != 0 && total % nodes == 0)
    gpus = total / nodes;
  if (gpus == 0 && nodes != 0 && launcher == "srun" && ofLauncher.nodes)
    gpus = 1; // Slurm's default is one task per node
  if (nodes == 0 && gpus != 0 && launcher == "srun" && ofLauncher.perNode)
    nodes = 1;
  if (nodes == 0 || gpus == 0)
    return requireProcessCount();
  if (total != 0 && total != nodes * gpus)
    (void)diags.report<diag::ImportRefused>(
        where, "the import",
        fmt::format("{} processes are not {} nodes with {} each", total, nodes, gpus));
}

/// Whether the script reads variables that launchers set for each process.
bool LaunchOptions::startedElsewhere() const {
  const llvm::StringRef text = request.sources.text(request.file);
  return has("--use-mpi") ||
         llvm::any_of(llvm::ArrayRef<const char*>{"OMPI_COMM_WORLD", "PMI_RANK", "SLURM_PROCID"},
                      [&](const char* name) { return text.contains(name); });
}

void LaunchOptions::requireProcessCount() {
  placeholders.insert(processes);
  if (nodes == 0 || oneProcess)
    lacks(where, "on how many nodes it starts", "NNODES=NUMBER");
  if (gpus == 0 || oneProcess)
    lacks(where, "how many processes a node starts", "NPROC_PER_NODE=NUMBER");
  nodes = std::max<std::uint64_t>(nodes, 1), gpus = std::max<std::uint64_t>(gpus, 1);
}
