#pragma once
//===- Trial.h - The passes on one candidate, without messages --------------------------------===//
#include "cost/legality/LayoutCandidate.h"
#include "passes/Pass.h"
#include "planner/TrainerRefusals.h"

namespace dpl::planner {
struct OpenChoice;

/// Whether the passes may refuse a plan whose estimate fits.
bool mayBeRefused(const ir::Plan& plan);
/// The first error of the passes for a plan; empty if there is none.
std::string firstErrorOf(ir::Plan& plan);

/// A copy of a plan that is reused for each candidate.
class Trial {
public:
  explicit Trial(const ir::Plan& plan);

  /// The first error of the passes for a candidate; empty if there is none.
  std::string errorOf(const cost::LayoutCandidate& candidate);
  /// The same for a candidate whose estimate fits. The passes run only if they may still refuse the
  /// candidate, for a failed assertion or for the free blocks of an allocator.
  std::string errorOfFitting(const cost::LayoutCandidate& candidate);
  /// The largest share of device memory that a rank needs in the last candidate given to
  /// errorOfFitting, with the allocator's free blocks, which an estimate omits; 0 if the passes did
  /// not run.
  double shareOfFitting() const { return share; }
  /// Writes the values of a choice into the copy.
  void choose(const OpenChoice& choice);
  /// The reasons for which the program refuses a legal candidate. Only the passes that the rules of
  /// the program need run, so that the call is cheap and the result does not depend on memory.
  std::set<std::string> refusalsOf(const cost::LayoutCandidate& candidate,
                                   const PlanRefusals& refusals);
  /// Whether the program accepts a legal candidate, apart from ignored reasons.
  bool isAccepted(const cost::LayoutCandidate& candidate, const TrainerRefusals& program);
  /// The actions of all steps executed so far, as countedActions counts them.
  std::uint64_t executed() const { return counted; }

private:
  ir::Plan plan;
  std::uint64_t counted = 0;
  double share = 0;
  bool experts;
};

} // namespace dpl::planner
