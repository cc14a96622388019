#pragma once
//===- Slurm.h - A batch job, and the lines of slurm.conf for its cluster ---------------------===//
#include "backends/launcher/Job.h"

namespace dpl::slurm {

/// The script for sbatch.
std::string jobFile(const launcher::Job& job);
/// The nodes and the partition as lines of slurm.conf.
std::string clusterFile(const launcher::Job& job);

/// A value of an #SBATCH line, in double quotes if sbatch needs them.
std::string headerWord(llvm::StringRef text);
/// The image in pyxis' format, with `#` after the registry: "nvcr.io#nvidia/pytorch:25.04-py3".
std::string imageOf(llvm::StringRef image);
/// Formats seconds for Slurm: "7-00:00:00".
std::string timeOf(std::uint64_t seconds);

} // namespace dpl::slurm
