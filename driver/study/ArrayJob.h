#pragma once
//===- ArrayJob.h - A study or a search as an array job of Slurm ------------------------------===//
#include "driver/study/Study.h"
#include "support/FileIo.h"

namespace dpl::study {

/// What a task of the job runs. Paths are relative to the folder in which the job is submitted.
struct ArrayJobRequest {
  enum class ArrayJobKind { Study, Search };
  ArrayJobKind kind = ArrayJobKind::Study;
  std::string path, name;          ///< the file, and the study or search
  std::string layout;              ///< the layout of a study
  std::vector<Override> overrides; ///< of the command line
  std::uint64_t shards = 1;
  std::string folder; ///< folder of the scripts
};

/// Three scripts: array.sbatch runs a task for each shard, merge.sbatch merges the results, and
/// submit.sh submits both.
std::vector<OutputFile> arrayJob(const ArrayJobRequest& request);

} // namespace dpl::study
