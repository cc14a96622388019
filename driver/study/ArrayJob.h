#pragma once
//===- ArrayJob.h - A study as an array job of Slurm ------------------------------------------===//
#include "driver/study/Study.h"
#include "support/FileIo.h"

namespace dpl::study {

struct ArrayJobRequest {
  StudyRequest study;
  std::uint64_t shards = 1;
  std::string folder; ///< of the scripts, from where they are submitted
};

/// array.sbatch, a task for each shard; merge.sbatch, which puts them together; submit.sh, which
/// submits both. They are submitted from the folder from which the paths of the request are seen.
std::vector<OutputFile> arrayJob(const ArrayJobRequest& request);

} // namespace dpl::study
