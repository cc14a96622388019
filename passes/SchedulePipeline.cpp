//===- SchedulePipeline.cpp - Operation lists of the pipeline, timed and free of deadlock -----===//
#include "cost/execution/RankSchedules.h"
#include "cost/execution/Step.h"
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
    StepRun step(plan);
    if (const OrderFlaw flaw = step.prove(); !flaw.text.empty())
      return refuse(plan.layout, flaw, diags);
    for (RankSchedule& rank : plan.schedule)
      fill(rank, step);
    plan.steady.clear();
    if (step.period() > 0)
      plan.steady.push_back({step.period()});
    return LogicalResult::success();
  }

private:
  LogicalResult refuse(const Layout& layout, const OrderFlaw& flaw, DiagnosticEngine& diags) const {
    const SourceRange at =
        flaw.passes.empty() ? layout.rangeOf("schedule") : placeOf(layout, flaw.passes.front());
    if (flaw.kind == OrderFlaw::Kind::HoldsMore) // no list of the user's has a limit
      return diags.report<diag::PlanInconsistent>(at, name(), flaw.text);
    const bool endless = flaw.kind == OrderFlaw::Kind::Endless;
    auto d = endless ? diags.report<diag::ScheduleDeadlock>(at, flaw.text)
                     : diags.report<diag::MessagesOutOfTurn>(at, flaw.text);
    for (std::size_t i = 1; layout.lists() && i < flaw.passes.size(); ++i) {
      const OrderFlaw::Pass& pass = flaw.passes[i];
      if (endless)
        (void)std::move(d).note<diag::RankWaitsHere>(placeOf(layout, pass), pass.rank);
      else
        (void)std::move(d).note<diag::RankReceivesHere>(placeOf(layout, pass), pass.rank);
    }
    return d;
  }
  /// In the user's lists, where the schedule is made of them.
  static SourceRange placeOf(const Layout& layout, const OrderFlaw::Pass& pass) {
    if (!layout.lists())
      return layout.rangeOf("schedule");
    const auto list = layout.ranges.find(rangeOfList(pass.rank));
    const auto part = partOf(layout.listed, layout.chunks, pass.rank, pass.operation);
    if (list == layout.ranges.end() || !part)
      return layout.rangeOf("schedule.actions");
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
