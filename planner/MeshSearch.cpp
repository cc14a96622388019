//===- MeshSearch.cpp - The fastest point and choice of a space -------------------------------===//
#include "planner/MeshSearch.h"
#include "ir/Arithmetic.h"
#include "ir/FoundFields.h"
#include "ir/Names.h"
#include <fmt/format.h>
#include <limits>
#include <queue>

using namespace dpl;
using namespace dpl::planner;
using cost::Point;
using ir::SplitKind;

namespace {
/// The search gives up after this number of candidates that fit but break an assertion.
constexpr std::size_t mostRefused = 256;
/// Factor that makes up for rounding when a bound, a sum of doubles, is compared with a step in
/// whole picoseconds.
constexpr double rounding = 1 - 1e-6;
/// Share by which a quick estimate may be above the exact one; see docs/auto-mesh.md.
constexpr double margin = 0.05;
/// After more than this number of refused points every further layout counts as refused.
constexpr std::size_t mostAsked = 256;
/// Candidates with another split that are tried for a warning.
constexpr std::size_t mostOtherSplits = 64;
/// A balanced split is chosen only if it saves at least this share of the step.
constexpr double worthBalancing = 0.005;
} // namespace

class MeshSearch::Queue {
public:
  Queue(MeshSearch& search, double share) : search(search), share(share) {}

  /// Adds a candidate with its bound if its memory may fit.
  void add(Candidate candidate) {
    const Bound bound = search.boundOf(candidate);
    candidate.step = bound.step;
    if (bound.memory + search.reserved <= share * search.memory)
      all.push(candidate);
  }
  bool empty() const { return all.empty(); }
  std::size_t size() const { return all.size(); }
  double leastStep() const { return all.top().step; }
  Candidate pop() {
    const Candidate next = all.top();
    all.pop();
    return next;
  }

private:
  MeshSearch& search;
  const double share;
  std::priority_queue<Candidate> all;
};

MeshSearch::MeshSearch(const ir::Plan& from, std::vector<OpenChoice> choices,
                       std::uint64_t mostExecuted)
    : plan(from), most(mostExecuted), open(std::move(choices)), facts(factsOf(plan, open)),
      points(meshSpace(plan, open)), bounds(plan, open), judges(open.size()), splits(open.size()) {
  const std::vector<ir::NodeClass>& classes = plan.cluster.classes;
  memory = ir::real(classes.front().device.memory);
  reserved = ir::real(classes.front().device.reserved);
  for (const ir::NodeClass& c : classes) {
    memory = std::max(memory, ir::real(c.device.memory));
    reserved = std::min(reserved, ir::real(c.device.reserved));
  }
  for (std::size_t choice = 0; choice < open.size(); ++choice)
    if (open[choice].recomputation == recomputations.size())
      recomputations.push_back(choice);
  for (const Point& point : points) {
    Point& tokens = widest.try_emplace(familyOf(point), point).first->second;
    if (point.microBatch * tokens.context > tokens.microBatch * point.context)
      tokens = point;
  }
}

std::size_t MeshSearch::size() const {
  std::size_t legal = 0;
  for (std::size_t choice = 0; choice < open.size(); ++choice)
    for (std::size_t point = 0; point < points.size(); ++point)
      legal += isLegal(choice, point) ? 1 : 0;
  return legal;
}

void MeshSearch::write(const FoundLayout& found, ir::Layout& layout) const {
  open[found.choice].write(layout);
  writePoint(points[found.point], layout, cost::hasExperts(plan.model));
}

std::string MeshSearch::textOf(const FoundLayout& found) const {
  ir::Layout layout = plan.layout;
  write(found, layout);
  // The text of the point names both, so that foundFields has to leave them out.
  layout.microBatchGiven = layout.shard.sequenceGiven = true;
  std::string text = planner::textOf(points[found.point], cost::hasExperts(plan.model));
  for (const std::string& line : ir::foundFields(layout))
    text += ", " + line;
  if (plan.layout.scheduleAutomatic)
    text += fmt::format(", schedule = {}", ir::name(layout.schedule));
  return text;
}

MeshSearch::Bounded MeshSearch::firstBound() const {
  return open.size() > 1 || open.front().split == SplitKind::Balanced ? Bounded::AnyByWidest
                                                                      : Bounded::ByWidest;
}

std::optional<FoundLayout> MeshSearch::fastest(double share) {
  best.reset(), left = 0;
  Queue queue(*this, share);
  start(queue, 0);
  while (!queue.empty() && !slower(queue.leastStep()) && refused <= mostRefused) {
    if (executed() > (best ? most : 2 * most)) {
      left += queue.size();
      break;
    }
    const Candidate next = queue.pop();
    if (next.by == Bounded::ByItself)
      judge(next, share);
    else
      refine(next, queue);
  }
  return best;
}

/// Fills the queue with pipelines of more than `ranks` ranks, with their cheapest bounds.
void MeshSearch::start(Queue& queue, std::uint64_t ranks) {
  for (std::size_t point = 0; point < points.size(); ++point)
    if (points[point].pipeline > ranks)
      for (const std::size_t choice : recomputations)
        queue.add({0, point, choice, firstBound()});
}

/// Adds the layouts that a candidate represents with their next better bound.
void MeshSearch::refine(const Candidate& next, Queue& queue) {
  const auto add = [&](std::size_t choice, Bounded by) { queue.add({0, next.point, choice, by}); };
  switch (next.by) {
  case Bounded::AnyByWidest:
    return add(next.choice, Bounded::AnyByItself);
  case Bounded::AnyByItself:
    // Balancing a split executes actions, which count.
    if (open[next.choice].split == SplitKind::Balanced && executed() > most) {
      ++left;
      return;
    }
    for (std::size_t choice = 0; choice < open.size(); ++choice)
      if (open[choice].recomputation == open[next.choice].recomputation &&
          isLegal(choice, next.point))
        add(choice, Bounded::ByItself);
    return;
  case Bounded::ByWidest:
  case Bounded::ByItself:
    return add(next.choice, Bounded::ByItself);
  }
}

std::optional<FoundLayout> MeshSearch::longer(std::uint64_t ranks, double than, double share) {
  Queue queue(*this, share);
  start(queue, ranks);
  for (std::size_t judged = 0; !queue.empty() && queue.leastStep() * rounding < than &&
                               judged < mostOtherSplits && executed() < most / 10;) {
    const Candidate next = queue.pop();
    if (next.by != Bounded::ByItself) {
      refine(next, queue);
      continue;
    }
    ++judged;
    Judge& judge = judgeOf(next.choice);
    const Estimate estimate = judge.estimator.quick(points[next.point]);
    if (estimate.runs && estimate.share <= share && ir::toSeconds(estimate.step) < than &&
        judge.trial.errorOfFitting(points[next.point]).empty())
      return FoundLayout{estimate.step, next.choice, next.point};
  }
  return std::nullopt;
}

std::optional<FoundLayout> MeshSearch::balanced(const FoundLayout& found, double share) {
  const Point& point = points[found.point];
  if (point.pipeline == 1 || executed() > most)
    return std::nullopt;
  OpenChoice other = open[found.choice];
  other.split = SplitKind::Balanced;
  ir::Plan with = plan;
  other.write(with.layout);
  Judge judge(with);
  const Estimate estimate = judge.estimator.exact(point);
  if (!estimate.runs || estimate.share > share ||
      ir::real(estimate.step) > (1 - worthBalancing) * ir::real(found.step) ||
      !judge.trial.errorOfFitting(point).empty() || (takes && !judge.trial.isTaken(point, takes)))
    return std::nullopt;
  other.dealt = open.size();
  open.push_back(std::move(other));
  return FoundLayout{estimate.step, open.size() - 1, found.point};
}

std::pair<std::string, std::string> MeshSearch::nearest() {
  if (!nearestSaid.empty())
    return {textOf(nearestFound), nearestSaid};
  FoundLayout nearest;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t choice = 0; choice < open.size(); ++choice)
    for (std::size_t point = 0; point < points.size(); ++point)
      if (isLegal(choice, point))
        if (const double bytes = boundOf({0, point, choice, Bounded::ByItself}).memory;
            bytes < least)
          least = bytes, nearest = {0, choice, point};
  return {textOf(nearest), judgeOf(nearest.choice).trial.errorOf(points[nearest.point])};
}

bool MeshSearch::slower(double step) const {
  return best && step * rounding > ir::toSeconds(best->step);
}

/// The family of a point: points that differ only in their pipeline and their tokens.
Point MeshSearch::familyOf(const Point& point) {
  Point family = shapeOf(point);
  family.pipeline = family.context = 1, family.microBatch = 1;
  return family;
}

bool MeshSearch::isRefused(const Candidate& of) const {
  return refusedPoints.count(of.point) != 0 ||
         llvm::is_contained(refusals, std::pair(of.choice, points[of.point].pipeline > 1));
}

/// Asks the program that runs the plan about a layout that fits. If the program refuses it, the
/// choice is at fault if the program takes the point with the layout's own values or these are not
/// legal there; else the point is. The one at fault is not tried again.
bool MeshSearch::isTaken(const Candidate& next) {
  if (!takes)
    return true;
  if (refusedPoints.size() > mostAsked)
    return false;
  const Point& point = points[next.point];
  if (judgeOf(next.choice).trial.isTaken(point, takes))
    return true;
  if (next.choice > 0 && (!isLegal(0, next.point) || judgeOf(0).trial.isTaken(point, takes)))
    refusals.emplace_back(next.choice, point.pipeline > 1);
  else
    refusedPoints.insert(next.point);
  return false;
}

bool MeshSearch::gaveUp() const { return refused > mostRefused; }

void MeshSearch::judge(const Candidate& next, double share) {
  if (isRefused(next))
    return;
  const Point& point = points[next.point];
  Judge& judge = judgeOf(next.choice);
  Estimate estimate = judge.estimator.quick(point);
  if (best && ir::real(estimate.step) > (1 + margin) * ir::real(best->step))
    return;
  if (!estimate.executed)
    estimate = judge.estimator.exact(point);
  const FoundLayout found{estimate.step, next.choice, next.point};
  if (!estimate.runs || estimate.share > share || (best && !(found < *best)))
    return;
  std::string said = judge.trial.errorOfFitting(point);
  if (said.empty()) {
    if (isTaken(next))
      best = found;
    return;
  }
  // Among layouts that fit and break an assertion, the fastest is named in the error.
  if (refused++ == 0 || found < nearestFound)
    nearestFound = found, nearestSaid = std::move(said);
}

Bound MeshSearch::boundOf(const Candidate& of) {
  const Point& point = points[of.point];
  bounds.choose(of.choice);
  switch (of.by) {
  case Bounded::AnyByWidest:
    return bounds.ofAny(point, widest.at(familyOf(point)));
  case Bounded::AnyByItself:
    return bounds.ofAny(point, point);
  case Bounded::ByWidest:
    return bounds.of(point, splitOf(of.choice, point), widest.at(familyOf(point)));
  case Bounded::ByItself:
    return bounds.of(point, splitOf(of.choice, point));
  }
  return {};
}

/// The layers of each chunk depend on the shape of the pipeline; with a balanced split they depend
/// on everything that the step depends on.
llvm::ArrayRef<ir::Chunk> MeshSearch::splitOf(std::size_t choice, const Point& point) {
  Point key = point;
  if (open[choice].split != SplitKind::Balanced) {
    key = {}, key.pipeline = point.pipeline;
    choice = open[choice].dealt;
  }
  const auto [found, isNew] = splits[choice].try_emplace(key);
  if (isNew)
    found->second = judgeOf(choice).estimator.split(point).vec();
  return found->second;
}

MeshSearch::Judge& MeshSearch::judgeOf(std::size_t choice) {
  std::unique_ptr<Judge>& judge = judges[choice];
  if (!judge) {
    ir::Plan with = plan;
    open[choice].write(with.layout);
    judge = std::make_unique<Judge>(with);
  }
  return *judge;
}

std::uint64_t MeshSearch::executed() const {
  std::uint64_t passes = 0;
  for (const std::unique_ptr<Judge>& judge : judges)
    passes += judge ? judge->executed() : 0;
  return passes;
}
