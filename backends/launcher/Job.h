#pragma once
//===- Job.h - The job that a launcher starts -------------------------------------------------===//
//
// A launcher runs one command per node: the launch.sh of the framework that the same command emits,
// or torchrun with the launch block's program. docs/targets/launchers.md specifies launch.sh.
#include "backends/Target.h"
#include "ir/NodeResources.h"
#include <utility>

namespace dpl::launcher {

constexpr std::uint64_t mebibyte = 1 << 20;

/// A variable of the environment and its value.
using EnvironmentVariable = std::pair<std::string, std::string>;

/// The job of a request, with its launch and run blocks. It refers to the request's plan.
struct Job {
  explicit Job(const TargetRequest& request);

  const TargetRequest& request;
  const ir::Plan& plan;
  const ir::Launch& launch; ///< launch block of the plan, or the defaults
  const ir::Run& run;       ///< run block that the launch names, or the defaults
  bool given;               ///< whether the plan has a launch block
  std::uint64_t nodes, gpus;
  std::vector<std::string> frameworks; ///< frameworks that the same command emits, in order

  std::uint64_t world() const { return nodes * gpus; }
  /// The framework whose launch.sh the job starts; empty if the job starts `program`.
  std::string framework() const { return frameworks.empty() ? "" : frameworks.front(); }
  /// The name of the job: the name set in the file, otherwise that of the launch block or of the
  /// layout.
  std::string name() const;
  /// CPU threads and bytes of host memory per node: the values of the launch, otherwise those of
  /// the node type that has least. 0 if the file sets neither.
  std::uint64_t cpus() const { return launch.cpus > 0 ? launch.cpus : ir::leastCpus(plan.cluster); }
  std::uint64_t memory() const {
    return launch.memory > 0 ? launch.memory : ir::leastHostMemory(plan.cluster);
  }

  /// The memory that the launch sets, in MiB, rounded up. If it equals the memory of the node, all
  /// of the node's memory; 0 if the launch sets none.
  std::uint64_t givenMemory() const;

  /// The variables that the framework's launch.sh requires and the launch's `env` does not set.
  std::vector<NeededVariable> needed() const;
  /// The variables that the job sets in addition to the rendezvous, in order: paths, checkpoints
  /// and threads by the names in launchers.md, then the `env` of the launch.
  std::vector<EnvironmentVariable> variables() const;
  /// The arguments after the command on a node, which the launch block sets.
  std::vector<std::string> words() const;
  /// Comment lines: "512 processes: 64 nodes × 8 GPUs." and the phases of the run.
  std::string summary() const;
};

/// Whether the job sets a variable itself, so that `env` must not set it.
bool isReserved(const Job& job, llvm::StringRef variable);
/// Converts bytes to MiB, rounded up, so that no request becomes 0, which would mean all memory.
std::uint64_t mebibytes(std::uint64_t bytes);
/// `job.needed()` as comment lines, one per variable. Names are padded to `width` characters.
std::string neededLines(const Job& job, unsigned width = 26);

/// Lines `export NAME=value` for the job's variables.
std::string exportsOf(const Job& job);
/// The torchrun command without the job's arguments. On one node it is `exec torchrun …`; if
/// signals are forwarded, it calls the function of LaunchScript.h. It reads NODE_RANK, MASTER_ADDR
/// and MASTER_PORT from the environment.
std::string torchrunOf(const Job& job);
/// A directive for shellcheck if values of the plan are literal but look like shell expansions.
/// Empty if there are none.
std::string literalNotice(const Job& job);
/// The line `cd -- FOLDER`; empty if no folder is set.
std::string folderOf(const Job& job);
/// The words, each quoted and preceded by a space.
std::string shellWords(const std::vector<std::string>& words);

} // namespace dpl::launcher
