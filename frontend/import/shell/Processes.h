#pragma once
//===- Processes.h - Number of processes that a launcher starts -------------------------------===//
#include "frontend/import/shell/ShellVariables.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::imports::shell {

/// Counts from the words before the script, as written. In `srun torchrun …` they are torchrun's,
/// because it starts the processes.
struct Processes {
  std::optional<ShellWord> nodes, perNode, total;
  /// "torchrun", "srun", "mpirun", "deepspeed", "accelerate", "python"; "" if unknown
  std::string launcher;
  bool elsewhere = false;               ///< a file or list of hosts sets the number of nodes
  std::optional<ShellWord> notFollowed; ///< a launcher option with an unknown effect
};

/// Reads the launcher's words; `batch` has the counts that `srun` inherits.
Processes processesOf(llvm::ArrayRef<ShellWord> words,
                      const std::map<std::string, ShellWord>& batch);

/// The options of the `#SBATCH` lines before the first command, by long name.
std::map<std::string, ShellWord> batchOptions(llvm::StringRef text, std::uint32_t file);

} // namespace dpl::imports::shell
