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
/// Tolerance for rounding, because a bound is a sum of doubles.
constexpr double rounding = 1 - 1e-6;

std::string ruleOf(const DiagInfo& info) { return fmt::format("{} {}", info.code, info.name); }
std::string outOfMemory() { return ruleOf(diag::OutOfMemory::info); }

/// Properties of a schedule for which all bounds of a family become lower.
std::string boundClass(const ir::Plan& plan) {
  const cost::ScheduleInfo& schedule = cost::scheduleInfo(plan.layout.schedule);
  const bool alternates = schedule.pairs && plan.layout.overlap.experts;
  const bool bothWays = cost::pipelineOf(plan.layout, 1, 1).placement().directions() > 1;
  return {alternates ? '1' : '0', bothWays ? '1' : '0'};
}
} // namespace

LayoutSearch::LayoutSearch(std::vector<DegreeField> fields) : degrees(std::move(fields)) {
  offsets = {0};
  for (const DegreeField& field : degrees) {
    std::vector<std::uint64_t> more;
    more.reserve(offsets.size() * field.values.size());
    for (const std::uint64_t offset : offsets)
      for (std::uint64_t i = 0; i < field.values.size(); ++i)
        more.push_back(offset + i * field.stride);
    offsets = std::move(more);
  }
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
  constexpr std::size_t mostFamilies = 1024; // of some 400 KB each
  if (byContent.size() == mostFamilies && byContent.count(content) == 0) {
    unsupported.push_back(first);
    return;
  }
  const auto [found, isNew] =
      byContent.try_emplace(std::move(content), static_cast<std::uint32_t>(families.size()));
  const ir::Layout layout = plan->layout;
  if (isNew)
    families.emplace_back(
        new Family{LayoutFamily(std::move(*plan), degrees, offsets.size()), {}, {}, {}});
  Family& family = *families[found->second];
  const auto choice = static_cast<std::uint32_t>(family.layouts.add(layout));
  family.firsts.push_back(first);
  family.byRecomputation[family.layouts.recomputationOf(choice)].push_back(choice);
  family.byBundle[family.layouts.bundleOf(choice)].push_back(choice);
}

std::vector<std::uint64_t> LayoutSearch::others() const {
  std::vector<std::uint64_t> out;
  for (const std::uint64_t first : unsupported)
    for (const std::uint64_t offset : offsets)
      if (isInShard(first + offset))
        out.push_back(first + offset);
  llvm::sort(out);
  return out;
}

const std::string* LayoutSearch::brokenByFields(const Node& node) const {
  return conditions.brokenByFields ? conditions.brokenByFields(numberOf(node)) : nullptr;
}

bool LayoutSearch::isOpen(const Node& node) const {
  return isInShard(numberOf(node)) &&
         families[node.family]->layouts.ruleOf(node.choice, node.point) == 0 &&
         !brokenByFields(node);
}

void LayoutSearch::screen(Exclude exclude) {
  for (const auto& [first, fate, rule] : refused) {
    std::uint64_t rest = 0;
    for (const std::uint64_t offset : offsets)
      if (isInShard(first + offset)) {
        const std::string* broken =
            conditions.brokenByFields ? conditions.brokenByFields(first + offset) : nullptr;
        if (broken)
          exclude({first + offset, CandidateFate::Condition, *broken});
        else
          ++rest;
      }
    exclude({first, fate, rule, 0, rest});
  }
  for (std::uint32_t family = 0; family < families.size(); ++family)
    screenFamily(family, exclude);
}

void LayoutSearch::screenFamily(std::uint32_t number, Exclude exclude) {
  Family& family = *families[number];
  LayoutFamily& layouts = family.layouts;
  layouts.findRules();
  std::map<const std::string*, std::uint64_t> broken;
  std::vector<std::uint64_t> illegal;
  for (const auto& [recomputation, choices] : family.byRecomputation) {
    std::vector<char> seen(offsets.size(), 0);
    for (const std::uint32_t choice : choices)
      for (Point point = 0; point < offsets.size(); ++point) {
        const Node node{0, 0, number, choice, point, NodeKind::Group};
        if (!isInShard(numberOf(node)))
          continue;
        if (const std::string* condition = brokenByFields(node)) {
          ++broken[condition];
          continue;
        }
        const std::size_t rule = layouts.ruleOf(choice, point);
        if (rule == 0)
          seen[point] = 1, ++open;
        else if (rule < illegal.size())
          ++illegal[rule];
        else
          illegal.resize(rule + 1), ++illegal[rule];
      }
    for (Point point = 0; point < offsets.size(); ++point)
      if (seen[point] != 0) {
        const double bound = layouts.groupBound(choices.front(), point);
        queue.push({bound, bound, number, choices.front(), point, NodeKind::Group});
      }
  }
  for (const auto& [condition, count] : broken)
    exclude({0, CandidateFate::Condition, *condition, 0, count});
  for (std::size_t rule = 1; rule < illegal.size(); ++rule)
    exclude({0, CandidateFate::Illegal, layouts.rules()[rule], 0, illegal[rule]});
}

double LayoutSearch::leastStep() const {
  return queue.empty() ? std::numeric_limits<double>::infinity() : queue.top().step;
}

void LayoutSearch::boundAll(Exclude exclude, Visit visit) {
  queue = {};
  for (std::uint32_t number = 0; number < families.size(); ++number) {
    Family& family = *families[number];
    for (std::uint32_t choice = 0; choice < family.firsts.size(); ++choice)
      for (Point point = 0; point < offsets.size(); ++point) {
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
  while (!queue.empty() && queue.top().step * rounding <= limit) {
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
  llvm::SmallVector<std::size_t, 16> seen;
  for (const std::uint32_t choice :
       family.byRecomputation[family.layouts.recomputationOf(node.choice)]) {
    Node part{node.step, node.step, node.family, choice, node.point, NodeKind::Shape};
    const std::size_t bundle = family.layouts.bundleOf(choice);
    if (llvm::is_contained(seen, bundle) || !isOpen(part))
      continue;
    seen.push_back(bundle);
    part.step = std::max(part.step, family.layouts.bound(choice, node.point).step);
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
  constexpr std::uint64_t mostEstimates = 1024; // each adds about 25 KB to the tables
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
  // Groups are refined until the least bound is that of a layout.
  while (!queue.empty() &&
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
