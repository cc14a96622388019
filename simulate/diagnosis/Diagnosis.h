#pragma once
//===- Diagnosis.h - Why a step takes as long as it does ----------------------------------===//
#include "simulate/diagnosis/Barriers.h"
#include "simulate/diagnosis/Causes.h"
#include "simulate/diagnosis/Changes.h"
#include "simulate/diagnosis/Measured.h"
#include "simulate/diagnosis/RunLosses.h"
#include "simulate/diagnosis/SlowPools.h"

namespace dpl::diagnosis {

/// The step without a cause, or with a change.
struct Saving : StepComparison {
  const Cause* cause = nullptr; ///< null of a change
  std::string text{};
  /// The share of memory that a change leaves free, if `lint.headroom` asks for more.
  std::optional<double> leavesFree{};
  AcceptingTargets acceptedBy{};
};

/// Two causes taken away together.
struct Interaction {
  const Cause *first = nullptr, *second = nullptr;
  double saved = 0;  ///< both, share of the step
  double beyond = 0; ///< over the sum of what each saves alone
};

struct Diagnosis {
  MeasuredSteps step;               ///< as it is
  std::vector<Saving> savings;      ///< of every cause that the plan has, in the order of causes()
  Saving together;                  ///< of all of them
  std::vector<Interaction> between; ///< of the largest
  std::vector<Barriers> barriers;   ///< what jitter costs, by how often all wait
  const Cause* verdict = nullptr;   ///< null: computation, or failures
  std::optional<SlowPool> slowest;  ///< set if the verdict is that some nodes are slower
  std::optional<RunLosses> run;     ///< where the layout has one that loses something
  /// Failures and checkpoints take more of the run than any cause of its steps.
  bool failing = false;
  CauseKind kind() const {
    return failing ? CauseKind::Failure : verdict ? verdict->kind : CauseKind::Compute;
  }
  std::vector<Saving> changes; ///< those that help, best first
  /// The same of those after which a step learns something else.
  std::vector<Saving> learning;
  std::size_t tried = 0; ///< legal changes that were executed
};

/// What saves less than this share of a step is no verdict.
constexpr double leastVerdict = 0.1;

/// Why not, as a sentence; empty for a plan that is diagnosed.
std::string whyNotDiagnosed(const ir::Plan& plan, const simulation::SimulationRequest& request);
/// The causes, and the changes that help. Relies on: a complete plan, and `whyNotDiagnosed` is
/// empty.
Diagnosis diagnose(const ir::Plan& plan, const simulation::SimulationRequest& request,
                   const Trainer& trainer);

std::string renderText(const ir::Plan& plan, const Diagnosis& diagnosis, unsigned width);
Json renderJson(const Diagnosis& diagnosis);

} // namespace dpl::diagnosis
