#pragma once
//===- Shard.h - Which part of the work a process has -----------------------------------------===//
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// Reads `--shard I/N`; nothing changes if it is empty. False after a report.
bool readShard(Session& session, const std::string& given, std::uint64_t& shard,
               std::uint64_t& shards);

/// The part of this task among those that srun or mpirun started; one part for a single process.
struct TaskPart {
  std::uint64_t shard = 1, shards = 1;
};
TaskPart partOfTask();

} // namespace dpl::tool
