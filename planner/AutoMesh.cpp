//===- AutoMesh.cpp - `mesh = auto`: the fastest layout of a small space ----------------------===//
#include "planner/AutoMesh.h"
#include "cost/Legality.h"
#include "ir/Arithmetic.h"
#include "passes/TakeDevices.h"
#include "passes/Words.h"
#include "planner/AutoBucket.h"
#include "planner/Bound.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "planner/Trial.h"
#include "support/diagnostics/Layout.h"
#include <algorithm>
#include <limits>
#include <queue>
#include <unordered_map>

using namespace dpl;
using namespace dpl::planner;
using cost::Point;

namespace {

/// After so many candidates that fit but break an assertion the search gives up.
constexpr std::size_t mostRefused = 256;
/// Bounds are sums of doubles, times whole picoseconds.
constexpr double rounding = 1 - 1e-6;
/// A quick estimate is at most so much above the exact one; see docs/auto-mesh.md.
constexpr double margin = 0.05;
/// Of the step, that another split is worth a word for.
constexpr double worthSaying = 0.1;
/// Candidates with another split that are looked at for that.
constexpr std::size_t mostOtherSplits = 64;

/// A point that is faster than it has to be, and its seconds as they are estimated.
struct Faster {
  Point point;
  double step = 0;
};

class Search {
public:
  Search(const ir::Plan& plan, std::uint64_t mostExecuted)
      : plan(plan), most(mostExecuted), points(meshSpace(plan)), bounds(plan), estimator(plan),
        trial(plan) {
    const std::vector<ir::NodeClass>& classes = plan.cluster.classes;
    memory = static_cast<double>(classes.front().device.memory);
    reserved = static_cast<double>(classes.front().device.reserved);
    for (const ir::NodeClass& c : classes) {
      memory = std::max(memory, static_cast<double>(c.device.memory));
      reserved = std::min(reserved, static_cast<double>(c.device.reserved));
    }
    for (const Point& point : points) {
      Point& tokens = widest.try_emplace(familyOf(point), point).first->second;
      if (point.microBatch * tokens.context > tokens.microBatch * point.context)
        tokens = point;
    }
  }

  std::size_t size() const { return points.size(); }
  const Point& point(std::size_t i) const { return points[i]; }

  /// The fastest of the points that take at most `share` of the memory; of equals the first.
  std::optional<std::size_t> fastest(double share) {
    best.reset(), left = 0;
    // Points in the order of their bounds, first the cheap ones, then their own: once that is more
    // than the best step, all that are left are slower.
    std::priority_queue<Candidate> queue;
    const auto add = [&](std::size_t index, Bounded by) {
      const Bound bound = boundOf(points[index], by);
      if (bound.memory + reserved <= share * memory)
        queue.push({bound.step, index, by});
    };
    for (std::size_t index = 0; index < points.size(); ++index)
      add(index,
          plan.layout.split == ir::SplitKind::Balanced ? Bounded::ForAnySplit : Bounded::ByWidest);
    while (!queue.empty() && !slower(queue.top().step) && refused <= mostRefused) {
      const Candidate next = queue.top();
      if (executed() > (best ? most : 2 * most)) {
        left += queue.size();
        break;
      }
      queue.pop();
      if (next.by == Bounded::ForAnySplit && executed() > most)
        ++left;
      else if (next.by == Bounded::ByItself)
        judge(next.index, share);
      else
        add(next.index, next.by == Bounded::ForAnySplit ? Bounded::ByWidest : Bounded::ByItself);
    }
    return best ? std::optional(best->index) : std::nullopt;
  }

  /// ps of the step of the point that was found last.
  std::uint64_t bestStep() const { return best->time; }

  /// Of pipelines of more than so many ranks the first in the order of bounds whose step is below
  /// so many seconds and that takes at most `share` of the memory; nothing where the first few are
  /// no such.
  std::optional<Faster> longer(std::uint64_t ranks, double than, double share) {
    std::priority_queue<Candidate> queue;
    const auto add = [&](std::size_t index, Bounded by) {
      const Bound bound = boundOf(points[index], by);
      if (bound.memory + reserved <= share * memory && bound.step * rounding < than)
        queue.push({bound.step, index, by});
    };
    for (std::size_t index = 0; index < points.size(); ++index)
      if (points[index].pipeline > ranks)
        add(index, Bounded::ByWidest);
    for (std::size_t judged = 0;
         !queue.empty() && judged < mostOtherSplits && executed() < most / 10;) {
      const Candidate next = queue.top();
      queue.pop();
      if (next.by == Bounded::ByWidest) {
        add(next.index, Bounded::ByItself);
        continue;
      }
      ++judged;
      const Estimate estimate = estimator.quick(points[next.index]);
      if (estimate.runs && estimate.share <= share && ir::toSeconds(estimate.step) < than &&
          trial.errorOfFitting(points[next.index]).empty())
        return Faster{points[next.index], ir::toSeconds(estimate.step)};
    }
    return std::nullopt;
  }

  /// Candidates that might be faster but that were left, since too much was executed before.
  std::size_t leftOut() const { return left; }
  /// Passes of a chunk in all steps that were executed so far.
  std::uint64_t executed() const { return estimator.executed() + trial.executed(); }
  /// Whether the passes refuse points that fit.
  bool someFit() const { return refused > 0; }
  /// The point that needs the least memory, and what it lacks.
  std::pair<std::string, std::string> nearest() {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t index = 0; index < points.size(); ++index)
      if (const double bytes = boundOf(points[index], Bounded::ByWidest).memory;
          refused == 0 && bytes < least)
        least = bytes, nearestIndex = index;
    const Point& point = points[nearestIndex];
    return {textOf(point, cost::hasExperts(plan.model)),
            nearestSaid.empty() ? trial.errorOf(point) : nearestSaid};
  }

private:
  /// Each costs more to know than the one before it: a balanced split is found by executing many.
  enum class Bounded : std::uint8_t { ForAnySplit, ByWidest, ByItself };
  struct Candidate {
    double step = 0; ///< seconds, at least
    std::size_t index = 0;
    Bounded by = Bounded::ByItself;
    bool operator<(const Candidate& o) const { // the queue has the largest on top
      return step != o.step ? step > o.step : index > o.index;
    }
  };
  struct Found {
    std::uint64_t time = 0; ///< ps
    std::size_t index = 0;
    auto operator<=>(const Found&) const = default;
  };
  bool slower(double step) const { return best && step * rounding > ir::toSeconds(best->time); }

  /// Points that differ in their pipeline and tokens alone.
  static Point familyOf(const Point& point) {
    Point family = shapeOf(point);
    family.pipeline = family.context = family.microBatch = 1;
    return family;
  }

  void judge(std::size_t index, double share) {
    Estimate estimate = estimator.quick(points[index]);
    if (best && ir::real(estimate.step) > (1 + margin) * ir::real(best->time))
      return;
    if (!estimate.executed)
      estimate = estimator.exact(points[index]);
    const Found found{estimate.step, index};
    if (!estimate.runs || estimate.share > share || (best && !(found < *best)))
      return;
    std::string said = trial.errorOfFitting(points[index]);
    if (said.empty()) {
      best = found;
      return;
    }
    // Of those that fit and break an assertion the fastest is the nearest.
    if (refused++ == 0 || found < nearestFound)
      nearestFound = found, nearestIndex = index, nearestSaid = std::move(said);
  }

  Bound boundOf(const Point& point, Bounded by) {
    switch (by) {
    case Bounded::ForAnySplit:
      return bounds.ofAnySplit(point, widest.at(familyOf(point)));
    case Bounded::ByWidest:
      return bounds.of(point, splitOf(point), widest.at(familyOf(point)));
    case Bounded::ByItself:
      return bounds.of(point, splitOf(point));
    }
    return {};
  }

  /// The layers of each chunk depend on the shape of the pipeline and, where they are balanced, on
  /// all that a step depends on.
  llvm::ArrayRef<ir::Chunk> splitOf(const Point& point) {
    Point key = point;
    if (plan.layout.split != ir::SplitKind::Balanced)
      key = {}, key.pipeline = point.pipeline;
    const auto [found, isNew] = splits.try_emplace(key);
    if (isNew)
      found->second = estimator.split(point).vec();
    return found->second;
  }

  const ir::Plan& plan;
  const std::uint64_t most; ///< counted passes; twice as many until the first layout is found
  std::vector<Point> points;
  Bounds bounds;
  Estimator estimator;
  Trial trial;
  double memory = 0, reserved = 0; ///< bytes: of the largest device, and least reserved
  std::unordered_map<Point, Point, PointHash> widest; ///< of each family the most tokens
  std::optional<Found> best;
  std::size_t refused = 0, left = 0;
  std::size_t nearestIndex = 0;
  Found nearestFound; ///< of those that are refused
  std::string nearestSaid;
  std::unordered_map<Point, std::vector<ir::Chunk>, PointHash> splits;
};

/// A given micro-batch that divides no batch of any mesh.
LogicalResult microBatchLeavesARest(const ir::Layout& layout, DiagnosticEngine& diags) {
  const std::uint64_t batch = layout.batch, given = layout.microBatch;
  std::uint64_t below = 1, above = batch; // divisors on either side
  for (std::uint64_t d = 1; d * d <= batch; ++d)
    for (const std::uint64_t divisor : {d, batch / d})
      if (batch % divisor == 0) {
        below = divisor < given ? std::max(below, divisor) : below;
        above = divisor > given ? std::min(above, divisor) : above;
      }
  return diags
      .report<diag::BatchDoesNotDivide>(layout.rangeOf("micro_batch"), batch, batchNoun(layout),
                                        given)
      .label(fmt::format("found {}, needed a divisor of {}", given, batch))
      .help(given < batch ? fmt::format("the nearest micro-batches are {} and {}", below, above)
                          : fmt::format("the largest micro-batch is {}", batch));
}

/// The longest pipeline of the devices that layers can be split over.
std::uint64_t longestPipeline(const ir::Plan& plan) {
  const cost::LegalityFacts facts(plan.model, plan.cluster, plan.layout);
  const std::uint64_t most = std::min(facts.devices, facts.layers);
  for (std::uint64_t stages = most; stages > 1; --stages)
    if (facts.devices % stages == 0 && cost::brokenBySplit(facts, stages) == cost::Rule::None)
      return stages;
  return 1;
}

/// Where pipelines are longer than an even split can be: says whether one of them is clearly faster
/// than what was found. Layers are split by FLOP to see it, since a balanced split is found by
/// executing many, and micro-batches are the smallest, which a long pipeline wants.
void checkSplit(const ir::Plan& plan, double step, double share, std::uint64_t mostExecuted,
                DiagnosticEngine& diags) {
  const ir::Layout& layout = plan.layout;
  if (layout.split != ir::SplitKind::Even || layout.embeddingSlots + layout.headSlots > 0)
    return;
  ir::Plan other = plan;
  other.layout.split = ir::SplitKind::ByFlop;
  if (!layout.microBatchGiven)
    other.layout.microBatch = 1, other.layout.microBatchGiven = true;
  const std::uint64_t longest = longestPipeline(plan);
  if (longestPipeline(other) == longest)
    return;
  const auto faster = Search(other, mostExecuted).longer(longest, (1 - worthSaying) * step, share);
  if (!faster)
    return;
  const bool isSet = layout.ranges.count("split") != 0;
  auto help =
      diags
          .report<diag::SplitLimitsMesh>(
              layout.rangeOf(isSet ? "split" : "mesh"), plural(plan.model.layers(), "layer"),
              longest == 1 ? "no pipeline of several ranks"
                           : fmt::format("pipelines of at most {} ranks", longest))
          .label(fmt::format("{}, layers by their FLOP: a step takes {:.0f} % less",
                             textOf(faster->point, cost::hasExperts(plan.model)),
                             100 * (1 - faster->step / step)))
          .help("`split = balanced` places layers unevenly, over any number of ranks");
  if (const SourceRange value = valueRange(layout, isSet ? "split" : "mesh"); value.valid())
    std::move(help).edit(value, isSet ? "balanced" : "auto, split = balanced");
}
} // namespace

LogicalResult dpl::planner::chooseMesh(ir::Plan& plan, DiagnosticEngine& diags,
                                       std::uint64_t mostExecuted) {
  const ir::Layout& layout = plan.layout;
  // With a zero in the layout there is nothing to try; resolve-mesh says where it is.
  if (!layout.mesh.automatic || layout.batch == 0 || layout.microBatch == 0 || layout.chunks == 0)
    return LogicalResult::success();
  if (takeDevices(plan, diags).failed())
    return LogicalResult::failure();
  Search search(plan, mostExecuted);
  const bool experts = cost::hasExperts(plan.model);
  if (search.size() == 0 && layout.microBatchGiven && layout.batch % layout.microBatch != 0)
    return microBatchLeavesARest(layout, diags);
  if (search.size() == 0)
    return diags.report<diag::NoMeshFits>(layout.rangeOf("mesh"), plan.cluster.devices(), "")
        .label("no degrees divide the devices, the model and the batch");
  // What no degree can mend is the mistake itself: the passes say it of any of them.
  const cost::LegalityFacts facts(plan.model, plan.cluster, layout);
  if (facts.fixed != cost::Rule::None) {
    writePoint(search.point(0), plan.layout, experts);
    return LogicalResult::success();
  }
  for (const double share : {1 - plan.lint.headroom, 1.0})
    if (const std::optional<std::size_t> found = search.fastest(share)) {
      const double step = ir::toSeconds(search.bestStep());
      checkSplit(plan, step, share, mostExecuted, diags);
      writePoint(search.point(*found), plan.layout, experts);
      if (search.leftOut() > 0)
        (void)diags
            .report<diag::SearchEnded>(layout.rangeOf("mesh"),
                                       plural(search.leftOut(), "candidate"), mostExecuted)
            .label("the fastest of the others")
            .help(layout.split == ir::SplitKind::Balanced
                      ? "a split that is not `balanced` or a given `micro_batch` leaves less to "
                        "execute"
                      : "a given `micro_batch` leaves less to execute");
      return LogicalResult::success();
    }
  const auto [name, said] = search.nearest();
  return diags
      .report<diag::NoMeshFits>(layout.rangeOf("mesh"), plan.cluster.devices(),
                                search.someFit() ? " and has no error" : "")
      .label(search.leftOut() == 0
                 ? plural(search.size(), "candidate") + " tried"
                 : fmt::format("{}, of which {} were left: more than {} passes of a chunk were "
                               "executed before",
                               plural(search.size(), "candidate"), search.leftOut(), mostExecuted))
      .note<diag::BestCandidate>(SourceRange{}, name, said);
}

LogicalResult dpl::planner::completePlan(ir::Plan& plan, DiagnosticEngine& diags,
                                         const PipelineOptions& options, const RunsSchedule& runs) {
  if (chooseSchedule(plan, diags, runs).failed() || chooseMesh(plan, diags).failed())
    return LogicalResult::failure();
  chooseBucket(plan);
  return runPipeline(plan, diags, options);
}
