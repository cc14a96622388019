//===- SchedulePipeline.cpp - Operation lists of the pipeline, timed and free of deadlock -----===//
#include "cost/schedules/Proof.h"
#include "cost/schedules/Step.h"
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
    if (const std::string broken = whatBreaks(plan); !broken.empty())
      return diags.report<diag::ScheduleDeadlock>(plan.layout.rangeOf("schedule"), broken);
    StepRun step(plan);
    step.run();
    for (RankSchedule& rank : plan.schedule)
      fill(rank, step);
    return LogicalResult::success();
  }

private:
  static void fill(RankSchedule& rank, const StepRun& step) {
    const Executor& passes = step.passes();
    rank.sending = passes.sending(rank.rank);
    const std::size_t all = rank.operations.size() + step.tail(rank.rank).size();
    rank.operations.reserve(all), rank.start.reserve(all), rank.duration.reserve(all);
    rank.start.resize(rank.operations.size()), rank.duration.resize(rank.operations.size());
    for (std::size_t i = 0; i < rank.operations.size(); ++i) {
      rank.start[i] = passes.start(rank.rank, i);
      rank.duration[i] = passes.end(rank.rank, i) - rank.start[i];
    }
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
