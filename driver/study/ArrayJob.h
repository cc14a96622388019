#pragma once
//===- ArrayJob.h - A study as an array job of Slurm ------------------------------------------===//
#include "driver/study/Study.h"
#include "support/FileIo.h"

namespace dpl::study {

struct ArrayJobRequest {
  StudyRequest study;
  std::uint64_t shards = 1;
  std::string folder; ///< folder of the scripts, relative to the folder in which they are submitted
};

/// Three scripts: array.sbatch runs a task for each shard, merge.sbatch merges the results, and
/// submit.sh submits both. Paths of the request are relative to the folder in which they are
/// submitted.
std::vector<OutputFile> arrayJob(const ArrayJobRequest& request);

} // namespace dpl::study
