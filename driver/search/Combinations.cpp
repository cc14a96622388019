//===- Combinations.cpp - Compiles each combination of a search's fields once -----------------===//
#include "driver/search/Combinations.h"
#include "driver/search/FieldConditions.h"
#include "planner/search/PlanContent.h"
#include "support/Threads.h"
#include "llvm/ADT/ArrayRef.h"
using namespace dpl;
using namespace dpl::search;
using planner::Degree;
using planner::DegreeField;

namespace {
/// Number of combinations that are compiled before their families are found.
constexpr std::uint64_t compiledAtOnce = 64;
/// Limit on the values of a degree, each of which is compiled once.
constexpr std::uint64_t mostValues = 4096;

class CombinationCompiler {
public:
  CombinationCompiler(const ir::Space& space, CandidateRunner& runner, FieldConditions& conditions,
                      const planner::CandidateSearchOptions& options)
      : space(space), runner(runner), conditions(conditions), threads(options.threads),
        stop(options.stop), isNumber(space.open.size(), false), limits(upperLimits(space)) {
    for (const ir::OpenField& field : space.open)
      opensMesh = opensMesh || field.path == "mesh";
  }

  /// Whether a limit of a `require` is another one in some combination, because it reads a field of
  /// another block. Known after `run`.
  bool limitsDiffer() const { return otherLimits; }
  /// Whether a condition reads a number, after `run`.
  bool conditionsReadNumbers() const { return conditions.read(isNumber); }
  /// Whether an open field is a number, after `run`.
  const std::vector<bool>& numbers() const { return isNumber; }

  std::unique_ptr<planner::LayoutSearch> run() {
    CompiledCandidate base = compiled(0, 0);
    if (!base.plan)
      return nullptr;
    findNumbers(base);
    // An expression may read a degree only in some combinations, so a degree may stop being a
    // number.
    for (;;) {
      auto out = std::make_unique<planner::LayoutSearch>(degrees());
      if (addAll(*out))
        return stop && stop() ? nullptr : std::move(out);
    }
  }

private:
  std::vector<DegreeField> degrees() const {
    std::vector<DegreeField> out;
    for (std::size_t i = 0; i < space.open.size(); ++i)
      if (isNumber[i])
        out.push_back({degreesOf(space.open[i]), values[i], conditions.stride(i)});
    return out;
  }

  /// The degrees that an open field may set; none if the field is not a number.
  std::vector<Degree> degreesOf(const ir::OpenField& field) const {
    if (field.path == "mesh") {
      std::vector<Degree> out = {Degree::Pipeline, Degree::Data, Degree::Context, Degree::Tensor};
      if (hasExperts)
        out.insert(out.end(), {Degree::Expert, Degree::ExpertTensor});
      return out;
    }
    const std::optional<Degree> degree = planner::degreeNamed(field.path);
    return degree ? std::vector<Degree>{*degree} : std::vector<Degree>();
  }

  /// The values of these degrees in a layout; empty if one of them is missing.
  static std::vector<std::uint64_t> numbersOf(const ir::Layout& layout,
                                              llvm::ArrayRef<Degree> degrees) {
    std::vector<std::uint64_t> out;
    for (const Degree degree : degrees)
      if (const std::optional<std::uint64_t> number = planner::numberOf(layout, degree))
        out.push_back(*number);
    if (out.size() != degrees.size())
      out.clear();
    return out;
  }

  /// Compiles a candidate. If whole meshes are candidates, all axes are named.
  CompiledCandidate compiled(std::uint64_t candidate, unsigned worker) const {
    CompiledCandidate out = runner.compiled(candidate, worker);
    if (out.plan && opensMesh) {
      const std::uint64_t devices = out.plan->layout.devices;
      (void)planner::nameAllAxes(out.plan->layout,
                                 devices > 0 ? devices : out.plan->cluster.devices(),
                                 cost::hasExperts(out.plan->model));
    }
    return out;
  }

  /// Finds open fields whose values change one number of the plan and nothing else.
  void findNumbers(CompiledCandidate& base) {
    hasExperts = cost::hasExperts(base.plan->model);
    const std::string content = planner::contentOf(*base.plan);
    values.resize(space.open.size());
    for (std::size_t i = 0; i < space.open.size(); ++i)
      isNumber[i] = space.open[i].size() <= mostValues &&
                    base.reads.count(space.open[i].path) == 0 && !conditions.readsWithPlan(i) &&
                    findValues(i, *base.plan, content);
  }

  bool findValues(std::size_t i, const ir::Plan& base, const std::string& content) {
    DegreeField field{degreesOf(space.open[i]), {}, conditions.stride(i)};
    field.values = {numbersOf(base.layout, field.degrees)};
    if (field.values.front().empty())
      return false;
    for (std::uint64_t value = 1; value < space.open[i].size(); ++value) {
      CompiledCandidate of = compiled(value * field.stride, 0);
      field.values.push_back(of.plan ? numbersOf(of.plan->layout, field.degrees)
                                     : std::vector<std::uint64_t>());
      if (field.values.back().empty())
        return false;
      field.write(0, of.plan->layout);
      if (planner::contentOf(*of.plan) != content)
        return false;
    }
    values[i] = std::move(field.values);
    return true;
  }

  /// Adds all combinations. False if one of them reads a field that was taken for a number.
  bool addAll(planner::LayoutSearch& to) {
    std::vector<std::uint64_t> firsts = {0};
    for (std::size_t i = 0; i < space.open.size(); ++i) {
      if (isNumber[i])
        continue;
      std::vector<std::uint64_t> more;
      for (const std::uint64_t first : firsts)
        for (std::uint64_t value = 0; value < space.open[i].size(); ++value)
          more.push_back(first + value * conditions.stride(i));
      firsts = std::move(more);
    }
    std::vector<CompiledCandidate> found;
    std::vector<const std::string*> broken;
    for (std::size_t begin = 0; begin < firsts.size(); begin += compiledAtOnce) {
      if (stop && stop())
        return true; // the search has ended
      const std::uint64_t n = std::min<std::uint64_t>(compiledAtOnce, firsts.size() - begin);
      found.clear(), found.resize(n), broken.assign(n, nullptr);
      onThreads(n, threads, [&](unsigned worker, std::uint64_t i) {
        broken[i] = conditions.brokenWithout(isNumber, firsts[begin + i]);
        if (broken[i])
          return;
        found[i] = compiled(firsts[begin + i], worker);
        if (found[i].plan)
          broken[i] = conditions.brokenBy(*found[i].plan->search());
      });
      bool reads = false;
      for (const CompiledCandidate& one : found)
        for (std::size_t i = 0; i < space.open.size(); ++i)
          if (isNumber[i] && one.reads.count(space.open[i].path) > 0)
            isNumber[i] = false, reads = true;
      if (reads)
        return false;
      for (const CompiledCandidate& one : found)
        otherLimits = otherLimits || (one.plan && upperLimits(*one.plan->search()) != limits);
      for (std::uint64_t i = 0; i < n; ++i)
        if (broken[i])
          to.add(firsts[begin + i], std::nullopt, *broken[i], planner::CandidateFate::Condition);
        else
          to.add(firsts[begin + i], std::move(found[i].plan), std::move(found[i].rule));
    }
    return true;
  }

  const ir::Space& space;
  CandidateRunner& runner;
  FieldConditions& conditions;
  unsigned threads;
  const std::function<bool()>& stop;
  std::vector<bool> isNumber; ///< by open field
  /// Values of the degrees, by open field and by value of that field.
  std::vector<std::vector<std::vector<std::uint64_t>>> values;
  bool opensMesh = false, hasExperts = false;
  const std::vector<double> limits; ///< of each `require` that a lower bound may break
  bool otherLimits = false;
};
} // namespace

std::unique_ptr<planner::LayoutSearch>
search::orderedCandidates(const ir::Space& space, CandidateRunner& runner,
                          const planner::CandidateSearchOptions& options) {
  auto conditions = std::make_shared<FieldConditions>(space);
  if (!conditions->areKnown())
    return nullptr;
  CombinationCompiler compiler(space, runner, *conditions, options);
  std::unique_ptr<planner::LayoutSearch> out = compiler.run();
  if (!out)
    return nullptr;
  planner::LayoutConditions rules;
  rules.shard = options.shard, rules.shards = options.shards;
  rules.stop = options.stop;
  if (compiler.conditionsReadNumbers()) {
    rules.brokenByFields = [conditions](std::uint64_t candidate) {
      return conditions->broken(candidate);
    };
    rules.fieldsOf = [conditions, fields = conditions->readWith(compiler.numbers())](
                         std::uint64_t candidate) { return conditions->partOf(candidate, fields); };
  }
  if (UpperLimits limits(space); !limits.empty() && !compiler.limitsDiffer())
    rules.brokenByBound = [limits](const planner::PlanBound& bound) {
      return limits.brokenBy(bound);
    };
  out->setConditions(std::move(rules));
  return out;
}
