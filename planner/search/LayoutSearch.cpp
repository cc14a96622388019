//===- LayoutSearch.cpp - Candidates in the order of their steps, by bounds and execution -----===//
#include "planner/search/LayoutSearch.h"
#include "ir/Arithmetic.h"
#include "passes/TakeDevices.h"
#include "planner/search/PlanContent.h"
#include "support/diagnostics/Cost.h"
#include <limits>

using namespace dpl;
using namespace dpl::planner;

namespace {

std::string ruleOf(const DiagInfo& info) { return fmt::format("{} {}", info.code, info.name); }
std::string outOfMemory() { return ruleOf(diag::OutOfMemory::info); }

/// The points that are bounded before it is asked again whether the search has to end.
constexpr std::uint64_t pointsBetweenStops = 1024;

/// Properties of a schedule for which all bounds of a family become lower.
std::string boundClass(const ir::Plan& plan) {
  const cost::ScheduleInfo& schedule = cost::scheduleInfo(plan.layout.schedule);
  const bool alternates = schedule.pairs && plan.layout.overlap.experts;
  const bool bothWays = cost::pipelineOf(plan.layout, 1, 1).placement().directions() > 1;
  return {alternates ? '1' : '0', bothWays ? '1' : '0'};
}
} // namespace

LayoutSearch::LayoutSearch(std::vector<DegreeField> fields) : degrees(std::move(fields)) {
  for (const DegreeField& field : degrees)
    points *= field.values.size();
}

/// The last degree varies fastest.
std::uint64_t LayoutSearch::offsetOf(Point point) const {
  std::uint64_t offset = 0;
  for (const DegreeField& field : llvm::reverse(degrees)) {
    const auto size = static_cast<Point>(field.values.size());
    offset += point % size * field.stride;
    point /= size;
  }
  return offset;
}

void LayoutSearch::add(std::uint64_t first, std::optional<ir::Plan> plan, std::string rule,
                       CandidateFate fate) {
  if (plan && !LayoutFamily::supports(*plan)) {
    unsupported.push_back(first);
    return;
  }
  if (plan) {
    DiagnosticEngine diags;
    if (takeDevices(*plan, diags).failed())
      for (const Diagnostic& d : diags.diagnostics())
        if (d.info.severity == Severity::Error)
          plan.reset(), rule = rule.empty() ? ruleOf(d.info) : rule;
  }
  if (!plan) {
    refused.push_back({first, fate, std::move(rule)});
    return;
  }
  plan->spaces.clear();
  std::string content = contentOf(*plan) + boundClass(*plan);
  constexpr std::size_t mostFamilies = 1024; // limit of families, each of about 400 KB
  if (byContent.size() == mostFamilies && byContent.count(content) == 0) {
    unsupported.push_back(first);
    return;
  }
  const auto [found, isNew] =
      byContent.try_emplace(std::move(content), static_cast<std::uint32_t>(families.size()));
  const ir::Layout layout = plan->layout;
  if (isNew)
    families.emplace_back(
        new Family{LayoutFamily(std::move(*plan), degrees, points), {}, {}, {}, {}, {}});
  Family& family = *families[found->second];
  const auto choice = static_cast<std::uint32_t>(family.layouts.add(layout));
  family.firsts.push_back(first);
  if (const std::size_t bundle = family.layouts.bundleOf(choice); bundle == choice)
    family.byRecomputation[family.layouts.recomputationOf(choice)].push_back(choice);
  family.byBundle[family.layouts.bundleOf(choice)].push_back(choice);
}

std::vector<std::uint64_t> LayoutSearch::others() const {
  std::vector<std::uint64_t> out;
  for (const std::uint64_t first : unsupported)
    for (std::uint64_t point = 0; point < points; ++point)
      if (const std::uint64_t candidate = first + offsetOf(static_cast<Point>(point));
          isInShard(candidate))
        out.push_back(candidate);
  llvm::sort(out);
  return out;
}

bool LayoutSearch::isOpen(const Node& node) const {
  const std::uint64_t candidate = numberOf(node);
  if (!isInShard(candidate))
    return false;
  const Family& family = *families[node.family];
  if (!family.layouts.isSlow(node.choice))
    return family.classes[family.classOf[node.choice]].open[family.layouts.kindOf(node.point)];
  return families[node.family]->layouts.ruleOf(node.choice, node.point) == 0 &&
         !(conditions.brokenByFields && conditions.brokenByFields(candidate));
}

/// The number of points by what conditions read of them and by the shards of their candidates.
std::map<std::uint64_t, LayoutSearch::EqualPoints> LayoutSearch::equalPoints() const {
  std::map<std::uint64_t, EqualPoints> out;
  for (std::uint64_t i = 0; i < points; ++i) {
    const auto point = static_cast<Point>(i);
    EqualPoints& equal = out[keyOf(point)];
    equal.first = equal.count == 0 ? point : equal.first;
    ++equal.count;
  }
  return out;
}

std::uint64_t LayoutSearch::keyOf(Point point) const {
  const std::uint64_t offset = offsetOf(point);
  return (conditions.fieldsOf ? conditions.fieldsOf(offset) : 0) * conditions.shards +
         offset % conditions.shards;
}

void LayoutSearch::screenRefused(Exclude exclude) {
  if (refused.empty())
    return;
  const std::map<std::uint64_t, EqualPoints> all = equalPoints();
  for (const auto& [first, fate, rule] : refused)
    for (const auto& [key, equal] : all) {
      const std::uint64_t candidate = first + offsetOf(equal.first);
      if (!isInShard(candidate))
        continue;
      const std::string* broken =
          conditions.brokenByFields ? conditions.brokenByFields(candidate) : nullptr;
      exclude({candidate, broken ? CandidateFate::Condition : fate, broken ? *broken : rule, 0,
               equal.count});
    }
}

void LayoutSearch::screen(Exclude exclude) {
  screenRefused(exclude);
  for (std::uint32_t family = 0; family < families.size() && !isStopped(); ++family)
    screenFamily(family, exclude);
}

/// Finds the classes of the choices. A slow choice has its own.
void LayoutSearch::findClasses(Family& family) const {
  std::map<std::array<std::uint64_t, 4>, std::uint32_t> known;
  for (std::uint32_t choice = 0; choice < family.firsts.size(); ++choice) {
    const auto [shape, fixed] = family.layouts.rulesKeyOf(choice);
    const std::uint64_t first = family.firsts[choice];
    const auto [found, isNew] =
        known.try_emplace({shape, static_cast<std::uint64_t>(fixed),
                           conditions.fieldsOf ? conditions.fieldsOf(first) : 0,
                           family.layouts.isSlow(choice) ? choice + std::uint64_t{1} : 0},
                          static_cast<std::uint32_t>(family.classes.size()));
    if (isNew)
      family.classes.push_back({choice, std::vector<std::uint64_t>(conditions.shards), {}});
    ++family.classes[found->second].members[first % conditions.shards];
    family.classOf.push_back(found->second);
  }
}

/// Counts the candidates of a class by the condition or rule that they break.
void LayoutSearch::screenClass(Family& family, ChoiceClass& of, CountRule countRule,
                               CountCondition countCondition) {
  const std::uint64_t first = family.firsts[of.first], shards = conditions.shards;
  const auto count = [&](Point point, std::uint64_t rest, std::uint64_t n, auto ruleOf) {
    // Candidates of the shard that are this far from the first ones of their combinations.
    const std::uint64_t members = of.members[(conditions.shard - 1 + shards - rest) % shards];
    if (members == 0)
      return false;
    if (const std::string* condition = conditions.brokenByFields
                                           ? conditions.brokenByFields(first + offsetOf(point))
                                           : nullptr) {
      countCondition(condition, members * n);
      return false;
    }
    const std::size_t rule = ruleOf();
    countRule(rule, members * n);
    return rule == 0;
  };
  if (family.layouts.isSlow(of.first)) {
    for (std::uint64_t point = 0; point < points; ++point)
      (void)count(static_cast<Point>(point), offsetOf(static_cast<Point>(point)) % shards, 1,
                  [&] { return family.layouts.ruleOf(of.first, static_cast<Point>(point)); });
    return;
  }
  const std::vector<LayoutFamily::PointKind>& kinds = family.layouts.kinds();
  of.open.resize(kinds.size());
  for (std::uint32_t kind = 0; kind < kinds.size(); ++kind)
    of.open[kind] = count(kinds[kind].first, kinds[kind].key % shards, kinds[kind].count,
                          [&] { return family.layouts.ruleOfKind(of.first, kind); });
}

void LayoutSearch::screenFamily(std::uint32_t number, Exclude exclude) {
  Family& family = *families[number];
  family.layouts.findRules([&](Point point) { return keyOf(point); });
  findClasses(family);
  std::map<const std::string*, std::uint64_t> broken;
  std::map<std::size_t, std::uint64_t> illegal;
  for (ChoiceClass& of : family.classes) {
    if (isStopped())
      return;
    screenClass(
        family, of,
        [&](std::size_t rule, std::uint64_t count) { (rule == 0 ? open : illegal[rule]) += count; },
        [&](const std::string* condition, std::uint64_t count) { broken[condition] += count; });
  }
  addGroups(number);
  for (const auto& [condition, count] : broken)
    exclude({0, CandidateFate::Condition, *condition, 0, count});
  for (const auto& [rule, count] : illegal)
    exclude({0, CandidateFate::Illegal, family.layouts.rules()[rule], 0, count});
}

/// Adds a node for each recomputation and point with an open choice.
void LayoutSearch::addGroups(std::uint32_t number) {
  Family& family = *families[number];
  const std::size_t kinds = family.layouts.kinds().size();
  for (const auto& [recomputation, bundles] : family.byRecomputation) {
    std::vector<bool> isOpenKind(kinds, false);
    std::vector<std::uint32_t> slow;
    for (const std::uint32_t bundle : bundles)
      for (const std::uint32_t choice : family.byBundle[bundle]) {
        const std::vector<bool>& opens = family.classes[family.classOf[choice]].open;
        for (std::size_t kind = 0; kind < opens.size(); ++kind)
          if (opens[kind])
            isOpenKind[kind] = true;
        if (family.layouts.isSlow(choice))
          slow.push_back(choice);
      }
    for (std::uint64_t i = 0; i < points; ++i) {
      if (i % pointsBetweenStops == 0 && isStopped())
        return;
      const auto point = static_cast<Point>(i);
      const auto isOpenChoice = [&](std::uint32_t choice) {
        return isOpen({0, 0, number, choice, point, NodeKind::Group});
      };
      if (isOpenKind[family.layouts.kindOf(point)] || llvm::any_of(slow, isOpenChoice)) {
        const double bound = family.layouts.groupBound(bundles.front(), point);
        queue.push({bound, bound, number, bundles.front(), point, NodeKind::Group});
      }
    }
  }
}

double LayoutSearch::leastStep() const {
  return queue.empty() ? std::numeric_limits<double>::infinity() : queue.top().step;
}

void LayoutSearch::boundAll(Exclude exclude, Visit visit) {
  queue = {};
  for (std::uint32_t number = 0; number < families.size(); ++number) {
    Family& family = *families[number];
    for (std::uint32_t choice = 0; choice < family.firsts.size(); ++choice)
      for (std::uint64_t i = 0; i < points; ++i) {
        if (i % pointsBetweenStops == 0 && isStopped())
          return;
        const auto point = static_cast<Point>(i);
        const Node node{0, 0, number, choice, point, NodeKind::Layout};
        if (!isOpen(node))
          continue;
        const PlanBound bound = family.layouts.bound(choice, point);
        if (!isExcluded(bound, node, exclude))
          visit({numberOf(node), bound.step, bound.memory});
      }
  }
}

std::optional<OrderedCandidates::Bounded> LayoutSearch::next(double limit, Exclude exclude) {
  while (!queue.empty() && queue.top().step * boundRounding <= limit && !isStopped()) {
    const Node node = queue.top();
    queue.pop();
    switch (node.kind) {
    case NodeKind::Group:
      refineGroup(node);
      break;
    case NodeKind::Shape:
      refineShape(node, exclude);
      break;
    case NodeKind::Layout:
      execute(node, exclude);
      break;
    case NodeKind::Executed:
      --open, --executed;
      return Bounded{numberOf(node), node.bound, 0, node.step};
    }
  }
  return std::nullopt;
}

/// Adds a node for each shape of the pipeline, whose bound holds for all of its choices.
void LayoutSearch::refineGroup(const Node& node) {
  Family& family = *families[node.family];
  for (const std::uint32_t bundle :
       family.byRecomputation[family.layouts.recomputationOf(node.choice)]) {
    Node part{node.step, node.step, node.family, bundle, node.point, NodeKind::Shape};
    const auto isOpenChoice = [&](std::uint32_t choice) {
      part.choice = choice;
      return isOpen(part);
    };
    if (llvm::none_of(family.byBundle[bundle], isOpenChoice))
      continue;
    part.step = std::max(part.step, family.layouts.bound(part.choice, node.point).step);
    part.bound = part.step;
    queue.push(part);
  }
}

void LayoutSearch::refineShape(const Node& node, Exclude exclude) {
  Family& family = *families[node.family];
  for (const std::uint32_t choice : family.byBundle[family.layouts.bundleOf(node.choice)]) {
    const Node part{node.step, node.bound, node.family, choice, node.point, NodeKind::Layout};
    if (isOpen(part) && !isExcluded(family.layouts.bound(choice, node.point), part, exclude))
      queue.push(part);
  }
}

bool LayoutSearch::isExcluded(const PlanBound& bound, const Node& node, Exclude exclude) {
  ScreenedCandidate found;
  if (bound.excess > 0)
    found.fate =
        node.kind == NodeKind::Executed ? CandidateFate::TooLarge : CandidateFate::MemoryBound,
    found.rule = node.kind == NodeKind::Executed ? outOfMemory() : "", found.miss = bound.excess;
  else if (conditions.brokenByBound)
    found = conditions.brokenByBound(bound);
  if (!found.fate)
    return false;
  if (node.kind == NodeKind::Executed && found.fate == CandidateFate::RequireBound)
    found.fate = CandidateFate::Required;
  --open;
  exclude({numberOf(node), *found.fate, found.rule, found.miss, 1, node.bound});
  return true;
}

void LayoutSearch::execute(Node node, Exclude exclude) {
  constexpr std::uint64_t mostEstimates = 128; // limit of estimates, each of which adds about 25
                                               // KB to the tables
  if (++estimates > mostEstimates) {
    for (const std::unique_ptr<Family>& family : families)
      family->layouts.forget();
    estimates = 1;
  }
  const Estimate estimate = families[node.family]->layouts.exact(node.choice, node.point);
  node.kind = NodeKind::Executed;
  // If the schedule cannot run, the judge finds the reason.
  if (estimate.runs) {
    const double peak = ir::real(estimate.peak), usable = ir::real(estimate.usable);
    const PlanBound exact{ir::toSeconds(estimate.step), peak,
                          estimate.share > 1 ? peak / usable - 1 : 0};
    if (isExcluded(exact, node, exclude))
      return;
    node.step = std::max(node.step, exact.step);
  }
  ++executed;
  queue.push(node);
}

OrderedCandidates::Excess LayoutSearch::excess(Visit visit) {
  Excess out{open - executed, std::nullopt};
  // Groups are refined until the least bound is that of a layout; a search that is stopped does
  // not state the bound.
  while (!queue.empty() && !isStopped() &&
         (queue.top().kind == NodeKind::Executed || queue.top().kind == NodeKind::Group)) {
    const Node node = queue.top();
    queue.pop();
    if (node.kind == NodeKind::Group)
      refineGroup(node);
    else
      visit({numberOf(node), node.bound, 0, node.step});
  }
  if (!queue.empty())
    out.leastBound = queue.top().step;
  for (; !queue.empty(); queue.pop())
    if (const Node& node = queue.top(); node.kind == NodeKind::Executed)
      visit({numberOf(node), node.bound, 0, node.step});
  return out;
}
