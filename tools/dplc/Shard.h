#pragma once
//===- Shard.h - The part of the work that a process does -------------------------------------===//
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// Reads `--shard I/N` into `shard` and `shards`; an empty text changes neither. False after a
/// report.
bool readShard(Session& session, const std::string& given, std::uint64_t& shard,
               std::uint64_t& shards);

/// The part of this task among the tasks that srun or mpirun started; one part for a single
/// process.
struct TaskPart {
  std::uint64_t shard = 1, shards = 1;
};
TaskPart partOfTask();

} // namespace dpl::tool
