#pragma once
//===- Target.h - A target of `dplc emit`: its rules and its files ----------------------------===//
#include "backends/Backend.h"
#include "backends/Rules.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

enum class TargetRole : std::uint8_t {
  Program,   ///< a program or data that need no other target
  Framework, ///< writes a launch.sh that follows docs/targets/launchers.md, so that launchers can
             ///< start it
  Launcher   ///< starts the framework that the same command writes
};

/// An environment variable that launch.sh requires, with its meaning.
struct NeededVariable {
  const char* name;
  const char* what; ///< value of the variable in words: "a checkout of Megatron-LM"
};

/// A row of Targets.def. Each target is defined in its folder.
struct Target {
  const char* name;    ///< name on the command line: "megatron"
  const char* product; ///< name in messages: "Megatron-LM"
  const char* summary; ///< summary of the files that the target writes, for `emit --list`
  /// Releases of the target, the oldest first; the last is the default. Empty for a target whose
  /// files fit every release.
  llvm::ArrayRef<Release> releases;
  llvm::ArrayRef<RuleInfo> rules;
  /// Reports everything in the plan that the target cannot express or refuses.
  void (*check)(const TargetRequest& request, Findings& findings);
  /// Returns the files of a plan that `check` accepts. Equal plans give equal bytes.
  std::vector<EmittedFile> (*render)(const TargetRequest& request);

  TargetRole role = TargetRole::Program;
  /// `needs` are variables that launch.sh requires in addition to the rendezvous; launchers list
  /// them. `sets` are variables that launch.sh overwrites, so launchers refuse to set them.
  llvm::ArrayRef<NeededVariable> needs = {};
  llvm::ArrayRef<const char*> sets = {};
  /// Whether the target runs the schedule of a layout; null if it runs every schedule.
  bool (*runsSchedule)(const ir::Layout& layout) = nullptr;
  /// Whether the target's processes save a checkpoint and exit when they receive SIGTERM.
  bool savesOnNotice = false;
  /// Whether launch.sh passes on the number of data loader workers, and of prefetched batches.
  bool hasWorkers = false, hasPrefetch = false;

  /// The releases as text: "0.2.2 0.3.0".
  std::string releasesText() const;
  Release newest() const { return releases.empty() ? Release() : releases.back(); }
};

/// All targets, in the order of Targets.def.
llvm::ArrayRef<const Target*> allTargets();
/// The target with a name, or null.
const Target* targetNamed(llvm::StringRef name);

/// The second line of every generated file: "Written by dplc 0.2.0 for Megatron-LM 0.19".
std::string writtenBy(const TargetRequest& request);
/// The two comment lines at the start of every generated file; `mark` starts a comment.
std::string headerOf(const TargetRequest& request, llvm::StringRef mark = "#");

/// Reports an error if the layout is written for another framework or device than the target's.
LogicalResult checkFramework(const TargetRequest& request, DiagnosticEngine& diags);
/// Reports an error if the framework's target has no rules for the release that the layout names.
LogicalResult checkRelease(const ir::Plan& plan, DiagnosticEngine& diags);
/// A function that says whether the plan's framework runs the schedule of a layout; empty if the
/// plan names no framework.
std::function<bool(const ir::Layout&)> runsOf(const ir::Plan& plan);
/// A function that says whether the plan's framework also runs a changed plan: its target reports
/// no error that it does not report for the original. If the framework has no target, only
/// recomputation, loss and offloading are checked. Empty if the plan names no framework. The
/// original plan must outlive the function, and must have a mesh when it is called.
std::function<bool(const ir::Plan&)> acceptsOf(const ir::Plan& plan);
/// The first error of the framework's target on the plan, with its rule. Empty if the target
/// accepts the plan or the framework has no target.
std::string whyRefused(const ir::Plan& plan);
/// The frameworks whose targets accept the plan, in the order of Targets.def.
std::vector<std::string> frameworksThatAccept(const ir::Plan& plan);
/// The release to write for if the command line names none: the release of the plan's framework,
/// otherwise the newest.
Release releaseFor(const Target& target, const ir::Plan& plan);

/// Reports everything for which the target cannot run the plan.
LogicalResult check(const TargetRequest& request, DiagnosticEngine& diags);
/// Returns the files. Fails if `check` fails, which has then reported the reasons.
FailureOr<std::vector<EmittedFile>> emit(const TargetRequest& request, DiagnosticEngine& diags);

} // namespace dpl
