#pragma once
//===- LayoutSearch.h - Candidates in the order of their steps, by bounds and execution -------===//
//
// The candidates of a search are rows of numbers: a combination, which the front end compiled once,
// and a point, one number for each degree. Groups of candidates are refined in the order of their
// lower bounds: all layouts of a division and recomputation, then those with one shape of the
// pipeline, then single ones, which are executed if their bound is reached.
#include "planner/search/CandidateSearch.h"
#include "planner/search/LayoutFamily.h"
#include <queue>

namespace dpl::planner {

/// Conditions of a search on candidates, which the caller identifies by numbers.
struct LayoutConditions {
  /// The text of the `require` over fields that a candidate breaks; null if there is none.
  std::function<const std::string*(std::uint64_t candidate)> brokenByFields;
  /// The number of the candidate with the first value of each field that does not matter for
  /// `brokenByFields`.
  std::function<std::uint64_t(std::uint64_t candidate)> fieldsOf;
  /// The outcome of a candidate whose bounds break a `require`; empty without such a `require`.
  std::function<ScreenedCandidate(const PlanBound&)> brokenByBound;
  /// Only every `shards`-th candidate belongs to the search, from `shard`, which counts from 1.
  std::uint64_t shard = 1, shards = 1;
  /// Whether the search has to end now; empty: never.
  std::function<bool()> stop;
};

class LayoutSearch final : public OrderedCandidates {
public:
  explicit LayoutSearch(std::vector<DegreeField> degrees);

  /// Adds a combination. `first` is its candidate with the first value of each degree. `plan` is
  /// the result of the front end; without one, `rule` is the reason and `fate` the outcome.
  void add(std::uint64_t first, std::optional<ir::Plan> plan, std::string rule,
           CandidateFate fate = CandidateFate::Illegal);
  void setConditions(LayoutConditions given) { conditions = std::move(given); }

  std::vector<std::uint64_t> others() const override;
  void screen(Exclude exclude) override;
  void boundAll(Exclude exclude, Visit visit) override;
  double leastStep() const override;
  std::optional<Bounded> next(double limit, Exclude exclude) override;
  Excess excess(Visit executed) override;

private:
  using Point = LayoutFamily::Point;
  bool isStopped() const { return conditions.stop && conditions.stop(); }
  /// A set of candidates of one family and point. Each kind of set is part of a set of the next
  /// kind.
  enum class NodeKind : std::uint8_t { Executed, Layout, Shape, Group };
  struct Node {
    double step = 0;  ///< lower bound of the step in seconds; the exact step if it was executed
    double bound = 0; ///< lower bound of the step in seconds
    std::uint32_t family = 0, choice = 0;
    Point point = 0;
    NodeKind kind = NodeKind::Group;
    bool operator<(const Node& o) const { // std::priority_queue has the largest on top
      return std::tie(o.step, o.kind, o.family, o.point, o.choice) <
             std::tie(step, kind, family, point, choice);
    }
  };
  /// Choices that break the same rules and conditions at each point.
  struct ChoiceClass {
    std::uint32_t first = 0;            ///< the first choice
    std::vector<std::uint64_t> members; ///< choices by candidate number modulo `shards`
    std::vector<bool> open;             ///< by kind of points: they break none
  };
  struct Family {
    LayoutFamily layouts;
    std::vector<std::uint64_t> firsts; ///< by choice: first candidate of its combination
    std::map<std::size_t, std::vector<std::uint32_t>> byRecomputation; ///< first choices of bundles
    std::map<std::size_t, std::vector<std::uint32_t>> byBundle;        ///< choices
    std::vector<ChoiceClass> classes;
    std::vector<std::uint32_t> classOf; ///< by choice
  };

  std::uint64_t numberOf(const Node& node) const {
    return families[node.family]->firsts[node.choice] + offsetOf(node.point);
  }
  /// The distance of a point's candidates from the first ones of their combinations.
  std::uint64_t offsetOf(Point point) const;
  const std::string* brokenByFields(const Node& node) const;
  bool isOpen(const Node& node) const;
  struct EqualPoints {
    Point first = 0;
    std::uint64_t count = 0;
  };
  std::map<std::uint64_t, EqualPoints> equalPoints() const;
  /// Points with the same key break the same conditions and belong to the same shard.
  std::uint64_t keyOf(Point point) const;
  void screenRefused(Exclude exclude);
  void screenFamily(std::uint32_t number, Exclude exclude);
  void findClasses(Family& family) const;
  using CountRule = llvm::function_ref<void(std::size_t rule, std::uint64_t count)>;
  using CountCondition = llvm::function_ref<void(const std::string* condition, std::uint64_t)>;
  void screenClass(Family& family, ChoiceClass& of, CountRule countRule,
                   CountCondition countCondition);
  void addGroups(std::uint32_t number);
  void refineGroup(const Node& node);
  void refineShape(const Node& node, Exclude exclude);
  void execute(Node node, Exclude exclude);
  bool isInShard(std::uint64_t candidate) const {
    return candidate % conditions.shards == conditions.shard - 1;
  }
  /// Excludes the candidates of a node if they cannot fit or break a `require`; returns whether it
  /// did.
  bool isExcluded(const PlanBound& bound, const Node& node, Exclude exclude);

  std::vector<DegreeField> degrees;
  std::uint64_t points = 1;                       ///< combinations of all degrees
  std::map<std::string, std::uint32_t> byContent; ///< families by their plans
  std::vector<std::unique_ptr<Family>> families;
  /// A combination without a plan.
  struct Refused {
    std::uint64_t first = 0;
    CandidateFate fate = CandidateFate::Illegal;
    std::string rule;
  };
  std::vector<Refused> refused;
  std::vector<std::uint64_t> unsupported; ///< first candidates of combinations without bounds
  LayoutConditions conditions;
  std::priority_queue<Node> queue;
  std::uint64_t open = 0;      ///< candidates that are neither excluded nor handed out
  std::uint64_t executed = 0;  ///< number of open candidates that were executed
  std::uint64_t estimates = 0; ///< number of estimates since the tables were freed
};

} // namespace dpl::planner
