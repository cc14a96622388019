#pragma once
//===- MeshSearch.h - The fastest point and choice of a space ---------------------------------===//
#include "planner/Bound.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "planner/Trial.h"
#include "llvm/ADT/DenseSet.h"
#include <memory>
#include <optional>

namespace dpl::planner {

/// A point with one of the choices, and its step.
struct FoundLayout {
  std::uint64_t step = 0; ///< ps, as it is estimated
  std::size_t choice = 0, point = 0;
  auto operator<=>(const FoundLayout&) const = default;
};

/// Judges layouts in the order of their lower bounds until the next bound is above the best step.
class MeshSearch {
public:
  /// Borrows the plan. Once `mostExecuted` passes were executed it ends with the best so far, and
  /// twice as many where there is none yet.
  MeshSearch(const ir::Plan& plan, std::vector<OpenChoice> choices, std::uint64_t mostExecuted);

  /// From now on what the program that runs the plan does not take is left out; with an empty
  /// function nothing is.
  void leaveOut(TakesPlan program) {
    takes = std::move(program), refusals.clear(), refusedPoints.clear();
  }

  bool isEmpty() const { return points.empty(); }
  /// Legal layouts: pairs of a point and a choice.
  std::size_t size() const;
  const cost::Point& point(std::size_t i) const { return points[i]; }
  std::size_t choices() const { return open.size(); }
  /// Writes a layout of the space into another, as the file could have said it.
  void write(const FoundLayout& found, ir::Layout& layout) const;
  /// "tensor 2 × pipeline 4 × data 2, micro-batch 1, split = by_flop".
  std::string textOf(const FoundLayout& found) const;

  /// The fastest of those that take at most `share` of the memory; of equals the first.
  std::optional<FoundLayout> fastest(double share);
  /// The first layout in the order of bounds with more than `ranks` pipeline ranks, a step below
  /// `than` seconds and at most `share` of the memory; nothing where the first few are not such.
  std::optional<FoundLayout> longer(std::uint64_t ranks, double than, double share);
  /// The same layout with a balanced split, where that is clearly faster and takes at most `share`
  /// of the memory.
  std::optional<FoundLayout> balanced(const FoundLayout& found, double share);

  /// Layouts that might be faster but that were left, since too much was executed before.
  std::size_t leftOut() const { return left; }
  /// Layouts that fit and that the passes refuse.
  std::size_t refusedByPasses() const { return refused; }
  /// Whether so many were refused that the search gave up.
  bool gaveUp() const;
  /// Whether the passes refuse layouts that fit.
  bool someFit() const { return refused > 0; }
  /// The layout that needs the least memory, and what it lacks.
  std::pair<std::string, std::string> nearest();

private:
  /// Each costs more to know than the one before it: a balanced split is found by executing many.
  enum class Bounded : std::uint8_t { AnyByWidest, AnyByItself, ByWidest, ByItself };
  struct Candidate {
    double step = 0; ///< seconds, at least
    std::size_t point = 0, choice = 0;
    Bounded by = Bounded::ByItself;
    bool operator<(const Candidate& o) const { // the queue has the largest on top
      return step != o.step       ? step > o.step
             : choice != o.choice ? choice > o.choice
                                  : point > o.point;
    }
  };
  /// What judges the layouts of a choice, made when it is first asked for.
  struct Judge {
    Estimator estimator;
    Trial trial;
    explicit Judge(const ir::Plan& plan) : estimator(plan), trial(plan) {}
    std::uint64_t executed() const { return estimator.executed() + trial.executed(); }
  };
  class Queue;

  static cost::Point familyOf(const cost::Point& point);
  bool slower(double step) const;
  Bounded firstBound() const;
  bool isLegal(std::size_t choice, std::size_t point) const {
    return planner::isLegal(plan, facts[choice], open[choice], points[point]);
  }
  void start(Queue& queue, std::uint64_t ranks);
  void refine(const Candidate& next, Queue& queue);
  void judge(const Candidate& next, double share);
  bool isRefused(const Candidate& of) const;
  bool isTaken(const Candidate& next);
  Bound boundOf(const Candidate& of);
  llvm::ArrayRef<ir::Chunk> splitOf(std::size_t choice, const cost::Point& point);
  Judge& judgeOf(std::size_t choice);
  std::uint64_t executed() const;

  const ir::Plan& plan;
  const std::uint64_t most; ///< counted passes
  std::vector<OpenChoice> open;
  std::vector<std::size_t> recomputations; ///< the first choice of each
  std::vector<cost::LegalityFacts> facts;  ///< by choice
  std::vector<cost::Point> points;
  Bounds bounds;
  std::vector<std::unique_ptr<Judge>> judges; ///< by choice
  std::vector<std::unordered_map<cost::Point, std::vector<ir::Chunk>, PointHash>> splits; ///< too
  double memory = 0, reserved = 0; ///< bytes: of the largest device, and least reserved
  std::unordered_map<cost::Point, cost::Point, PointHash>
      widest; ///< of each family the most tokens
  TakesPlan takes;
  std::vector<std::pair<std::size_t, bool>> refusals; ///< choices, without a pipeline and with one
  llvm::DenseSet<std::size_t> refusedPoints;          ///< whatever the choice
  std::optional<FoundLayout> best;
  std::size_t refused = 0, left = 0;
  FoundLayout nearestFound; ///< of those that are refused
  std::string nearestSaid;
};

} // namespace dpl::planner
