#pragma once
//===- Slurm.h - A batch job, and the lines of slurm.conf for its cluster ---------------------===//
#include "backends/launcher/Job.h"

namespace dpl::slurm {

/// The text of the script for sbatch.
std::string jobFile(const launcher::Job& job);
/// The layout of a job that got this number of nodes.
struct RowOfNodes {
  std::uint64_t nodes = 0;
  std::uint64_t used = 0; ///< nodes of the layout
};
/// The script for sbatch that picks a layout by the number of nodes. `job` is that of the first
/// row, which has the most nodes; each layout has its files in nodes-N, N being those it uses.
std::string rowsFile(const launcher::Job& job, llvm::ArrayRef<RowOfNodes> rows);
/// The nodes and the partition as lines of slurm.conf.
std::string clusterFile(const launcher::Job& job);

/// A value of an #SBATCH line, in double quotes if sbatch needs them.
std::string headerWord(llvm::StringRef text);
/// The name of an image in the format of pyxis, with `#` after the registry:
/// "nvcr.io#nvidia/pytorch:25.04-py3".
std::string imageOf(llvm::StringRef image);
/// Formats seconds as Slurm's days-hours:minutes:seconds: "7-00:00:00".
std::string timeOf(std::uint64_t seconds);

} // namespace dpl::slurm
