#pragma once
//===- Diagnosis.h - The causes of a step's time, and changes that shorten it -----------------===//
#include "simulate/diagnosis/Barriers.h"
#include "simulate/diagnosis/Causes.h"
#include "simulate/diagnosis/Changes.h"
#include "simulate/diagnosis/Measured.h"
#include "simulate/diagnosis/RunLosses.h"
#include "simulate/diagnosis/SlowPools.h"

namespace dpl::diagnosis {

/// The savings by removing one cause, or by making one change.
struct Saving : StepComparison {
  const Cause* cause = nullptr; ///< null for a change
  std::string text{};
  /// The share of memory that is free after the change. None if it is at least `lint.headroom`.
  std::optional<double> leavesFree{};
  AcceptingTargets acceptedBy{};
};

/// Two causes that are removed together.
struct Interaction {
  const Cause *first = nullptr, *second = nullptr;
  double saved = 0;  ///< savings if both causes are removed, as a share of the step
  double beyond = 0; ///< the part of `saved` that exceeds the sum of the savings by each cause
                     ///< alone
};

struct Diagnosis {
  MeasuredSteps step;               ///< unchanged steps
  std::vector<Saving> savings;      ///< savings by cause, in the order of causes()
  Saving together;                  ///< saving if all causes are removed at once
  std::vector<Interaction> between; ///< interactions of the largest causes
  std::vector<Barriers> barriers;   ///< amplification of jitter, by the number of barriers per step
  const Cause* verdict = nullptr;   ///< main cause; null if it is computation, or failures
  std::optional<SlowPool> slowest;  ///< set if the verdict is that some nodes are slower
  std::optional<RunLosses> run;     ///< losses of the run, if the layout has one that loses time
  /// Whether failures and checkpoints cost a larger share of the run than any cause costs of its
  /// steps.
  bool failing = false;
  CauseKind kind() const {
    return failing ? CauseKind::Failure : verdict ? verdict->kind : CauseKind::Compute;
  }
  std::vector<Saving> changes; ///< changes that help, best first
  /// Helpful changes that affect what the model learns, best first.
  std::vector<Saving> learning;
  std::size_t tried = 0; ///< number of legal changes that were simulated
};

/// The smallest share of the step that a cause must cost to be the verdict.
constexpr double leastVerdict = 0.1;

/// Why the plan cannot be diagnosed, as a sentence; empty if it can.
std::string whyNotDiagnosed(const ir::Plan& plan, const simulation::SimulationRequest& request);
/// Returns the causes of the step's time and the changes that shorten it. Relies on: a complete
/// plan, for which `whyNotDiagnosed` is empty.
Diagnosis diagnose(const ir::Plan& plan, const simulation::SimulationRequest& request,
                   const Trainer& trainer);

std::string renderText(const ir::Plan& plan, const Diagnosis& diagnosis, unsigned width);
Json renderJson(const Diagnosis& diagnosis);

} // namespace dpl::diagnosis
