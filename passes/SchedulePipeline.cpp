//===- SchedulePipeline.cpp - Per-rank schedules with times, checked for deadlocks ------------===//
#include "cost/execution/RankSchedules.h"
#include "cost/execution/Step.h"
#include "ir/ListedActions.h"
#include "passes/Passes.h"
#include "support/diagnostics/Plan.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Schedules the pipeline. Relies on: one stage program per chunk, in model order
/// (lower-collectives).
class SchedulePipeline final : public Pass {
public:
  llvm::StringRef name() const override { return "schedule-pipeline"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    const PipelineShape shape = pipelineOf(plan);
    StepChunks chunks; // times of actions, for schedules that depend on them
    if (scheduleInfo(shape.kind).byTime)
      chunks.addAll(plan, [](const Collective&) { return true; });
    plan.schedule.clear();
    for (ActionList& schedule : perRankSchedules(shape, chunks.times()))
      plan.schedule.push_back({plan.schedule.size(), std::move(schedule), {}, {}, 0});
    StepExecution step(plan);
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
        flaw.actions.empty() ? layout.rangeOf("schedule") : placeOf(layout, flaw.actions.front());
    if (flaw.kind == OrderFlaw::FlawKind::TooManyInFlight) // custom schedules have no such limit
      return diags.report<diag::PlanInconsistent>(at, name(), flaw.text);
    const bool endless = flaw.kind == OrderFlaw::FlawKind::Endless;
    auto d = endless ? diags.report<diag::ScheduleDeadlock>(at, flaw.text)
                     : diags.report<diag::MessagesOutOfTurn>(at, flaw.text);
    for (std::size_t i = 1; layout.customScheduleOrNull() && i < flaw.actions.size(); ++i) {
      const OrderFlaw::RankAction& action = flaw.actions[i];
      if (endless)
        (void)std::move(d).note<diag::RankWaitsHere>(placeOf(layout, action), action.rank);
      else
        (void)std::move(d).note<diag::RankReceivesHere>(placeOf(layout, action), action.rank);
    }
    return d;
  }
  /// The place of an action in the custom schedule; none for other schedules.
  static SourceRange placeOf(const Layout& layout, const OrderFlaw::RankAction& action) {
    if (!layout.customScheduleOrNull())
      return layout.rangeOf("schedule");
    const auto list = layout.ranges.find(rangeOfRankSchedule(action.rank));
    const auto part = textRangeOf(layout.customSchedule, layout.chunks, action.rank, action.action);
    if (list == layout.ranges.end() || !part)
      return layout.rangeOf("schedule.actions");
    const SourceRange& text = list->second;
    return {text.file, text.begin + part->begin, text.begin + part->end};
  }
  static void fill(RankSchedule& rank, const StepExecution& step) {
    rank.sending = step.sending(rank.rank);
    const std::size_t passes = rank.actions.size();
    const std::size_t all = passes + step.epilogue(rank.rank).size();
    rank.start.reserve(all), rank.duration.reserve(all);
    rank.start.resize(passes), rank.duration.resize(passes);
    for (std::size_t i = 0; i < passes; ++i) {
      rank.start[i] = step.start(rank.rank, i);
      rank.duration[i] = step.end(rank.rank, i) - rank.start[i];
    }
    rank.actions.reserve(all); // the step keeps references to the actions
    for (const EpilogueOperation& op : step.epilogue(rank.rank)) {
      rank.actions.push_back(op.action);
      rank.start.push_back(op.start);
      rank.duration.push_back(op.duration);
    }
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createSchedulePipelinePass() {
  return std::make_unique<SchedulePipeline>();
}
