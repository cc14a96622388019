//===- AutoMesh.cpp - `mesh = auto`: the fastest layout of a small space ----------------------===//
#include "planner/AutoMesh.h"
#include "cost/Legality.h"
#include "ir/Arithmetic.h"
#include "passes/TakeDevices.h"
#include "passes/Words.h"
#include "planner/AutoBucket.h"
#include "planner/MeshSearch.h"
#include "support/diagnostics/Layout.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::planner;
using cost::Point;

namespace {

/// The share of the step that another split has to save to be reported.
constexpr double worthSaying = 0.1;

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
  MeshSearch search(other, openChoices(other, {}), mostExecuted);
  const auto faster = search.longer(longest, (1 - worthSaying) * step, share);
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
                             search.textOf(*faster),
                             100 * (1 - ir::toSeconds(faster->step) / step)))
          .help("`split = by_flop` places layers unevenly, over any number of ranks");
  if (const SourceRange value = valueRange(layout, isSet ? "split" : "mesh"); value.valid())
    std::move(help).edit(value, isSet ? "by_flop" : "auto, split = by_flop");
}

/// Warns that a search ended early, with the number of candidates that it left.
void sayWhatWasLeft(const ir::Layout& layout, const MeshSearch& search, std::uint64_t mostExecuted,
                    DiagnosticEngine& diags) {
  if (search.leftOut() == 0)
    return;
  (void)diags
      .report<diag::SearchEnded>(layout.rangeOf("mesh"), plural(search.leftOut(), "candidate"),
                                 mostExecuted)
      .label("the fastest of the others")
      .help(layout.split == ir::SplitKind::Balanced
                ? "a split that is not `balanced` or a given `micro_batch` leaves less to execute"
                : "a given `micro_batch` leaves less to execute");
}

/// Names pipelines that the devices allow and an even split excludes: "80 layers divide over no
/// pipeline of 3, 6, 12 or 24 ranks". Empty if there are none.
std::string pipelinesLeftOut(const ir::Plan& plan) {
  const cost::LegalityFacts facts(plan.model, plan.cluster, plan.layout);
  if (facts.split != ir::SplitKind::Even || plan.layout.mesh.open.split)
    return "";
  std::vector<std::string> left;
  for (std::uint64_t stages = 2; stages <= std::min(facts.devices, facts.layers); ++stages)
    if (facts.devices % stages == 0 && cost::brokenBySplit(facts, stages) == cost::Rule::Layers)
      left.push_back(std::to_string(stages));
  if (left.empty())
    return "";
  constexpr std::size_t mostNamed = 4;
  if (const std::size_t more = left.size() - std::min(left.size(), mostNamed); more > 0)
    left.resize(mostNamed), left.push_back(plural(more, "other"));
  std::string list = left.front();
  for (std::size_t i = 1; i < left.size(); ++i)
    list += (i + 1 == left.size() ? " or " : ", ") + left[i];
  return fmt::format("; {} divide evenly over no pipeline of {} ranks",
                     plural(facts.layers, "layer"), list);
}

/// The first change of a setting of the file with which a layout fits; empty if there is none.
std::string whatFits(const ir::Plan& plan, std::uint64_t mostExecuted) {
  const auto fits = [&](const char* setting, ir::Plan other) -> std::string {
    MeshSearch search(other, openChoices(other, {}), mostExecuted / 10);
    for (const double share : {1 - plan.lint.headroom, 1.0})
      if (const std::optional<FoundLayout> found = search.fastest(share))
        return fmt::format("`{}` fits: {}", setting, search.textOf(*found));
    return "";
  };
  const ir::OpenFields& open = plan.layout.mesh.open;
  if (!plan.assertions.empty())
    return "";
  if (!open.split && plan.layout.split == ir::SplitKind::Even &&
      plan.layout.embeddingSlots + plan.layout.headSlots == 0) {
    ir::Plan other = plan;
    other.layout.split = ir::SplitKind::ByFlop;
    if (std::string said = fits("split = by_flop", std::move(other)); !said.empty())
      return said;
  }
  if (!open.stage && plan.layout.shard.stage() < 3) {
    ir::Plan other = plan;
    other.layout.mesh.open.stage = true;
    if (std::string said = fits("shard { optimizer = data, gradients = data, parameters = data }",
                                std::move(other));
        !said.empty())
      return said;
  }
  if (!open.recompute && plan.layout.recompute.kind != ir::RecomputeKind::Full &&
      !plan.model.isLayerList()) {
    ir::Plan other = plan;
    other.layout.recompute = {};
    other.layout.recompute.kind = ir::RecomputeKind::Full;
    return fits("recompute = full", std::move(other));
  }
  return "";
}

/// `takes` remembers what the framework refuses of the first plan that it sees, and ignores it
/// later. That plan gets the simplest mesh, so that only refusals which hold for all degrees are
/// ignored.
void rememberRefusals(ir::Plan& plan, const Point& simplest, const TakesPlan& takes) {
  const ir::Plan asWritten = plan;
  DiagnosticEngine unheard;
  writePoint(simplest, plan.layout, cost::hasExperts(plan.model));
  // Fails if the plan does not fit, which does not matter here.
  (void)runPipeline(plan, unheard, withoutAdvice());
  if (!plan.memory.empty())
    (void)takes(plan);
  plan = asWritten;
}

LogicalResult nothingFits(const ir::Plan& plan, MeshSearch& search, std::uint64_t mostExecuted,
                          DiagnosticEngine& diags) {
  const auto [name, said] = search.nearest();
  const std::string tried = plural(search.size(), "candidate");
  auto error =
      diags
          .report<diag::NoMeshFits>(plan.layout.rangeOf("mesh"), plan.cluster.devices(),
                                    search.someFit() ? " and has no error" : "")
          .label(search.leftOut() == 0
                     ? tried + " tried" + pipelinesLeftOut(plan)
                     : fmt::format("{}, of which {} were left: more than {} passes of a chunk were "
                                   "executed before",
                                   tried, search.leftOut(), mostExecuted))
          .note<diag::BestCandidate>(SourceRange{}, name, said);
  if (search.someFit() || search.leftOut() > 0)
    return error;
  if (const std::string fits = whatFits(plan, mostExecuted); !fits.empty())
    return std::move(error).help(fits);
  return error;
}

/// If too many layouts broke an assertion, searches the smaller space in which open fields keep the
/// layout's own values. Returns whether it found a layout.
bool chooseAsWritten(ir::Plan& plan, std::size_t refused, std::uint64_t mostExecuted,
                     DiagnosticEngine& diags) {
  MeshSearch search(plan, {OpenChoice(plan.layout)}, mostExecuted);
  for (const double share : {1 - plan.lint.headroom, 1.0})
    if (const std::optional<FoundLayout> found = search.fastest(share)) {
      search.write(*found, plan.layout);
      (void)diags
          .report<diag::SearchRefused>(plan.layout.rangeOf("mesh"), plural(refused, "layout"))
          .label("the fastest without other values of open fields")
          .help("an assertion about degrees is known sooner where they are written");
      return true;
    }
  return false;
}
} // namespace

LogicalResult dpl::planner::chooseMesh(ir::Plan& plan, DiagnosticEngine& diags,
                                       std::uint64_t mostExecuted, const RunsSchedule& runs,
                                       const TakesPlan& takes) {
  const ir::Layout& layout = plan.layout;
  // With a zero in the layout there is nothing to try; resolve-mesh says where it is.
  if (!layout.mesh.automatic || layout.batch == 0 || layout.microBatch == 0 || layout.chunks == 0)
    return LogicalResult::success();
  if (takeDevices(plan, diags).failed())
    return LogicalResult::failure();
  MeshSearch search(plan, openChoices(plan, runs), mostExecuted);
  if (search.isEmpty() && layout.microBatchGiven && layout.batch % layout.microBatch != 0)
    return microBatchLeavesARest(layout, diags);
  if (search.isEmpty())
    return diags.report<diag::NoMeshFits>(layout.rangeOf("mesh"), plan.cluster.devices(), "")
        .label("no degrees divide the devices, the model and the batch");
  // What no degree can mend is the mistake itself: the passes say it of any of them.
  const cost::LegalityFacts facts(plan.model, plan.cluster, layout);
  if (facts.fixed != cost::Rule::None) {
    writePoint(search.point(0), plan.layout, cost::hasExperts(plan.model));
    return LogicalResult::success();
  }
  const double most = 1 - plan.lint.headroom;
  const bool asks = takes && !plan.framework.name.empty();
  if (asks) {
    rememberRefusals(plan, search.point(0), takes);
    search.leaveOut(takes);
  }
  using Attempt = std::pair<double, bool>; // share of memory, framework must take it
  for (const auto& [share, asked] :
       {Attempt(most, asks), Attempt(1.0, asks), Attempt(most, false), Attempt(1.0, false)}) {
    if (asks && !asked)
      search.leaveOut({});
    if (std::optional<FoundLayout> found = search.fastest(share)) {
      checkSplit(plan, ir::toSeconds(found->step), share, mostExecuted, diags);
      sayWhatWasLeft(layout, search, mostExecuted, diags);
      if (layout.mesh.open.split)
        if (const std::optional<FoundLayout> other = search.balanced(*found, share))
          found = other;
      search.write(*found, plan.layout);
      return LogicalResult::success();
    }
    if (!asks && share == 1)
      break;
  }
  if (search.gaveUp() && search.choices() > 1 &&
      chooseAsWritten(plan, search.refusedByPasses(), mostExecuted, diags))
    return LogicalResult::success();
  return nothingFits(plan, search, mostExecuted, diags);
}

LogicalResult dpl::planner::completePlan(ir::Plan& plan, DiagnosticEngine& diags,
                                         const PipelineOptions& options, const RunsSchedule& runs) {
  // If mesh and schedule are both open, the mesh is chosen with its best schedule among few numbers
  // of chunks. The schedule is then chosen again among more of them.
  if (chooseMesh(plan, diags, mostPassesOfASearch, runs, options.takes).failed() ||
      chooseSchedule(plan, diags, runs).failed())
    return LogicalResult::failure();
  chooseBucket(plan);
  return runPipeline(plan, diags, options);
}
