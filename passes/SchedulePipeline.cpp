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
    const PipelineShape shape{plan.layout.schedule, plan.placement.ranks, plan.placement.chunks,
                              plan.mesh.microBatches};
    plan.schedule.clear();
    for (std::uint64_t r = 0; r < shape.ranks; ++r)
      plan.schedule.push_back({r, operationsOf(shape, r), {}, {}, 0});
    Executor executor;
    if (const std::string broken = whatBreaks(plan, executor); !broken.empty())
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
    for (std::size_t i = 0; i < rank.operations.size(); ++i) {
      rank.start.push_back(passes.start(rank.rank, i));
      rank.duration.push_back(passes.end(rank.rank, i) - rank.start.back());
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
