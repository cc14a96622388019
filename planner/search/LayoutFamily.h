#pragma once
//===- LayoutFamily.h - Candidates that differ in degrees and in an OpenChoice ----------------===//
//
// A family has one plan, which differs between its candidates only in the degrees and in the fields
// of an OpenChoice. Everything that a bound or an estimate needs is computed once for the fields
// that it reads: costs of a division for each recomputation, rules of legality and splits for each
// shape of a pipeline.
#include "planner/Bound.h"
#include "planner/Estimator.h"
#include "planner/search/Degrees.h"
#include "planner/search/PlanBound.h"

namespace dpl::planner {

class LayoutFamily {
public:
  using Point = std::uint32_t; ///< number of a combination of degrees

  /// Whether bounds and estimates of the plan's candidates are known. They are not for an automatic
  /// mesh or schedule, meshes with replicas or another order of axes, balanced splits, and data
  /// ranks that do not wait for each other.
  static bool supports(const ir::Plan& plan);

  /// A plan whose devices are selected, with the first value of each degree.
  LayoutFamily(ir::Plan plan, llvm::ArrayRef<DegreeField> degrees, std::uint64_t points);
  LayoutFamily(const LayoutFamily&) = delete;

  /// Adds a choice and returns its number.
  std::size_t add(const ir::Layout& layout);
  /// Computes the rules of all points, after the last choice.
  void findRules();

  std::size_t choices() const { return open.size(); }
  /// The first choice with the same shape of the pipeline and recomputation. The bound of the step
  /// does not depend on anything else.
  std::size_t bundleOf(std::size_t choice) const { return bundles[choice]; }
  std::size_t recomputationOf(std::size_t choice) const { return open[choice].recomputation; }
  /// The rule that refuses a layout, as an index of `rules()`; 0: it is legal.
  std::size_t ruleOf(std::size_t choice, Point point) {
    return slow[choice]                                    ? slowRuleOf(choice, point)
           : fixedRule[choice] != cost::LegalityRule::None ? ruleOfFixed(choice, point)
                                                           : shapes[shapeOf[choice]].rules[point];
  }
  const std::vector<std::string>& rules() const { return names; }

  /// A bound for every choice with this choice's recomputation.
  double groupBound(std::size_t choice, Point point);
  PlanBound bound(std::size_t choice, Point point);
  Estimate exact(std::size_t choice, Point point);
  /// Frees the tables of estimates.
  void forget();

  /// Entries of the tables that candidates share, for tests.
  struct TableSizes {
    std::size_t shapes = 0, splits = 0, divisions = 0;
    bool operator==(const TableSizes&) const = default;
  };
  TableSizes tables() const;

private:
  struct Shape {
    std::size_t first; ///< first choice with this shape
    cost::LegalityInputs facts;
    std::vector<std::uint16_t> rules; ///< by point
    /// By the degrees that they depend on.
    std::unordered_map<cost::LayoutCandidate, std::vector<ir::Chunk>, CandidateHash> splits;
  };
  /// The broken rules as one number; 0 if there is none.
  std::uint64_t brokenBy(const Shape& shape, const ResolvedCandidate& of) const;
  /// Valid until the next call.
  const ResolvedCandidate& candidateOf(Point point);
  ResolvedCandidate resolved(Point point);
  std::size_t ruleOfFixed(std::size_t choice, Point point);
  std::size_t slowRuleOf(std::size_t choice, Point point);
  std::size_t placementRule(std::size_t choice, Point point, const cost::LayoutCandidate& of);
  /// The first error of the passes through the named one, as an index of `names`.
  std::size_t ruleOfPasses(std::size_t choice, Point point, const char* last);
  llvm::ArrayRef<ir::Chunk> splitOf(std::size_t choice, const cost::LayoutCandidate& candidate);
  Estimator& estimatorOf(std::size_t choice);
  Bounds& boundsOf();

  ir::Plan plan;
  ir::Layout written;              ///< for candidateOf
  std::unique_ptr<ir::Plan> trial; ///< for passes
  llvm::ArrayRef<DegreeField> degrees;
  std::uint64_t points;
  bool experts, placesAxes = false;
  std::vector<ResolvedCandidate> candidates; ///< by point, unless there are too many
  ResolvedCandidate lastCandidate;
  std::vector<OpenChoice> open;
  std::vector<ir::Recompute> recomputations;
  std::vector<std::size_t> bundles, shapeOf;                          ///< by choice
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> firstOf; ///< of a bundle
  std::vector<cost::LegalityRule> fixedRule;                          ///< by choice
  std::vector<char> slow; ///< by choice: passes find other rules
  std::vector<Shape> shapes;
  std::vector<std::string> names = {""}; ///< rules
  /// Rules of layouts that break the same rules of cost/legality.
  std::map<std::array<std::uint64_t, 3>, std::size_t> known;
  std::unordered_map<cost::LayoutCandidate, std::size_t, CandidateHash> placed; ///< by mesh
  std::unique_ptr<Bounds> bounds;
  std::vector<std::unique_ptr<Estimator>> estimators; ///< by choice, made when needed
  std::shared_ptr<PipelineShapes> pipelines = std::make_shared<PipelineShapes>();
};

} // namespace dpl::planner
