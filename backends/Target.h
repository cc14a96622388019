#pragma once
//===- Target.h - A program that runs plans: its rules and its files --------------------------===//
#include "backends/Backend.h"
#include "backends/Rules.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

enum class TargetRole : std::uint8_t {
  Program,   ///< complete in itself
  Framework, ///< its folder holds a launch.sh that obeys docs/targets/launchers.md, for launchers
             ///< to start
  Launcher   ///< starts the framework that is written beside it
};

/// A variable of the environment that a launch.sh stops without.
struct NeededVariable {
  const char* name;
  const char* what; ///< "a checkout of Megatron-LM"
};

/// A row of Targets.def, defined in the target's folder.
struct Target {
  const char* name;    ///< as on the command line: "megatron"
  const char* product; ///< as in messages: "Megatron-LM"
  const char* summary; ///< what is written, for `emit --list`
  /// Oldest first; the last is the default. Empty for a target whose files fit every release.
  llvm::ArrayRef<Release> releases;
  llvm::ArrayRef<RuleInfo> rules;
  /// Reports all that the target cannot express or refuses.
  void (*check)(const TargetRequest& request, Findings& findings);
  /// The files of a plan in which `check` found nothing. The same plan gives the same bytes.
  std::vector<EmittedFile> (*render)(const TargetRequest& request);

  TargetRole role = TargetRole::Program;
  /// What the launch.sh of a framework asks for besides where the processes meet, and the variables
  /// that it sets over any value from outside: launchers name the first and refuse the second.
  llvm::ArrayRef<NeededVariable> needs = {};
  llvm::ArrayRef<const char*> sets = {};
  /// Whether it runs the schedule of a layout; no function where it runs any.
  bool (*runsSchedule)(const ir::Layout& layout) = nullptr;
  /// Whether its processes save a checkpoint and end when they get SIGTERM.
  bool savesOnNotice = false;
  /// Whether its launch.sh hands on how many processes read batches, and how many each has ready.
  bool hasWorkers = false, hasPrefetch = false;

  /// "0.2.2 0.3.0"
  std::string releasesText() const;
  Release newest() const { return releases.empty() ? Release() : releases.back(); }
};

/// All targets, in the order of Targets.def.
llvm::ArrayRef<const Target*> allTargets();
/// Null when there is none of this name.
const Target* targetNamed(llvm::StringRef name);

/// "Written by dplc 0.2.0 for Megatron-LM 0.19": the second line of every generated file.
std::string writtenBy(const TargetRequest& request);
/// The two lines that a generated file begins with, as comments behind `mark`.
std::string headerOf(const TargetRequest& request, llvm::StringRef mark = "#");

/// Whether the files of a framework are those that the layout is for; reports where they are not.
LogicalResult checkFramework(const TargetRequest& request, DiagnosticEngine& diags);
/// Whether its target has rules for the release that a layout names; reports where it has none.
LogicalResult checkRelease(const ir::Plan& plan, DiagnosticEngine& diags);
/// Whether the framework of a plan runs the schedule of a layout of it; empty without a framework.
std::function<bool(const ir::Layout&)> runsOf(const ir::Plan& plan);
/// Whether the framework of a plan runs what is otherwise in a changed one: its target refuses
/// nothing that it does not refuse of the plan, and one without a target recomputes so. Empty
/// without a framework. The plan must live as long, and have a mesh when it is called.
std::function<bool(const ir::Plan&)> acceptsOf(const ir::Plan& plan);
/// The reason why the target of the plan's framework refuses the plan: its first message, with the
/// rule. Empty if the target takes the plan or the framework has no target.
std::string whyRefused(const ir::Plan& plan);
/// Frameworks whose targets take a plan that names no framework, in the order of Targets.def.
std::vector<std::string> frameworksThatAccept(const ir::Plan& plan);
/// The release that a plan is written for where the command line names none: that of its
/// framework, or else the newest.
Release releaseFor(const Target& target, const ir::Plan& plan);

/// Reports all that stands against writing the plan for the target.
LogicalResult check(const TargetRequest& request, DiagnosticEngine& diags);
/// Fails, having reported why, when `check` does.
FailureOr<std::vector<EmittedFile>> emit(const TargetRequest& request, DiagnosticEngine& diags);

} // namespace dpl
