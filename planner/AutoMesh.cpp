//===- AutoMesh.cpp - `mesh = auto`: the fastest layout of a small space ----------------------===//
#include "planner/AutoMesh.h"
#include "cost/legality/Legality.h"
#include "ir/Arithmetic.h"
#include "passes/TakeDevices.h"
#include "passes/Words.h"
#include "planner/EmptySpace.h"
#include "planner/MeshSearch.h"
#include "support/diagnostics/Layout.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::planner;
using cost::LayoutCandidate;

namespace {

/// The smallest share of the step that another split must save to be reported.
constexpr double worthSaying = 0.1;
/// The divisor of the execution limit for searches that balance splits, which are expensive. The
/// mesh for a split by FLOP is nearly as good and cheap to find.
constexpr std::uint64_t shareOfBalancing = 5;

/// The inputs of a search other than the plan.
struct MeshRequestInputs {
  const SupportsSchedule& runs;
  TrainerRefusals program;
  std::uint64_t mostExecuted;
};

/// Reports a micro-batch size of the file that divides the batch in no mesh.
LogicalResult microBatchLeavesARest(const ir::Layout& layout, DiagnosticEngine& diags) {
  const std::uint64_t batch = layout.batch, given = layout.microBatch;
  std::uint64_t below = 1, above = batch; // nearest divisors below and above
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

/// The longest pipeline whose ranks divide the devices and the layers.
std::uint64_t longestPipeline(const ir::Plan& plan) {
  const cost::LegalityInputs facts(plan.model, plan.cluster, plan.layout);
  const std::uint64_t most = std::min(facts.devices, facts.layers);
  for (std::uint64_t stages = most; stages > 1; --stages)
    if (facts.devices % stages == 0 &&
        cost::brokenBySplit(facts, stages) == cost::LegalityRule::None)
      return stages;
  return 1;
}

/// A layout found by a search, and the share of the memory that it was allowed to need.
struct ChosenLayout {
  FoundLayout layout;
  double share;
};

/// The fastest accepted layout that leaves the headroom, or otherwise the fastest accepted one that
/// fits.
std::optional<ChosenLayout> fastestAccepted(MeshSearch& search, const ir::Plan& plan) {
  for (const double share : {1 - plan.lint.headroom, 1.0})
    if (const std::optional<FoundLayout> found = search.fastest(share))
      return ChosenLayout{*found, share};
  return std::nullopt;
}

/// As fastestAccepted; if the program accepts no layout, the fastest of all layouts.
std::optional<ChosenLayout> fastestOf(MeshSearch& search, const ir::Plan& plan,
                                      const TrainerRefusals& program) {
  search.exclude(program);
  std::optional<ChosenLayout> found = fastestAccepted(search, plan);
  if (found || !program.refusals)
    return found;
  search.exclude({});
  return fastestAccepted(search, plan);
}

/// Warns if a split by FLOP is clearly faster, because it allows pipelines that an even split does
/// not. Balanced splits are not tried, because they execute many steps.
void checkSplit(const ir::Plan& plan, const ChosenLayout& found, const MeshRequestInputs& request,
                DiagnosticEngine& diags) {
  const ir::Layout& layout = plan.layout;
  if (layout.split != ir::SplitKind::Even || layout.mesh.open.split ||
      layout.embeddingSlots + layout.headSlots > 0)
    return;
  ir::Plan other = plan;
  other.layout.split = ir::SplitKind::ByFlop;
  const std::uint64_t longest = longestPipeline(plan);
  if (longestPipeline(other) == longest)
    return;
  const double step = ir::real(found.layout.step), most = 1 - plan.lint.headroom;
  const auto than = static_cast<std::uint64_t>((1 - worthSaying) * step);
  MeshSearch search(other, openChoices(other, request.runs), request.mostExecuted);
  search.exclude(request.program);
  // If a layout of the changed file leaves the headroom, the result is such a layout.
  std::optional<FoundLayout> faster = search.fastest(most, found.share > most ? UINT64_MAX : than);
  if (!faster && found.share > most)
    faster = search.fastest(found.share, than);
  if (!faster || faster->step > than)
    return;
  const bool isSet = layout.ranges.count("split") != 0;
  auto help =
      diags
          .report<diag::SplitLimitsMesh>(
              layout.rangeOf(isSet ? "split" : "mesh"), plural(plan.model.layers(), "layer"),
              longest == 1 ? "no pipeline" : fmt::format("pipelines of at most {} ranks", longest))
          .label(fmt::format("{}, layers split by FLOP: a step takes {:.0f} % less",
                             search.textOf(*faster), 100 * (1 - ir::real(faster->step) / step)))
          .help("`split = by_flop` places layers unevenly over any number of ranks");
  if (const SourceRange value = valueRange(layout, isSet ? "split" : "mesh"); value.valid())
    std::move(help).edit(value, isSet ? "by_flop" : "auto, split = by_flop");
}

/// Why a search ended early.
std::string whyEnded(const ir::Plan& plan, const MeshSearch& search) {
  switch (search.ended()) {
  case MeshSearch::SearchEnd::Broken:
    return plural(search.brokenLayouts(), "layout") + " that fit broke an assertion";
  case MeshSearch::SearchEnd::Refused:
    return fmt::format("{} refused {}", plan.framework.name,
                       plural(search.refusedLayouts(), "layout"));
  case MeshSearch::SearchEnd::Executed:
  case MeshSearch::SearchEnd::Complete:
    return fmt::format("more than {} actions were executed", search.mostExecuted());
  }
  return "";
}

/// Warns that a search ended early, with the number of remaining candidates and the chosen layout.
void reportUnjudged(const ir::Plan& plan, const MeshSearch& search, const char* taken,
                    DiagnosticEngine& diags) {
  if (search.unjudgedLayouts() == 0)
    return;
  const ir::Layout& layout = plan.layout;
  auto warning = diags
                     .report<diag::SearchEnded>(layout.rangeOf("mesh"),
                                                plural(search.unjudgedLayouts(), "candidate"),
                                                whyEnded(plan, search))
                     .label(taken);
  if (search.ended() == MeshSearch::SearchEnd::Executed)
    std::move(warning).help(layout.split == ir::SplitKind::Balanced
                                ? "another split than `balanced` or a `micro_batch` in the file "
                                  "makes the search shorter"
                                : "a `micro_batch` in the file makes the search shorter");
  else
    std::move(warning).help("degrees and fields that the file sets make the search shorter");
}

/// A text with the pipelines that the devices allow and an even split excludes: "; 80 layers divide
/// evenly over no pipeline of 3, 6, 12 or 24 ranks". Empty if there are none.
std::string pipelinesLeftOut(const ir::Plan& plan) {
  const cost::LegalityInputs facts(plan.model, plan.cluster, plan.layout);
  if (facts.split != ir::SplitKind::Even || plan.layout.mesh.open.split)
    return "";
  std::vector<std::string> left;
  for (std::uint64_t stages = 2; stages <= std::min(facts.devices, facts.layers); ++stages)
    if (facts.devices % stages == 0 &&
        cost::brokenBySplit(facts, stages) == cost::LegalityRule::Layers)
      left.push_back(std::to_string(stages));
  if (left.empty())
    return "";
  constexpr std::size_t mostNamed = 4;
  if (const std::size_t more = left.size() - std::min(left.size(), mostNamed); more > 0)
    left.resize(mostNamed), left.push_back(plural(more, "other"));
  std::string list = left.front();
  for (std::size_t i = 1; i < left.size(); ++i)
    list += (i + 1 == left.size() ? " or " : ", ") + left[i];
  return fmt::format("; {} do not divide evenly over pipelines of {} ranks",
                     plural(facts.layers, "layer"), list);
}

/// A text "`setting` fits: LAYOUT" with the layout that `mesh = auto` finds with that setting.
/// Empty if no accepted layout fits.
std::string proposalFor(const ir::Plan& plan, const char* setting,
                        const MeshRequestInputs& request) {
  MeshSearch search(plan, openChoices(plan, request.runs), request.mostExecuted / 10);
  search.exclude(request.program);
  const std::optional<ChosenLayout> found = fastestAccepted(search, plan);
  return found ? fmt::format("`{}` fits: {}", setting, search.textOf(found->layout)) : "";
}

/// The lowest ZeRO stage with which a layout fits, if the file sets a lower one.
std::string stageThatFits(const ir::Plan& plan, const MeshRequestInputs& request) {
  static constexpr const char* settings[] = {
      "shard { optimizer = data }", "shard { optimizer = data, gradients = data }",
      "shard { optimizer = data, gradients = data, parameters = data }"};
  for (unsigned stage = plan.layout.shard.stage() + 1; stage <= std::size(settings); ++stage) {
    ir::Plan other = plan;
    ir::Shard& shard = other.layout.shard;
    shard.optimizer = ir::ShardAxis::Data;
    if (stage >= 2)
      shard.gradients = ir::ShardAxis::Data;
    if (stage >= 3)
      shard.parameters = ir::ShardAxis::Data;
    if (std::string said = proposalFor(other, settings[stage - 1], request); !said.empty())
      return said;
  }
  return "";
}

/// The text for the first change of a setting of the file with which an accepted layout fits; empty
/// if there is none.
std::string whatFits(const ir::Plan& plan, const MeshRequestInputs& request) {
  const ir::OpenFields& open = plan.layout.mesh.open;
  if (!plan.assertions.empty())
    return "";
  if (!open.split && plan.layout.split == ir::SplitKind::Even &&
      plan.layout.embeddingSlots + plan.layout.headSlots == 0) {
    ir::Plan other = plan;
    other.layout.split = ir::SplitKind::ByFlop;
    if (std::string said = proposalFor(other, "split = by_flop", request); !said.empty())
      return said;
  }
  if (!open.stage)
    if (std::string said = stageThatFits(plan, request); !said.empty())
      return said;
  if (!open.recompute && plan.layout.recompute.kind != ir::RecomputeKind::Full &&
      !plan.model.isLayerList()) {
    ir::Plan other = plan;
    other.layout.recompute = {};
    other.layout.recompute.kind = ir::RecomputeKind::Full;
    return proposalFor(other, "recompute = full", request);
  }
  return "";
}

/// Whether the file sets `split = balanced`.
bool isBalanced(const ir::Layout& layout) {
  return layout.split == ir::SplitKind::Balanced && !layout.mesh.open.split;
}

/// Balanced splits execute so many actions that the search may end early. If the fastest mesh for a
/// split by FLOP is faster than `found`, this mesh is written, and the passes balance its split.
/// Returns whether it was written.
bool chooseByFlop(ir::Plan& plan, const std::optional<ChosenLayout>& found,
                  const MeshRequestInputs& request) {
  if (!isBalanced(plan.layout))
    return false;
  ir::Plan other = plan;
  other.layout.split = ir::SplitKind::ByFlop;
  MeshSearch search(other, openChoices(other, request.runs), request.mostExecuted);
  const std::optional<ChosenLayout> faster = fastestOf(search, other, request.program);
  if (!faster ||
      (found && (faster->share > found->share || faster->layout.step >= found->layout.step)))
    return false;
  search.write(faster->layout, plan.layout);
  plan.layout.split = ir::SplitKind::Balanced;
  return true;
}

LogicalResult nothingFits(const ir::Plan& plan, MeshSearch& search,
                          const MeshRequestInputs& request, DiagnosticEngine& diags) {
  const auto [name, said] = search.nearest();
  const bool someFit = search.brokenLayouts() > 0;
  const std::string tried = plural(search.size(), "candidate");
  auto error = diags
                   .report<diag::NoMeshFits>(plan.layout.rangeOf("mesh"), plan.cluster.devices(),
                                             someFit ? " and keeps the assertions"
                                             : search.unjudgedLayouts() > 0
                                                 ? " among those that were evaluated"
                                                 : "")
                   .label(search.unjudgedLayouts() == 0
                              ? tried + " tried" + pipelinesLeftOut(plan)
                              : fmt::format("{}, of which {} were not evaluated: {}", tried,
                                            search.unjudgedLayouts(), whyEnded(plan, search)))
                   .note<diag::BestCandidate>(SourceRange{}, name, said);
  if (someFit || search.unjudgedLayouts() > 0)
    return error;
  if (const std::string fits = whatFits(plan, request); !fits.empty())
    return std::move(error).help(fits);
  return error;
}

/// If too many layouts broke an assertion, searches the smaller space in which open fields keep the
/// values of the layout. Returns whether it found a layout.
bool chooseAsWritten(ir::Plan& plan, std::size_t broken, const MeshRequestInputs& request,
                     DiagnosticEngine& diags) {
  MeshSearch search(plan, {OpenChoice(plan.layout)}, request.mostExecuted);
  const std::optional<ChosenLayout> found = fastestOf(search, plan, request.program);
  if (!found)
    return false;
  search.write(found->layout, plan.layout);
  (void)diags.report<diag::SearchRefused>(plan.layout.rangeOf("mesh"), plural(broken, "layout"))
      .label("the fastest layout with these values")
      .help("an assertion about degrees is checked earlier if the file sets them");
  return true;
}
} // namespace

LogicalResult dpl::planner::chooseMesh(ir::Plan& plan, DiagnosticEngine& diags,
                                       std::uint64_t mostExecuted, const SupportsSchedule& runs,
                                       const PlanRefusals& refusals) {
  const ir::Layout& layout = plan.layout;
  // With a zero in the layout there is no candidate; resolve-mesh reports it.
  if (!layout.mesh.automatic || layout.batch == 0 || layout.microBatch == 0 || layout.chunks == 0)
    return LogicalResult::success();
  if (takeDevices(plan, diags).failed())
    return LogicalResult::failure();
  MeshSearch search(plan, openChoices(plan, runs),
                    isBalanced(layout) ? mostExecuted / shareOfBalancing : mostExecuted);
  if (search.isEmpty() && layout.microBatchGiven && layout.batch % layout.microBatch != 0)
    return microBatchLeavesARest(layout, diags);
  if (search.isEmpty())
    return diags.report<diag::NoMeshFits>(layout.rangeOf("mesh"), plan.cluster.devices(), "")
        .label(whyNoMesh(plan));
  // If no degrees can be legal, any of them lets the passes report the error.
  const cost::LegalityInputs facts(plan.model, plan.cluster, layout);
  if (facts.fixed != cost::LegalityRule::None) {
    writeCandidate(search.candidate(0), plan.layout, cost::hasExperts(plan.model));
    return LogicalResult::success();
  }
  MeshRequestInputs request{runs, {refusals, {}}, mostExecuted};
  if (refusals)
    request.program.ignored = search.commonRefusals(refusals);
  const std::optional<ChosenLayout> found = fastestOf(search, plan, request.program);
  if (search.ended() == MeshSearch::SearchEnd::Executed && chooseByFlop(plan, found, request)) {
    reportUnjudged(plan, search,
                   "the fastest mesh for layers split by FLOP, which were balanced afterwards",
                   diags);
    return LogicalResult::success();
  }
  if (found) {
    checkSplit(plan, *found, request, diags);
    reportUnjudged(plan, search, "the fastest of the layouts that were evaluated", diags);
    const bool isFaster =
        layout.mesh.open.split && search.balancedIsFaster(found->layout, found->share);
    search.write(found->layout, plan.layout);
    if (isFaster)
      plan.layout.split = ir::SplitKind::Balanced;
    return LogicalResult::success();
  }
  if (search.ended() == MeshSearch::SearchEnd::Broken && search.choices() > 1 &&
      chooseAsWritten(plan, search.brokenLayouts(), request, diags))
    return LogicalResult::success();
  return nothingFits(plan, search, request, diags);
}
