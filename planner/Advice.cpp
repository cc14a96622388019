//===- Advice.cpp - The changes of a layout that gain most ------------------------------------===//
//
// Changes wait in a queue in the order of a lower bound of their step. The first one of the queue
// gets a higher bound, then its exact step, and returns to the queue each time. When it is first
// with an exact step, no other change is faster, and the changed file is compiled to confirm the
// step. Only the file has the jitter and the loading of the step, for which it may return once
// more.
#include "planner/Advice.h"
#include "cost/legality/Legality.h"
#include "cost/step/HostMemory.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "planner/Estimator.h"
#include "planner/MeshSpace.h"
#include "planner/PlanBound.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
#include <queue>

using namespace dpl;
using namespace dpl::planner;

namespace {
/// Makes up for rounding of two steps of the same whole picoseconds.
constexpr double equal = 1 + 1e-12;

/// A legal change with its restated plan, which has a mesh.
struct LegalChange {
  const LayoutChange* change = nullptr;
  ir::Plan plan;
  cost::LayoutCandidate candidate;
  /// Index of the change's choice among those of the shared bounds; none if the change sets other
  /// fields than a choice has.
  std::optional<std::size_t> choice;
  std::unique_ptr<Estimator> estimator; ///< estimator of the plan; null until needed
};

/// A change in the queue. Its step is a lower bound for any split of the layers, a lower bound for
/// its own split, the executed step, or the step of the changed file, with jitter and loading.
struct WaitingChange {
  enum class By : std::uint8_t { AnySplit, Split, Estimate, File };
  double step = 0; ///< seconds
  std::size_t index = 0;
  By by = By::AnySplit;
  bool operator<(const WaitingChange& o) const { // std::priority_queue has the largest on top
    return step != o.step ? step > o.step : index > o.index;
  }
};

/// The share of the device memory that the fullest rank needs.
double shareOf(const ir::Plan& plan) {
  double share = 0;
  for (const ir::RankMemory& rank : plan.memory)
    share = std::max(share, ir::real(rank.peak()) / ir::real(rank.usable));
  return share;
}

/// Messages alone need the places of fields, and copies without them are cheap.
ir::Plan withoutRanges(ir::Plan plan) {
  plan.layout.ranges.clear();
  return plan;
}

/// Whether a choice and the degrees have everything that a change sets.
bool isOfChoice(const LayoutChange& change) {
  return llvm::all_of(change.settings, [](const FieldSetting& setting) {
    const llvm::StringRef path = setting.path;
    return path.startswith("mesh.") || path == "micro_batch" || path == "schedule" ||
           path == "split" || path == "recompute" ||
           (path.startswith("shard.") && path != "shard.reshard_after_forward");
  });
}

class AdviceSearch {
public:
  AdviceSearch(const ir::Plan& plan, const AdviceRequest& request)
      : plan(plan), request(request), bare(withoutRanges(restated(plan))),
        changes(neighbourhood(plan, request.runs)), choices({OpenChoice(bare.layout)}),
        device(deviceMemoryOf(plan.cluster)) {
    const std::unique_ptr<Pass> resolve = createResolveMeshPass();
    for (const LayoutChange& change : changes)
      if (!change.searches)
        addLegal(change, *resolve);
    bounds.emplace(bare, choices);
    out.changes = legal.size();
  }

  AdviceResult run() {
    const std::optional<cost::FullestNode> host = cost::fullestNode(plan);
    const bool fits = shareOf(plan) <= 1 && (!host || host->fits());
    const double limit =
        fits ? plan.step->step * (1 - leastGain) : std::numeric_limits<double>::infinity();
    search(1 - plan.lint.headroom, limit);
    if (out.found.empty() && !fits)
      search(1, limit);
    return std::move(out);
  }

private:
  void addLegal(const LayoutChange& change, Pass& resolve) {
    LegalChange one{&change, withChange(bare, change), {}, {}, {}};
    DiagnosticEngine silent;
    if (resolve.run(one.plan, silent).failed())
      return;
    one.candidate = candidateOf(one.plan);
    const cost::LegalityInputs facts(one.plan.model, one.plan.cluster, one.plan.layout);
    if (facts.fixed != cost::LegalityRule::None ||
        cost::brokenRule(facts, one.candidate) != cost::LegalityRule::None)
      return;
    if (isOfChoice(change)) {
      one.choice = choices.size();
      OpenChoice choice(one.plan.layout);
      if (change.settings.front().path == "recompute")
        choice.recomputation = ++recomputations;
      choices.push_back(std::move(choice));
    }
    legal.push_back(std::move(one));
  }

  /// The bound that `of` computes from the bounds of a change; 0 if none are known.
  template <class Of> Bound boundOf(const LegalChange& one, Of of) {
    if (!hasBounds(one.plan))
      return {};
    if (one.choice) {
      bounds->choose(*one.choice);
      return of(*bounds);
    }
    const OpenChoice choice(one.plan.layout);
    Bounds own(one.plan, choice);
    return of(own);
  }
  bool isFound(llvm::StringRef field) const {
    return llvm::any_of(out.found, [&](const Advice& one) { return one.change.field() == field; });
  }
  /// Whether a layout with this bound may fit. With `mesh = auto` the changed file finds another
  /// mesh, which may fit.
  bool mayFit(const Bound& bound, double share) const {
    return plan.mesh.found ||
           boundRounding * (bound.memory + device.reserved) <= share * device.largest;
  }

  /// The first queue entry of a change; none if a lower bound of its memory is above `share`.
  std::optional<WaitingChange> bounded(std::size_t index, double share) {
    const LegalChange& one = legal[index];
    const Bound bound =
        boundOf(one, [&](Bounds& of) { return of.ofAny(one.candidate, one.candidate); });
    if (!mayFit(bound, share))
      return std::nullopt;
    return WaitingChange{boundRounding * bound.step, index, WaitingChange::By::AnySplit};
  }

  /// The next queue entry of a change; none if the change does not fit or is illegal.
  std::optional<WaitingChange> refined(WaitingChange next, double share) {
    LegalChange& one = legal[next.index];
    if (next.by == WaitingChange::By::AnySplit) {
      if (executed > request.mostExecuted) {
        out.all = false;
        return std::nullopt;
      }
      one.estimator = std::make_unique<Estimator>(
          one.plan, MeshOf::Layout, one.choice ? shapes : std::make_shared<PipelineShapes>());
      const llvm::ArrayRef<ir::Chunk> split = one.estimator->split(one.candidate);
      if (split.empty())
        return std::nullopt;
      const Bound bound = boundOf(one, [&](Bounds& of) { return of.of(one.candidate, split); });
      if (!mayFit(bound, share))
        return std::nullopt;
      next.step = std::max(next.step, boundRounding * bound.step),
      next.by = WaitingChange::By::Split;
      return next;
    }
    ++out.executed;
    const Estimate estimate = one.estimator->exact(one.candidate);
    executed += one.estimator->executed();
    one.estimator.reset();
    if (!estimate.runs || (estimate.share > share && !plan.mesh.found))
      return std::nullopt;
    next.step = ir::real(estimate.step) * 1e-12, next.by = WaitingChange::By::Estimate;
    return next;
  }

  /// Finds the fastest changes that need at most `share` of the memory and less than `limit`
  /// seconds.
  void search(double share, double limit) {
    std::priority_queue<WaitingChange> queue;
    const auto wait = [&](const std::optional<WaitingChange>& change) {
      if (change)
        queue.push(*change);
    };
    for (std::size_t i = 0; i < legal.size(); ++i)
      wait(bounded(i, share));
    while (!queue.empty() && queue.top().step < limit) {
      const WaitingChange next = queue.top();
      queue.pop();
      if (isFound(legal[next.index].change->field()))
        continue;
      if (next.by < WaitingChange::By::Estimate) {
        if (compiled <= request.mostCompiled)
          wait(refined(next, share));
        continue;
      }
      const LayoutChange& change = *legal[next.index].change;
      if (next.by == WaitingChange::By::Estimate && ++compiled > request.mostCompiled) {
        out.all = false; // the best of the compiled files is not found yet
        continue;
      }
      std::optional<ir::Plan> file = request.complete(change);
      if (!file || !file->step || shareOf(*file) > share)
        continue;
      // The step of the file includes jitter and loading, and other fields of the file may depend
      // on the changed one, so that its step may be longer.
      if (next.by == WaitingChange::By::File || file->step->step <= equal * next.step) {
        if (file->step->step < limit)
          out.found.push_back({change, std::move(*file)});
        if (out.found.size() == request.keep)
          return;
        continue;
      }
      queue.push({file->step->step, next.index, WaitingChange::By::File});
    }
  }

  const ir::Plan& plan;
  const AdviceRequest& request;
  const ir::Plan bare;
  const std::vector<LayoutChange> changes;
  std::vector<OpenChoice> choices; ///< choices of the plan, and of the legal changes of its fields
  std::vector<LegalChange> legal;
  std::size_t recomputations = 0;
  std::optional<Bounds> bounds;
  std::shared_ptr<PipelineShapes> shapes = std::make_shared<PipelineShapes>();
  const DeviceMemory device;
  std::uint64_t executed = 0;
  unsigned compiled = 0;
  AdviceResult out;
};
} // namespace

AdviceResult dpl::planner::adviceOn(const ir::Plan& plan, const AdviceRequest& request) {
  return AdviceSearch(plan, request).run();
}
