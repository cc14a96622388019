//===- Shard.cpp - The part of the work that a process does -----------------------------------===//
#include "tools/dplc/Shard.h"
#include "support/diagnostics/Tools.h"
#include <cstdlib>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The environment variables with the number of a task, from 0, and with the number of all tasks.
struct TaskVariables {
  const char *rank, *size;
};
// In a batch script of Slurm, SLURM_NTASKS counts the tasks of the whole job, but
// SLURM_STEP_NUM_TASKS those of its own step.
constexpr TaskVariables launchers[] = {{"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                                       {"SLURM_PROCID", "SLURM_NTASKS"},
                                       {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                       {"PMI_RANK", "PMI_SIZE"}};

std::optional<std::uint64_t> numberIn(const char* variable) {
  const char* text = std::getenv(variable);
  std::uint64_t out = 0;
  return text && !llvm::StringRef(text).getAsInteger(10, out) ? std::optional(out) : std::nullopt;
}
} // namespace

bool tool::readShard(Session& session, const std::string& given, std::uint64_t& shard,
                     std::uint64_t& shards) {
  if (given.empty())
    return true;
  const auto [part, all] = llvm::StringRef(given).split('/');
  if (!part.getAsInteger(10, shard) && !all.getAsInteger(10, shards) && shard >= 1 &&
      shard <= shards)
    return true;
  (void)session.diags.report<diag::UsageError>(
      {}, fmt::format("--shard: `{}` is not of the form I/N with I from 1 to N", given));
  return false;
}

TaskPart tool::partOfTask() {
  for (const TaskVariables& names : launchers) {
    const std::optional<std::uint64_t> rank = numberIn(names.rank), size = numberIn(names.size);
    if (rank && size && *rank < *size)
      return {*rank + 1, *size};
  }
  return {};
}
