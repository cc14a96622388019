#pragma once
//===- Target.h - A target of `dplc emit`: its rules and its files ----------------------------===//
#include "backends/Backend.h"
#include "backends/Rules.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

enum class TargetRole : std::uint8_t {
  Program,   ///< needs no other target
  Framework, ///< writes a launch.sh that follows docs/targets/launchers.md, so that launchers can
             ///< start it
  Launcher   ///< starts the framework that the same command writes
};

/// An environment variable that launch.sh requires.
struct NeededVariable {
  const char* name;
  const char* what; ///< "a checkout of Megatron-LM"
};

/// A row of Targets.def, defined in the target's folder.
struct Target {
  const char* name;    ///< name on the command line: "megatron"
  const char* product; ///< name in messages: "Megatron-LM"
  const char* summary; ///< the files that it writes, for `emit --list`
  /// Oldest first; the last is the default. Empty for a target whose files fit every release.
  llvm::ArrayRef<Release> releases;
  llvm::ArrayRef<RuleInfo> rules;
  /// Reports everything in the plan that the target cannot express or refuses.
  void (*check)(const TargetRequest& request, Findings& findings);
  /// Returns the files of a plan that `check` accepts. Equal plans give equal bytes.
  std::vector<EmittedFile> (*render)(const TargetRequest& request);

  TargetRole role = TargetRole::Program;
  /// `needs`: variables that launch.sh requires in addition to the rendezvous; launchers list them.
  /// `sets`: variables that launch.sh overwrites; launchers refuse to set them.
  llvm::ArrayRef<NeededVariable> needs = {};
  llvm::ArrayRef<const char*> sets = {};
  /// Whether the target runs the schedule of a layout; null if it runs every schedule.
  bool (*runsSchedule)(const ir::Layout& layout) = nullptr;
  /// Whether its processes save a checkpoint and exit when they receive SIGTERM.
  bool savesOnNotice = false;
  /// Whether its launch.sh forwards the number of data loader workers and of prefetched batches.
  bool hasWorkers = false, hasPrefetch = false;

  /// "0.2.2 0.3.0"
  std::string releasesText() const;
  Release newest() const { return releases.empty() ? Release() : releases.back(); }
};

/// All targets, in the order of Targets.def.
llvm::ArrayRef<const Target*> allTargets();
/// The target of this name, or null.
const Target* targetNamed(llvm::StringRef name);

/// "Written by dplc 0.2.0 for Megatron-LM 0.19": the second line of every generated file.
std::string writtenBy(const TargetRequest& request);
/// The two comment lines at the start of every generated file; `mark` starts a comment.
std::string headerOf(const TargetRequest& request, llvm::StringRef mark = "#");

/// Reports if the layout is written for another framework or device than the target's.
LogicalResult checkFramework(const TargetRequest& request, DiagnosticEngine& diags);
/// Reports if the framework's target has no rules for the release that the layout names.
LogicalResult checkRelease(const ir::Plan& plan, DiagnosticEngine& diags);
/// Whether the plan's framework runs the schedule of a layout; empty if it names no framework.
std::function<bool(const ir::Layout&)> runsOf(const ir::Plan& plan);
/// Whether the plan's framework also runs a changed plan: its target reports no error that it does
/// not report for the original. Without a target, only recomputation, loss and offloading are
/// checked. Empty without a framework. The original plan must outlive it and have a mesh when
/// called.
std::function<bool(const ir::Plan&)> acceptsOf(const ir::Plan& plan);
/// The first error of the framework's target on the plan, with its rule. Empty if the target
/// accepts the plan or the framework has no target.
std::string whyRefused(const ir::Plan& plan);
/// The frameworks whose targets accept the plan, in the order of Targets.def.
std::vector<std::string> frameworksThatAccept(const ir::Plan& plan);
/// The release to write for if the command line names none: that of the plan's framework, otherwise
/// the newest.
Release releaseFor(const Target& target, const ir::Plan& plan);

/// Reports everything that keeps the target from running the plan.
LogicalResult check(const TargetRequest& request, DiagnosticEngine& diags);
/// Writes the files; fails if `check` fails, which has then reported why.
FailureOr<std::vector<EmittedFile>> emit(const TargetRequest& request, DiagnosticEngine& diags);

} // namespace dpl
