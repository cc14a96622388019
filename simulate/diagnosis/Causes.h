#pragma once
//===- Causes.h - What can make a step long, and the step without it ----------------------===//
//
// A cause is known by what a step takes when it alone is taken away and all else, the random
// numbers too, stays as it was. It is taken away in what is declared, in what the passes made of
// that, or in how steps are simulated.
#include "simulate/plan/StepRun.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace dpl::diagnosis {

/// What a verdict begins with.
enum class CauseKind : std::uint8_t {
  Compute,
  MemoryBandwidth,
  Communication,
  Synchronisation,
  Input,
  Failure ///< of a run, not of its steps
};
llvm::StringRef name(CauseKind kind);

struct Cause {
  const char* key;     ///< of JSON
  const char* words;   ///< of a screen, behind "without"
  const char* removed; ///< what its removal means
  CauseKind kind;
  bool isComponent = false; ///< of the communication that the row above it takes away as a whole
  /// Whether the plan has it at all.
  bool (*present)(const ir::Plan& plan);
  void (*declared)(ir::Plan& plan) =
      nullptr;                            ///< null, or what it changes before the passes run again
  void (*made)(ir::Plan& plan) = nullptr; ///< null, or what it changes of a complete plan
  simulation::Ablation without = {};
  bool ofMessages = false; ///< it is there only where each message is run
  bool drawn = false;      ///< what is done against it shows only where something varies
  /// What others cost is it, where it alone saves half of that: without it they cost little.
  bool magnifies = false;
};

/// All rows. Parts of communication stand behind it, the most particular first.
llvm::ArrayRef<Cause> causes();

/// The plan without these causes, as far as a plan has them; nothing where the passes refuse it.
/// Relies on: a complete plan.
std::optional<ir::Plan> planWithout(const ir::Plan& plan, llvm::ArrayRef<const Cause*> removed);
simulation::Ablation stepsWithout(llvm::ArrayRef<const Cause*> removed);

/// A complete plan as its author could have written it: what was found is stated, and nothing is
/// asserted or asked of it.
ir::Plan restated(const ir::Plan& plan);

} // namespace dpl::diagnosis
