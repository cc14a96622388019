//===- CheckStages.cpp - Checks layers over stages and chunks, and the schedule ---------------===//
#include "cost/legality/Legality.h"
#include "cost/schedules/Schedule.h"
#include "ir/BatchUnit.h"
#include "ir/DataRanks.h"
#include "ir/Names.h"
#include "passes/CheckLayout.h"
#include "passes/Words.h"
#include "support/diagnostics/Layout.h"
#include <fmt/format.h>
#include <numeric>

using namespace dpl;
using ir::Axis;
namespace legal = cost::legal;

namespace {

class StageCheck {
public:
  StageCheck(const ir::Plan& plan, DiagnosticEngine& diags)
      : plan(plan), layout(plan.layout), diags(diags), stages(plan.mesh.size(Axis::Pipeline)),
        chunks(cost::pipelineOf(layout, stages, 1).placement().stages()),
        chunksPerRank(chunks / stages), layers(plan.model.layers()) {}

  LogicalResult run() {
    if (size().failed()) // the other checks compute with these sizes
      return LogicalResult::failure();
    costs();
    if (!schedule())
      return LogicalResult::failure();
    if (layout.split == ir::SplitKind::Even)
      even();
    else
      slotsUnused();
    if (layout.split == ir::SplitKind::Listed)
      listed();
    else if (layout.split != ir::SplitKind::Even)
      balanced();
    return failed ? LogicalResult::failure() : LogicalResult::success();
  }

private:
  LogicalResult size() {
    const std::optional<std::uint64_t> passes =
        product({plan.mesh.microBatches, chunksPerRank, stages});
    if (legal::actions(passes))
      return LogicalResult::success();
    return diags
        .report<diag::TooManyPasses>(layout.rangeOf("batch"), passes.value_or(UINT64_MAX),
                                     legal::mostActions)
        .label("micro-batches × chunks × stages: " +
               showProduct({plan.mesh.microBatches, chunksPerRank, stages}))
        .help("a larger `micro_batch` gives fewer micro-batches");
  }

  /// Checks the schedule; false if the checks of layers make no sense for its pipeline ranks.
  bool schedule() {
    const std::uint64_t microBatches = plan.mesh.microBatches;
    const bool flushed = cost::scheduleInfo(layout.schedule).flushed();
    if (layout.postValidation && (stages == 1 || !flushed))
      (void)diags
          .report<diag::PostValidationIdle>(
              layout.rangeOf("post_validation"),
              flushed ? "`mesh.pipeline` is 1" : fmt::format("schedule `{}` has no flush", name()))
          .label(flushed ? "there are no other pipeline ranks to wait for"
                         : "each pipeline rank already updates without waiting for the others");
    if (!legal::weightVersionsAllowed(plan.model, layout))
      versions();
    inAdvance();
    using enum cost::ScheduleRule;
    switch (
        cost::scheduleInfo(layout.schedule).legal(cost::pipelineOf(layout, stages, microBatches))) {
    case Legal:
      return true;
    case NeedsPipeline: {
      failed = true;
      auto d =
          diags
              .report<diag::ScheduleNeedsPipeline>(
                  layout.rangeOf("schedule"), name(),
                  layout.chunks > 1 ? fmt::format(" of {} chunks per rank", layout.chunks) : "")
              .help("write `schedule = 1f1b`");
      if (const SourceRange value = valueRange(layout, "schedule"); value.valid())
        std::move(d).edit(value, "1f1b");
      return false;
    }
    case MicroBatchesInGroups:
      microBatchesOf(stages, stages, fmt::format("a multiple of {}", stages));
      return true;
    case FewMicroBatches:
      microBatchesOf(1, 2 * stages, fmt::format("at least {}", 2 * stages));
      return true;
    case RanksInPairs:
      failed = true;
      diags.report<diag::ScheduleRanks>(rangeOf(layout, Axis::Pipeline), name(), stages)
          .label(fmt::format("{} pipeline ranks, needed an even number", stages))
          .help(fmt::format("the nearest are `pipeline = {}` and `pipeline = {}`", stages - 1,
                            stages + 1));
      return false;
    case MicroBatchesInHalves:
      microBatchesOf(2, 2 * stages, "an even number");
      return true;
    case OtherGroup:
      otherGroup();
      return true;
    case OtherCustomSchedule:
      otherCustomSchedule();
      return true;
    }
    return true;
  }

  void costs() {
    const std::uint64_t given = layout.microBatchCosts.size(), m = plan.mesh.microBatches;
    if (!batchDivides() || legal::costsRepeat(given, m))
      return;
    failed = true;
    diags
        .report<diag::MicroBatchCostCount>(layout.rangeOf("micro_batch_costs"),
                                           plural(given, "cost"), plural(m, "micro-batch"))
        .label(fmt::format("{} is not a multiple of {}", m, given));
  }

  /// Reports the field whose state cannot be kept in versions by a schedule without a flush.
  void versions() {
    failed = true;
    const ir::Shard& shard = layout.shard;
    const char* what = shard.parameters != ir::ShardAxis::None  ? "shard.parameters"
                       : shard.gradients != ir::ShardAxis::None ? "shard.gradients"
                                                                : nullptr;
    auto d = diags.report<diag::WeightVersions>(
        layout.rangeOf(what ? what : "schedule"), name(),
        what ? fmt::format("`{} = data`", what)
             : fmt::format("model `{}` with tied embeddings", plan.model.name));
    if (what)
      (void)std::move(d).help("`shard.optimizer = data` is allowed");
    else
      (void)std::move(d)
          .note<diag::ModelDeclaredHere>(layout.rangeOf("model"), plan.model.name)
          .help("`1f1b` ends each step with the gradients of all ranks");
  }

  void inAdvance() {
    const SourceRange field = layout.rangeOf("recompute.in_advance");
    if (!legal::allowsInAdvance(layout)) {
      failed = true;
      (void)diags.report<diag::InAdvanceWithoutFlush>(field, name())
          .help("`1f1b` and every other schedule with a flush can recompute in advance");
    } else if (!legal::recomputes(plan.model, layout.recompute)) {
      failed = true;
      std::vector<const char*> modules;
      for (const ir::ModuleKind module : layout.recompute.modules)
        modules.push_back(ir::name(module));
      (void)diags
          .report<diag::NothingInAdvance>(field, plan.model.name,
                                          fmt::format("`{}`", fmt::join(modules, "`, `")))
          .note<diag::ModelDeclaredHere>(layout.rangeOf("model"), plan.model.name)
          .help("`recompute = full { in_advance = true }` recomputes whole layers");
    }
  }

  /// Whether the batch divides. If not, another check reports it, and the number of micro-batches
  /// is undefined.
  bool batchDivides() const {
    return plan.mesh.microBatches > 0 &&
           (legal::batch(layout.batch, layout.microBatch * plan.mesh.dataRanks()) ||
            ir::hasUnequalShares(layout));
  }

  /// Proposes the group size nearest to the requested one, if there is one.
  void otherGroup() {
    const std::uint64_t microBatches = plan.mesh.microBatches;
    if (!batchDivides())
      return;
    failed = true;
    auto d = diags.report<diag::ScheduleGroup>(layout.rangeOf("schedule.micro_batch_group"),
                                               layout.group, plural(microBatches, "micro-batch"),
                                               plural(stages, "pipeline rank"));
    if (chunksPerRank == 1) {
      (void)std::move(d).label("groups need several chunks per rank, found one");
      return;
    }
    const bool inside = layout.group >= stages && layout.group <= microBatches;
    (void)std::move(d).label(
        inside ? fmt::format("the last group has {}, needed none or at least {}",
                             microBatches % layout.group, stages)
               : fmt::format("needed from {} to {}", stages, std::max(stages, microBatches)));
    if (const std::optional<std::uint64_t> nearest = groupNear(layout.group))
      (void)std::move(d).help(fmt::format("the nearest is `micro_batch_group = {}`", *nearest));
  }

  /// The group size nearest to `wanted` that the schedule accepts, or none.
  std::optional<std::uint64_t> groupNear(std::uint64_t wanted) const {
    std::optional<std::uint64_t> nearest;
    const auto away = [&](std::uint64_t group) {
      return group > wanted ? group - wanted : wanted - group;
    };
    cost::PipelineShape shape = cost::pipelineOf(layout, stages, plan.mesh.microBatches);
    const auto takes = cost::scheduleInfo(shape.kind).legal;
    for (shape.microBatchGroup = stages;
         shape.microBatchGroup <= std::min(shape.microBatches, legal::mostActions);
         ++shape.microBatchGroup)
      if (takes(shape) == cost::ScheduleRule::Legal &&
          (!nearest || away(shape.microBatchGroup) < away(*nearest)))
        nearest = shape.microBatchGroup;
    return nearest;
  }

  void otherCustomSchedule() {
    const ir::CustomSchedule& lists = layout.customSchedule;
    if (!batchDivides())
      return;
    failed = true;
    const auto shape = [](std::uint64_t ranks, std::uint64_t microBatches) {
      return fmt::format("{} and {}", plural(ranks, "pipeline rank"),
                         plural(microBatches, "micro-batch"));
    };
    diags.report<diag::ListsOfOtherShape>(layout.rangeOf("schedule.actions"),
                                          shape(lists.ranks.size(), lists.microBatches),
                                          shape(stages, plan.mesh.microBatches));
  }

  /// Checks that micro-batches are a multiple of `each`, and at least `least`.
  void microBatchesOf(std::uint64_t each, std::uint64_t least, const std::string& needed) {
    const std::uint64_t microBatches = plan.mesh.microBatches;
    const std::uint64_t pass = layout.microBatch * plan.mesh.dataRanks();
    if (!batchDivides())
      return;
    failed = true;
    const std::uint64_t below = microBatches / each * each;
    const char* unit = ir::suffixOf(layout.batchUnit);
    std::string help = below < least
                           ? fmt::format("the smallest batch is `batch = {}{}`", least * pass, unit)
                           : fmt::format("the nearest are `batch = {}{}` and `batch = {}{}`",
                                         below * pass, unit, (below + each) * pass, unit);
    if (layout.schedule == ir::ScheduleKind::Interleaved)
      if (const std::optional<std::uint64_t> group = groupNear(stages))
        help += fmt::format(
            "; `{} {{ chunks = {}, micro_batch_group = {} }}` takes this one, in turns of {}",
            name(), layout.chunks, *group, plural(*group, "micro-batch"));
    diags
        .report<diag::ScheduleMicroBatches>(layout.rangeOf("schedule"), name(), stages,
                                            microBatches)
        .label(fmt::format("{} micro-batches, needed {}", microBatches, needed))
        .note<diag::FieldGivenHere>(layout.rangeOf("batch"), "batch",
                                    plural(layout.batch, batchNoun(layout).drop_back()))
        .help(std::move(help));
  }

  const char* name() const { return ir::name(layout.schedule); }

  std::string chunksText() const {
    if (chunks == stages)
      return plural(stages, "stage");
    return fmt::format("{} stages × {} chunks = {}", stages, chunksPerRank, stages * chunksPerRank);
  }

  void even() {
    const std::uint64_t extra = layout.embeddingSlots + layout.headSlots, slots = layers + extra;
    if (!legal::evenLayers(slots, chunks)) {
      failed = true;
      const std::string what =
          extra == 0 ? plural(layers, "layer")
                     : fmt::format("{} layers + {} embedding + {} head = {} slots", layers,
                                   layout.embeddingSlots, layout.headSlots, slots);
      auto d = diags.report<diag::LayersDoNotDivide>(placeOfSplit(), what, chunksText())
                   .label(showQuotient(slots, chunks));
      if (extra > 0 || !legal::balancedLayers(layers, chunks))
        std::move(d).help("list the layers of each stage: `split = [ … ]`");
      else
        offerBalanced(std::move(d));
      return;
    }
    slotsFit("embedding_slots", layout.embeddingSlots, slots / chunks);
    slotsFit("head_slots", layout.headSlots, slots / chunks);
  }
  /// Proposes an uneven split, which only the file can request.
  void offerBalanced(DiagnosticEngine::InFlight d) const {
    auto help = std::move(d).help("`split = balanced` places them unevenly, or list the layers of "
                                  "each stage: `split = [ … ]`");
    if (const SourceRange value = valueRange(layout, "split"); value.valid())
      std::move(help).edit(value, "balanced");
  }
  /// The place in the file to report: `split` if the file sets it, otherwise the number of stages
  /// or chunks.
  SourceRange placeOfSplit() const {
    if (layout.ranges.count("split"))
      return layout.rangeOf("split");
    return chunksPerRank > 1 ? layout.rangeOf("schedule.chunks") : rangeOf(layout, Axis::Pipeline);
  }
  void slotsFit(const char* field, std::uint64_t slots, std::uint64_t each) {
    if (legal::slots(slots, each, stages * chunksPerRank))
      return;
    failed = true;
    diags.report<diag::SlotsExceedChunk>(layout.rangeOf(field), field, slots, each);
  }
  void slotsUnused() {
    for (const auto& [field, slots] : {std::pair("embedding_slots", layout.embeddingSlots),
                                       std::pair("head_slots", layout.headSlots)})
      if (slots != 0) {
        failed = true;
        diags.report<diag::SlotsWithoutEven>(layout.rangeOf(field), field, ir::name(layout.split));
      }
  }

  void balanced() {
    if (legal::balancedLayers(layers, chunks))
      return;
    failed = true;
    diags.report<diag::LayersDoNotDivide>(placeOfSplit(), plural(layers, "layer"), chunksText())
        .label(fmt::format("{} parts with embedding and head", layers + 2));
  }

  void listed() {
    const std::vector<std::uint64_t>& list = layout.splitLayers;
    const SourceRange range = layout.rangeOf("split");
    if (!legal::splitLength(list.size(), stages, chunks)) {
      failed = true;
      diags.report<diag::SplitLength>(
          range, list.size(),
          chunksPerRank == 1
              ? plural(stages, "stage")
              : fmt::format("{} stages or {} chunks", stages, stages * chunksPerRank));
      return;
    }
    const std::uint64_t sum = std::accumulate(list.begin(), list.end(), std::uint64_t{0});
    if (sum != layers) {
      failed = true;
      diags.report<diag::SplitSum>(range, sum, plan.model.name, layers)
          .label(list.size() <= 16 ? fmt::format("{} = {}", fmt::join(list, " + "), sum)
                                   : fmt::format("the sum is {}", sum))
          .note<diag::ModelDeclaredHere>(layout.rangeOf("model"), plan.model.name);
      return;
    }
    if (const std::optional<std::size_t> i = legal::unevenStage(list, stages, chunksPerRank)) {
      failed = true;
      diags.report<diag::StageDoesNotDivide>(range, *i, list[*i], chunksPerRank)
          .label(showQuotient(list[*i], chunksPerRank))
          .help(fmt::format("list the layers of each chunk: {} numbers, in the order of the model",
                            stages * chunksPerRank));
    }
  }

  const ir::Plan& plan;
  const ir::Layout& layout;
  DiagnosticEngine& diags;
  std::uint64_t stages, chunks;
  std::uint64_t chunksPerRank; ///< chunks per rank, in one direction
  std::uint64_t layers;
  bool failed = false;
};

} // namespace

LogicalResult dpl::checkStages(const ir::Plan& plan, DiagnosticEngine& diags) {
  return StageCheck(plan, diags).run();
}
