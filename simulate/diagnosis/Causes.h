#pragma once
//===- Causes.h - Possible causes of a long step, and the plan without each of them -----------===//
// The cost of a cause is the time that a step saves without it. Everything else stays the same,
// random numbers included. A cause is removed either from the declared layout, or from the complete
// plan, or in the simulation of steps.
#include "simulate/plan/StepRun.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace dpl::diagnosis {

/// The class of a cause, which is the first word of the verdict.
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
  const char* key;     ///< key of the cause in JSON
  const char* words;   ///< words for the cause on the screen, after "without"
  const char* removed; ///< sentence that says what removing the cause means
  CauseKind kind;
  bool isComponent = false; ///< whether it is a component of the previous row, communication
  /// Whether a plan has the cause.
  bool (*present)(const ir::Plan& plan);
  void (*declared)(ir::Plan& plan) = nullptr; ///< removal before the passes run again, or null
  void (*made)(ir::Plan& plan) = nullptr;     ///< removal from a complete plan, or null
  simulation::Ablation without = {};
  bool ofMessages = false; ///< whether the cause exists only if messages are simulated
  bool drawn = false;      ///< whether removing it has an effect only if times vary
  /// Whether the cause only amplifies other causes. Such a cause is the verdict if removing it
  /// saves at least half as much as removing the most expensive cause, and at least `leastVerdict`.
  bool magnifies = false;
};

/// All causes. The components of communication follow it, the most specific first.
llvm::ArrayRef<Cause> causes();

/// The plan without those of the given causes that it has. None if the passes refuse the new plan.
/// Relies on: a complete plan.
std::optional<ir::Plan> planWithout(const ir::Plan& plan, llvm::ArrayRef<const Cause*> removed);
simulation::Ablation stepsWithout(llvm::ArrayRef<const Cause*> removed);

/// A complete plan as a user could have written it: values that `auto` chose count as set in the
/// file. Assertions, runs, launches and search spaces are removed.
ir::Plan restated(const ir::Plan& plan);

} // namespace dpl::diagnosis
