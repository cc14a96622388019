#pragma once
//===- Trial.h - What the passes say of one point, without words ------------------------------===//
#include "cost/legality/LayoutCandidate.h"
#include "passes/Pass.h"
#include "planner/TrainerRefusals.h"

namespace dpl::planner {
struct OpenChoice;

/// Whether the passes may refuse a plan that fits as it was estimated.
bool mayBeRefused(const ir::Plan& plan);
/// The first error that the passes have for a plan; empty where there is none.
std::string firstErrorOf(ir::Plan& plan);

/// One copy of a plan that takes point after point.
class Trial {
public:
  explicit Trial(const ir::Plan& plan);

  /// The first error that the passes have for a point; empty where there is none.
  std::string errorOf(const cost::LayoutCandidate& candidate);
  /// The same of one that fits as it was estimated: they are asked where they may refuse it still,
  /// as what the file asserts may not hold and an allocator's free blocks leave it no room.
  std::string errorOfFitting(const cost::LayoutCandidate& candidate);
  /// The largest share of its device's memory that a rank of the last of these needs, with the free
  /// blocks of an allocator, which an estimate leaves out; 0 if the passes were not asked.
  double shareOfFitting() const { return share; }
  /// Writes the values of a choice into the copy.
  void choose(const OpenChoice& choice);
  /// The reasons for which the program refuses a legal point. Only the passes that its rules need
  /// run, so that the answer does not depend on memory and is cheap.
  std::set<std::string> refusalsOf(const cost::LayoutCandidate& candidate,
                                   const PlanRefusals& refusals);
  /// Whether the program takes a legal point, apart from the reasons that it ignores.
  bool isAccepted(const cost::LayoutCandidate& candidate, const TrainerRefusals& program);
  /// Passes of a chunk in all steps that the passes executed so far, as countedActions counts them.
  std::uint64_t executed() const { return counted; }

private:
  ir::Plan plan;
  std::uint64_t counted = 0;
  double share = 0;
  bool experts;
};

} // namespace dpl::planner
