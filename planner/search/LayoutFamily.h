#pragma once
//===- LayoutFamily.h - Candidates that differ in degrees and in an OpenChoice ----------------===//
//
// A family has one plan, which differs between its candidates only in the degrees and in the fields
// of an OpenChoice. Everything that a bound or an estimate needs is computed once for the fields
// that it reads: costs of a division for each recomputation, rules of legality and splits for each
// shape of a pipeline.
#include "cost/legality/BrokenRules.h"
#include "planner/Bound.h"
#include "planner/Estimator.h"
#include "planner/PlanBound.h"
#include "planner/search/Degrees.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::planner {

class LayoutFamily {
public:
  using Point = std::uint32_t; ///< number of one combination of degrees

  /// Whether bounds and estimates of the plan's candidates are known. They are not for an automatic
  /// mesh or schedule, meshes with replicas or another order of axes, balanced splits, and data
  /// ranks that do not wait for each other.
  static bool supports(const ir::Plan& plan);

  /// A plan whose devices are selected, with the first value of each degree.
  LayoutFamily(ir::Plan plan, llvm::ArrayRef<DegreeField> degrees, std::uint64_t points);
  LayoutFamily(const LayoutFamily&) = delete;

  /// Adds a choice and returns its number.
  std::size_t add(const ir::Layout& layout);
  /// Points that break the same rules with each choice, and that have the same key.
  struct PointKind {
    Point first = 0;         ///< the first one
    std::uint64_t count = 0; ///< number of points
    std::uint64_t key = 0;
    cost::BrokenByDegrees broken;
    std::uint64_t stages = 1;
    std::size_t placement = 0; ///< rule of `within` and `across`
  };
  using KeyOfPoint = llvm::function_ref<std::uint64_t(Point)>;
  /// Finds the kinds of all points and their rules, after the last choice.
  void findRules(KeyOfPoint keyOf = [](Point) { return std::uint64_t{0}; });
  const std::vector<PointKind>& kinds() const { return pointKinds; }
  std::uint32_t kindOf(Point point) const { return kindOfPoint[point]; }

  std::size_t choices() const { return open.size(); }
  /// The first choice with the same shape of the pipeline and recomputation. The bound of the step
  /// does not depend on anything else.
  std::size_t bundleOf(std::size_t choice) const { return bundles[choice]; }
  std::size_t recomputationOf(std::size_t choice) const { return open[choice].recomputation; }
  /// The rule that refuses a layout, as an index of `rules()`; 0: it is legal.
  std::size_t ruleOf(std::size_t choice, Point point) {
    return isSlow(choice) ? ruleOfPasses(choice, point, "partition-layers")
                          : ruleOfKind(choice, kindOf(point));
  }
  /// The same for all points of a kind, if the choice is not slow.
  std::size_t ruleOfKind(std::size_t choice, std::uint32_t kind);
  /// Whether the passes decide for each point.
  bool isSlow(std::size_t choice) const { return slow[choice] != 0; }
  /// Choices with the same shape and the same rule that the choice breaks by itself have the same
  /// rules, unless they are slow.
  std::pair<std::size_t, cost::LegalityRule> rulesKeyOf(std::size_t choice) const {
    return {shapeOf[choice], fixedRule[choice]};
  }
  const std::vector<std::string>& rules() const { return names; }

  /// A bound for every choice with the recomputation of this choice.
  double groupBound(std::size_t choice, Point point);
  PlanBound bound(std::size_t choice, Point point);
  Estimate exact(std::size_t choice, Point point);
  /// Frees the tables of estimates.
  void forget();

  /// The numbers of entries in the tables that candidates share, for tests.
  struct TableSizes {
    std::size_t shapes = 0, splits = 0, divisions = 0;
    bool operator==(const TableSizes&) const = default;
  };
  TableSizes tables() const;

private:
  struct Shape {
    std::size_t first; ///< first choice with this shape
    cost::LegalityInputs facts;
    /// By the degrees that they depend on.
    std::unordered_map<cost::LayoutCandidate, std::vector<ir::Chunk>, CandidateHash> splits;
  };
  ResolvedCandidate resolved(Point point);
  void findKinds(KeyOfPoint keyOf);
  cost::LayoutCandidate candidateOf(Point point);
  std::optional<std::size_t> choiceWithoutRule(std::size_t shape) const;
  std::size_t placementRule(Point point, const cost::LayoutCandidate& of);
  /// The first error of the passes through the named one, as an index of `names`.
  std::size_t ruleOfPasses(std::size_t choice, Point point, const char* last);
  llvm::ArrayRef<ir::Chunk> splitOf(std::size_t choice, const cost::LayoutCandidate& candidate);
  Estimator& estimatorOf(std::size_t choice);
  Bounds& boundsOf();

  ir::Plan plan;
  ir::Layout written;              ///< layout into which candidateOf writes the numbers of a point
  std::unique_ptr<ir::Plan> trial; ///< copy of the plan on which passes run; null until needed
  llvm::ArrayRef<DegreeField> degrees;
  std::uint64_t points;
  bool experts, placesAxes = false;
  std::vector<PointKind> pointKinds;
  std::vector<std::uint32_t> kindOfPoint; ///< by point
  /// The candidates of points whose degrees break no rule, unless there are too many.
  std::vector<std::pair<Point, cost::LayoutCandidate>> candidates;
  std::vector<OpenChoice> open;
  std::vector<ir::Recompute> recomputations;
  std::vector<std::size_t> bundles, shapeOf;                          ///< by choice
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> firstOf; ///< of a bundle
  std::vector<cost::LegalityRule> fixedRule;                          ///< by choice
  std::vector<char> slow; ///< whether passes find other rules, by choice
  std::vector<Shape> shapes;
  std::vector<std::string> names = {""}; ///< rules by index; index 0: no rule
  /// Index of the reported rule, by the rules of cost/legality that a layout breaks.
  std::map<std::array<std::uint64_t, 3>, std::size_t> known;
  std::unordered_map<cost::LayoutCandidate, std::size_t, CandidateHash> placed; ///< by mesh
  std::unique_ptr<Bounds> bounds;
  std::vector<std::unique_ptr<Estimator>> estimators; ///< by choice, made when needed
  std::shared_ptr<PipelineShapes> pipelines = std::make_shared<PipelineShapes>();
};

} // namespace dpl::planner
