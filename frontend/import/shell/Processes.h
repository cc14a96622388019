#pragma once
//===- Processes.h - How many processes a launcher starts -------------------------------------===//
#include "frontend/import/shell/ShellVariables.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace dpl::imports::shell {

/// What the words in front of the script say, as written. The counts are those of the launcher
/// that starts the processes: of `srun torchrun`, torchrun.
struct Processes {
  std::optional<ShellWord> nodes, perNode, total;
  /// "torchrun", "srun", "mpirun", "deepspeed", "accelerate", "python"; "" when unknown
  std::string launcher;
  bool elsewhere = false; ///< a file or list of hosts says on how many nodes
  std::optional<ShellWord>
      notFollowed; ///< an option of the launcher whose effect is not known here
};

/// `batch` holds for a `srun` that does not say otherwise.
Processes processesOf(llvm::ArrayRef<ShellWord> words,
                      const std::map<std::string, ShellWord>& batch);

/// The counts of the `#SBATCH` lines in front of the first command, by long option.
std::map<std::string, ShellWord> batchOptions(llvm::StringRef text, std::uint32_t file);

} // namespace dpl::imports::shell
