#pragma once
//===- Causes.h - Possible causes of a long step, and the plan without each of them -----------===//
// The cost of a cause is the time that a step saves without it. Everything else, also random
// numbers, stays the same. A cause is removed in the declared layout, in the complete plan, or in
// the simulation of steps.
#include "simulate/plan/StepRun.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace dpl::diagnosis {

/// The class of a cause, which begins the verdict.
enum class CauseKind : std::uint8_t {
  Compute,
  MemoryBandwidth,
  Communication,
  Synchronisation,
  Input,
  Failure ///< affects a run, not its steps
};
llvm::StringRef name(CauseKind kind);

struct Cause {
  const char* key;     ///< key in JSON
  const char* words;   ///< words on the screen, after "without"
  const char* removed; ///< meaning of its removal
  CauseKind kind;
  bool isComponent = false; ///< whether it is a component of the communication row above it
  /// Whether the plan has the cause at all.
  bool (*present)(const ir::Plan& plan);
  void (*declared)(ir::Plan& plan) = nullptr; ///< null, or its removal before the passes run again
  void (*made)(ir::Plan& plan) = nullptr;     ///< null, or its removal from a complete plan
  simulation::Ablation without = {};
  bool ofMessages = false; ///< whether it exists only if messages are simulated
  bool drawn = false;      ///< whether its removal has an effect only if something varies
  /// Whether it only amplifies others. It is the verdict if its removal halves their cost.
  bool magnifies = false;
};

/// All causes. Components of communication follow communication, the most specific first.
llvm::ArrayRef<Cause> causes();

/// The plan without those of these causes that it has. None if the passes refuse that plan.
/// Relies on: a complete plan.
std::optional<ir::Plan> planWithout(const ir::Plan& plan, llvm::ArrayRef<const Cause*> removed);
simulation::Ablation stepsWithout(llvm::ArrayRef<const Cause*> removed);

/// A complete plan as a user could have written it: the results of `auto` are set in the file.
/// Assertions, runs, launches and search spaces are removed.
ir::Plan restated(const ir::Plan& plan);

} // namespace dpl::diagnosis
