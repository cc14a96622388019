//===- SchedulePipeline.cpp - Operation lists of the pipeline, timed and free of deadlock -----===//
#include "cost/schedules/Proof.h"
#include "cost/schedules/Step.h"
#include "ir/ListedOperations.h"
#include "passes/Passes.h"
#include "support/diagnostics/Plan.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Relies on: one program a chunk, in model order (lower-collectives).
class SchedulePipeline final : public Pass {
public:
  llvm::StringRef name() const override { return "schedule-pipeline"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    const PipelineShape shape = pipelineOf(plan);
    StepPieces pieces; // what passes take, for a row that orders by it
    if (scheduleInfo(shape.kind).byTime)
      pieces.addAll(plan, [](const Collective&) { return true; });
    plan.schedule.clear();
    for (OperationList& list : listsOf(shape, pieces.times()))
      plan.schedule.push_back({plan.schedule.size(), std::move(list), {}, {}, 0});
    Proof proof;
    if (const std::string broken = whatBreaks(plan, proof); !broken.empty())
      return hangs(plan, broken, diags);
    StepRun step(plan);
    step.run(proof.order());
    for (RankSchedule& rank : plan.schedule)
      fill(rank, step);
    plan.steady.clear();
    if (step.period() > 0)
      plan.steady.push_back({step.period()});
    return LogicalResult::success();
  }

private:
  static LogicalResult hangs(const Plan& plan, const std::string& broken, DiagnosticEngine& diags) {
    const Layout& layout = plan.layout;
    if (!layout.lists())
      return diags.report<diag::ScheduleDeadlock>(layout.rangeOf("schedule"), broken);
    const std::vector<Waiting> waiting = waitingOf(plan);
    auto d = diags.report<diag::ScheduleDeadlock>(
        waiting.empty() ? layout.rangeOf("schedule.ranks") : placeOf(layout, waiting.front()),
        broken);
    for (std::size_t i = 1; i < waiting.size(); ++i)
      (void)std::move(d).note<diag::RankWaitsHere>(placeOf(layout, waiting[i]), waiting[i].rank);
    return d;
  }
  /// Who waits for whom where all sends are buffered.
  static std::vector<Waiting> waitingOf(const Plan& plan) {
    const std::vector<PieceTime> noTimes(plan.placement.copies());
    Executor passes;
    return passes.run(plan.placement, plan.mesh.microBatches, passesOf(plan), noTimes, true)
        .waiting;
  }
  static SourceRange placeOf(const Layout& layout, const Waiting& waiting) {
    const auto list = layout.ranges.find(rangeOfList(waiting.rank));
    const auto part = partOf(layout.listed, layout.chunks, waiting.rank, waiting.operation);
    if (list == layout.ranges.end() || !part)
      return layout.rangeOf("schedule.ranks");
    const SourceRange& text = list->second;
    return {text.file, text.begin + part->begin, text.begin + part->end};
  }
  static void fill(RankSchedule& rank, const StepRun& step) {
    rank.sending = step.sending(rank.rank);
    const std::size_t passes = rank.operations.size();
    const std::size_t all = passes + step.tail(rank.rank).size();
    rank.start.reserve(all), rank.duration.reserve(all);
    rank.start.resize(passes), rank.duration.resize(passes);
    for (std::size_t i = 0; i < passes; ++i) {
      rank.start[i] = step.start(rank.rank, i);
      rank.duration[i] = step.end(rank.rank, i) - rank.start[i];
    }
    rank.operations.reserve(all); // the step reads the passes where they are
    for (const TailOperation& op : step.tail(rank.rank)) {
      rank.operations.push_back({op.kind, 0, static_cast<std::uint32_t>(op.collective)});
      rank.start.push_back(op.start);
      rank.duration.push_back(op.duration);
    }
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createSchedulePipelinePass() {
  return std::make_unique<SchedulePipeline>();
}
