#pragma once
//===- MeshSearch.h - Search for the fastest candidate and choice of a space ------------------===//
#include "planner/Bound.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "planner/Trial.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>
#include <optional>

namespace dpl::planner {

/// A layout of the space: a candidate with a choice, and its step time.
struct FoundLayout {
  std::uint64_t step = 0; ///< estimated step time in ps
  std::size_t choice = 0, candidate = 0;
  auto operator<=>(const FoundLayout&) const = default;
};

/// Evaluates layouts in the order of their lower bounds until the next bound exceeds the best step.
class MeshSearch {
public:
  /// Refers to the plan. The search ends with the best layout so far when it has executed
  /// `mostExecuted` actions, or twice as many if it has found none by then.
  MeshSearch(const ir::Plan& plan, std::vector<OpenChoice> choices, std::uint64_t mostExecuted);

  /// From now on, searches leave out layouts that the program refuses.
  void exclude(TrainerRefusals asked) {
    program = std::move(asked), refused.clear(), refusedCandidates.clear(),
    checkedCandidates.clear();
  }
  /// The reasons for which the program refuses every one of many layouts: all choices at the first
  /// candidate, and a sample of the others.
  std::set<std::string> commonRefusals(const PlanRefusals& refusals);

  bool isEmpty() const { return candidates.empty(); }
  /// The number of legal layouts, which are pairs of a candidate and a choice.
  std::size_t size() const;
  const cost::LayoutCandidate& candidate(std::size_t i) const { return candidates[i]; }
  std::size_t choices() const { return open.size(); }
  /// Sets the fields of `layout` that a file would set for this layout of the space.
  void write(const FoundLayout& found, ir::Layout& layout) const;
  /// The text of a layout: "tensor 2 × pipeline 4 × data 2, micro-batch 1, split = by_flop".
  std::string textOf(const FoundLayout& found) const;

  /// The fastest layout that needs at most `share` of the memory and at most `than` ps; the first
  /// one among equals.
  std::optional<FoundLayout> fastest(double share, std::uint64_t than = UINT64_MAX);
  /// Whether the same layout with a balanced split is clearly faster, needs at most `share` of the
  /// memory, and is accepted by the program.
  bool balancedIsFaster(const FoundLayout& found, double share);

  /// Why the last search ended before it had evaluated all layouts that may be faster. Later
  /// searches keep `Refused`, unless they end early for another reason.
  enum class SearchEnd : std::uint8_t { Complete, Executed, Broken, Refused };
  SearchEnd ended() const { return end; }
  /// The limit of executed actions.
  std::uint64_t mostExecuted() const { return most; }
  /// The number of layouts that may be faster but were not evaluated.
  std::size_t unjudgedLayouts() const { return unjudged; }
  /// The number of layouts that fit and break an assertion.
  std::size_t brokenLayouts() const { return broken.size(); }
  /// The number of layouts that the program refused in the last search that asked it.
  std::size_t refusedLayouts() const { return newlyRefused; }
  /// The layout that needs the least memory, and the reason why it does not fit or is refused.
  std::pair<std::string, std::string> nearest();

private:
  /// Kinds of bounds, each more expensive than the one before it. A balanced split is the most
  /// expensive, because finding it executes many steps.
  enum class Bounded : std::uint8_t { AnyByWidest, AnyByItself, ByWidest, ByItself };
  struct BoundedCandidate {
    double step = 0; ///< lower bound, seconds
    std::size_t candidate = 0, choice = 0;
    Bounded by = Bounded::ByItself;
    bool operator<(const BoundedCandidate& o) const { // std::priority_queue has the largest on top
      return step != o.step       ? step > o.step
             : choice != o.choice ? choice > o.choice
                                  : candidate > o.candidate;
    }
  };
  class Queue;
  using ChoiceAndCandidate = std::pair<std::size_t, std::size_t>; ///< choice and candidate

  static cost::LayoutCandidate familyOf(const cost::LayoutCandidate& candidate);
  std::uint64_t stepToBeat() const { return best ? best->step : limit; }
  bool slower(double step) const;
  Bounded firstBound() const;
  bool isLegal(std::size_t choice, std::size_t point) const {
    return planner::isLegal(plan, legality[choice], open[choice], candidates[point]);
  }
  void refine(const BoundedCandidate& next, Queue& queue);
  void judge(const BoundedCandidate& next, double share);
  SearchEnd endNow() const;
  void endEarly(SearchEnd why, std::size_t layouts);
  bool isAccepted(const ChoiceAndCandidate& layout);
  bool isRefusedThroughout(std::size_t point);
  Bound boundOf(const BoundedCandidate& of);
  llvm::ArrayRef<ir::Chunk> splitOf(std::size_t choice, const cost::LayoutCandidate& candidate);
  Estimator& estimatorOf(std::size_t choice);
  /// The copy of the plan for the passes, with the values of a choice.
  Trial& with(const OpenChoice& choice);
  std::uint64_t executed() const;

  const ir::Plan& plan;
  const std::uint64_t most; ///< limit of the number of executed actions
  std::vector<OpenChoice> open;
  std::vector<std::size_t> recomputations;    ///< the first choice with each recomputation
  std::vector<cost::LegalityInputs> legality; ///< one for each choice
  std::vector<cost::LayoutCandidate> candidates;
  Bounds bounds;
  std::shared_ptr<PipelineShapes> shapes = std::make_shared<PipelineShapes>();
  std::vector<std::unique_ptr<Estimator>> estimators; ///< one for each choice, made when needed
  /// The chunks of a split by candidate, one map per choice.
  std::vector<std::unordered_map<cost::LayoutCandidate, std::vector<ir::Chunk>, CandidateHash>>
      splits;
  double memory = 0, reserved = 0; ///< bytes of the largest device, and the least reserved bytes
  /// The candidate with the most tokens of each family.
  std::unordered_map<cost::LayoutCandidate, cost::LayoutCandidate, CandidateHash> widest;
  TrainerRefusals program;
  Trial trial;                                ///< used for every choice
  llvm::DenseSet<ChoiceAndCandidate> refused; ///< layouts that the program refuses
  /// Candidates that the program refuses with every choice, and those checked for that.
  llvm::DenseSet<std::size_t> refusedCandidates, checkedCandidates;
  llvm::DenseSet<ChoiceAndCandidate> broken; ///< layouts that fit and break an assertion
  std::optional<FoundLayout> best;
  std::uint64_t limit = UINT64_MAX; ///< longest step of interest, ps
  SearchEnd end = SearchEnd::Complete;
  std::size_t newlyRefused = 0, unjudged = 0;
  FoundLayout nearestFound; ///< the fastest layout among those that fit and break an assertion
  std::string nearestReason;
};

} // namespace dpl::planner
