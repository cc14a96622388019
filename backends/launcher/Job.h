#pragma once
//===- Job.h - What a launcher starts ---------------------------------------------------------===//
//
// One start a node: the launch.sh of the framework that is emitted beside the launcher, or torchrun
// with the program of the launch block. docs/targets/launchers.md has the contract of a launch.sh.
#include "backends/Target.h"
#include "ir/NodeResources.h"
#include <utility>

namespace dpl::launcher {

constexpr std::uint64_t mebibyte = 1 << 20;

/// A variable of the environment and its value.
using EnvironmentVariable = std::pair<std::string, std::string>;

/// Refers to the request's plan.
struct Job {
  explicit Job(const TargetRequest& request);

  const TargetRequest& request;
  const ir::Plan& plan;
  const ir::Launch& launch; ///< the plan's, or one of defaults
  const ir::Run& run;       ///< of the launch, or one of defaults
  bool given;               ///< the plan has one
  std::uint64_t nodes, gpus;
  std::vector<std::string> frameworks; ///< emitted beside, in order

  std::uint64_t world() const { return nodes * gpus; }
  /// The framework whose launch.sh is started; empty where it is `program`.
  std::string framework() const { return frameworks.empty() ? "" : frameworks.front(); }
  /// As the user named it; that of the block, or of the layout without one.
  std::string name() const;
  /// Hardware threads and bytes of a node's task: those of the launch, or else those of the node
  /// (of the node type with the least). 0 if the file sets neither.
  std::uint64_t cpus() const { return launch.cpus > 0 ? launch.cpus : ir::leastCpus(plan.cluster); }
  std::uint64_t memory() const {
    return launch.memory > 0 ? launch.memory : ir::leastHostMemory(plan.cluster);
  }

  /// MiB of what the launch gives, rounded up; all of the node where the launch gives just that,
  /// and 0 where it gives none.
  std::uint64_t givenMemory() const;

  /// What the framework's launch.sh asks for and the launch's `env` does not give.
  std::vector<NeededVariable> needed() const;
  /// What the job sets for the processes besides where they meet, in order: paths, checkpoints and
  /// threads by the names of the contract, then the `env` of the launch.
  std::vector<EnvironmentVariable> variables() const;
  /// Words behind the start of a node: those of the launch.
  std::vector<std::string> words() const;
  /// "512 processes: 64 nodes × 8 GPUs." and which phases of the run it is for, as comments.
  std::string summary() const;
};

/// Names that a job sets itself, so that `env` may not.
bool isReserved(const Job& job, llvm::StringRef variable);
/// MiB, rounded up: no request becomes 0, which stands for everything.
std::uint64_t mebibytes(std::uint64_t bytes);
/// `job.needed()` as comment lines, a variable each in a column of `width`.
std::string neededLines(const Job& job, unsigned width = 26);

/// `export NAME=value` lines for the job's variables.
std::string exportsOf(const Job& job);
/// `exec torchrun …` for one node, or what stays to be told (LaunchScript.h), up to the words of
/// the job, which have to follow. NODE_RANK, MASTER_ADDR and MASTER_PORT are read from the
/// environment.
std::string torchrunOf(const Job& job);
/// Where a value of the plan holds what a shell could expand: the line that tells shellcheck that
/// it is not meant to be. Empty where there is none.
std::string literalNotice(const Job& job);
/// `cd -- FOLDER` as a line; empty without one.
std::string folderOf(const Job& job);
/// The words, each quoted and with a blank before it.
std::string shellWords(const std::vector<std::string>& words);

} // namespace dpl::launcher
