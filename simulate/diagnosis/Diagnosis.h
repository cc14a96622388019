#pragma once
//===- Diagnosis.h - The causes of a step's time, and changes that shorten it -----------------===//
#include "simulate/diagnosis/Barriers.h"
#include "simulate/diagnosis/Causes.h"
#include "simulate/diagnosis/Changes.h"
#include "simulate/diagnosis/Measured.h"
#include "simulate/diagnosis/RunLosses.h"
#include "simulate/diagnosis/SlowPools.h"

namespace dpl::diagnosis {

/// The step without one cause, or with one change.
struct Saving : StepComparison {
  const Cause* cause = nullptr; ///< null for a change
  std::string text{};
  /// The share of memory that is free after the change, if `lint.headroom` asks for more.
  std::optional<double> leavesFree{};
  AcceptingTargets acceptedBy{};
};

/// Two causes that are removed together.
struct Interaction {
  const Cause *first = nullptr, *second = nullptr;
  double saved = 0;  ///< savings without both, as a share of the step
  double beyond = 0; ///< savings in addition to the sum of the two alone
};

struct Diagnosis {
  MeasuredSteps step;               ///< unchanged steps
  std::vector<Saving> savings;      ///< savings by cause, in the order of causes()
  Saving together;                  ///< saving if all causes are removed at once
  std::vector<Interaction> between; ///< interactions of the largest causes
  std::vector<Barriers> barriers;   ///< costs of jitter by the number of barriers
  const Cause* verdict = nullptr;   ///< null: computation, or failures
  std::optional<SlowPool> slowest;  ///< set if the verdict is that some nodes are slower
  std::optional<RunLosses> run;     ///< losses of the run, if the layout has one that loses time
  /// Whether failures and checkpoints cost more of the run than any cause costs of its steps.
  bool failing = false;
  CauseKind kind() const {
    return failing ? CauseKind::Failure : verdict ? verdict->kind : CauseKind::Compute;
  }
  std::vector<Saving> changes; ///< changes that help, best first
  /// Such changes that affect what the model learns.
  std::vector<Saving> learning;
  std::size_t tried = 0; ///< legal changes that were simulated
};

/// The smallest share of the step that makes a cause the verdict.
constexpr double leastVerdict = 0.1;

/// Why the plan cannot be diagnosed, as a sentence; empty if it can.
std::string whyNotDiagnosed(const ir::Plan& plan, const simulation::SimulationRequest& request);
/// Returns the causes and the changes that help. Relies on: a complete plan, for which
/// `whyNotDiagnosed` is empty.
Diagnosis diagnose(const ir::Plan& plan, const simulation::SimulationRequest& request,
                   const Trainer& trainer);

std::string renderText(const ir::Plan& plan, const Diagnosis& diagnosis, unsigned width);
Json renderJson(const Diagnosis& diagnosis);

} // namespace dpl::diagnosis
