#pragma once
//===- Processes.h - Number of processes that a launcher starts -------------------------------===//
#include "frontend/import/shell/ShellVariables.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::imports::shell {

/// The numbers of nodes and processes, from the words before the script. In `srun torchrun …` they
/// are those of torchrun, because it starts the processes.
struct Processes {
  std::optional<ShellWord> nodes, perNode, total;
  /// name of the launcher: "torchrun", "srun", "mpirun", "deepspeed", "accelerate", "python"; empty
  /// if it is not known
  std::string launcher;
  bool elsewhere = false;               ///< a file or list of hosts sets the number of nodes
  std::optional<ShellWord> notFollowed; ///< option of the launcher whose effect is not known
};

/// Reads the words of the launcher. `batch` contains the numbers that `srun` inherits.
Processes processesOf(llvm::ArrayRef<ShellWord> words,
                      const std::map<std::string, ShellWord>& batch);

/// The options in the `#SBATCH` lines before the first command, by their long names.
std::map<std::string, ShellWord> batchOptions(llvm::StringRef text, std::uint32_t file);

} // namespace dpl::imports::shell
