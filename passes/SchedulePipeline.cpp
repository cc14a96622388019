//===- SchedulePipeline.cpp - Operation lists of the pipeline, timed and free of deadlock -----===//
#include "cost/CostModel.h"
#include "cost/schedules/Proof.h"
#include "ir/Arithmetic.h"
#include "passes/CheckTimes.h"
#include "passes/CollectiveBuilder.h"
#include "passes/Passes.h"
#include "support/diagnostics/Plan.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::vector<PieceTime> pieceTimes(const Plan& plan) {
  const double bytes = boundaryBytes(plan, divisionOf(plan));
  const auto message = [&](std::uint64_t rank, const std::optional<Placement::Place>& to) {
    return !to || to->rank == rank
               ? 0
               : toPicoseconds(
                     messageTime(bytes, plan.cluster.levels[levelBetween(plan, rank, to->rank)]));
  };
  std::vector<PieceTime> times;
  for (const ChunkCost& c : plan.costs) {
    PieceTime t;
    t.forward = c.forward + c.forwardCommunication;
    t.backward = c.backwardInput + c.backwardWeight + c.recompute + c.backwardCommunication +
                 c.recomputeCommunication;
    t.weight = c.backwardWeight;
    const Placement::Place at{c.rank, c.chunk};
    t.sendForward = message(c.rank, plan.placement.next(at));
    t.sendBackward = message(c.rank, plan.placement.previous(at));
    times.push_back(t);
  }
  return times;
}

/// Bytes of device memory that the update of one parameter touches: gradient read and cleared,
/// master and moments read and written, the new parameter written.
double updateBytes(const Layout& l) {
  const Precision& p = l.precision;
  const double moments = l.optimizer == OptimizerKind::Sgd ? 1 : 2;
  const double state =
      (p.hasMaster ? real(bitsOf(p.master)) : 0) + moments * real(bitsOf(p.moments));
  return (2 * real(bitsOf(p.gradients)) + 2 * state + real(bitsOf(p.parameters))) / 8;
}

/// What follows the last backward of each rank: reductions that are not hidden, the barrier of the
/// global gradient norm, the update, gathers of new parameters.
class StepTail {
public:
  explicit StepTail(Plan& plan) : plan(plan) {
    for (const HeldRanks& ranks : plan.mesh.held)
      held.push_back(pacingDevices(plan, ranks));
  }

  void append(const Executor& executor) {
    std::uint64_t barrier = 0;
    for (RankSchedule& rank : plan.schedule) {
      std::uint64_t at = endOf(rank, executor.end(rank.rank));
      exposeReductions(rank);
      for (std::uint64_t i : collectivesOf(rank.rank, false))
        at = push(rank, OperationKind::Collective, i, at, plan.collectives[i].exposed);
      barrier = std::max(barrier, at);
    }
    for (RankSchedule& rank : plan.schedule) {
      std::uint64_t at = push(rank, OperationKind::Optimizer, 0, barrier, updateTime(rank.rank));
      exposeGathers(rank);
      for (std::uint64_t i : collectivesOf(rank.rank, true))
        at = push(rank, OperationKind::Collective, i, at, plan.collectives[i].exposed);
    }
  }

private:
  /// A rank is done when its last pass is, and what it has to wait for of its sends has left.
  static std::uint64_t endOf(const RankSchedule& rank, std::uint64_t sent) {
    return rank.operations.empty() ? sent : std::max(sent, rank.endOf(rank.operations.size() - 1));
  }
  static std::uint64_t push(RankSchedule& rank, OperationKind kind, std::uint64_t collective,
                            std::uint64_t start, std::uint64_t duration) {
    rank.operations.push_back({kind, 0, static_cast<std::uint32_t>(collective)});
    rank.start.push_back(start);
    rank.duration.push_back(duration);
    return start + duration;
  }

  /// Collectives of the step (not of a micro-batch) of a rank: gathers of parameters, or the rest.
  /// Those inside micro-batches are in the time of their chunk.
  std::vector<std::uint64_t> collectivesOf(std::uint64_t rank, bool gathers) const {
    std::vector<std::uint64_t> found;
    for (std::uint64_t i = 0; i < plan.collectives.size(); ++i) {
      const Collective& c = plan.collectives[i];
      const bool gather = c.purpose == CollectivePurpose::ParameterGather;
      const bool reduce = c.purpose == CollectivePurpose::GradientReduce ||
                          c.purpose == CollectivePurpose::EmbeddingGradient;
      if (c.rank == rank && (gathers ? gather : reduce) && ofStep(c))
        found.push_back(i);
    }
    return found;
  }
  /// Stage 3 gathers, and reductions of sharded gradients, run in every micro-batch.
  bool ofStep(const Collective& c) const {
    const unsigned stage = plan.layout.shard.stage();
    if (c.kind == CollectiveKind::AllGather && c.purpose == CollectivePurpose::ParameterGather)
      return stage < 3;
    if (c.kind == CollectiveKind::ReduceScatter)
      return plan.layout.shard.gradients != ShardAxis::Data ||
             (stage < 3 && plan.mesh.microBatches < 2);
    return true;
  }

  /// Reductions start as the last micro-batch's backward finishes a bucket, one after the other on
  /// one stream; a bucket is one layer's gradients.
  void exposeReductions(const RankSchedule& rank) {
    struct Window {
      std::uint64_t start = 0, end = 0;
    };
    std::vector<Window> last(plan.placement.chunks);
    std::uint64_t computeEnd = 0;
    for (std::size_t i = 0; i < rank.operations.size(); ++i) {
      const ScheduledOperation& op = rank.operations[i];
      if (op.kind == OperationKind::Backward || op.kind == OperationKind::BackwardWeight) {
        last[op.chunk] = {rank.start[i], rank.endOf(i)};
        computeEnd = std::max(computeEnd, rank.endOf(i));
      }
    }
    std::vector<std::uint64_t> order = collectivesOf(rank.rank, false);
    std::stable_sort(order.begin(), order.end(), [&](std::uint64_t a, std::uint64_t b) {
      return last[plan.collectives[a].chunk].end < last[plan.collectives[b].chunk].end;
    });
    std::uint64_t finish = 0;
    for (std::uint64_t i : order) {
      Collective& c = plan.collectives[i];
      if (!c.overlapped || c.count == 0)
        continue;
      const Window& w = last[c.chunk];
      const std::uint64_t before = std::max(finish, computeEnd);
      for (std::uint64_t j = 1; j <= c.count; ++j)
        finish = std::max(finish, w.start + (w.end - w.start) / c.count * j) + c.time;
      const std::uint64_t shows = finish > before ? finish - before : 0;
      c.exposed = shows + contended(c.time * c.count - std::min(shows, c.time * c.count), c.rank);
    }
  }

  /// New parameters are gathered layer by layer beside the first forward; what a stage would wait
  /// for anyway, because its first input is not there, hides too.
  void exposeGathers(const RankSchedule& rank) {
    const std::uint64_t firstForward = rank.start.empty() ? 0 : rank.start.front();
    for (std::uint64_t i : collectivesOf(rank.rank, true)) {
      Collective& c = plan.collectives[i];
      if (!c.overlapped || c.count == 0)
        continue;
      const ChunkCost& cost = plan.costs[plan.placement.indexOf(c.rank, c.chunk)];
      const std::uint64_t layer = (cost.forward + cost.forwardCommunication) / c.count;
      const std::uint64_t shows =
          c.chunk > 0 ? 0 : c.time + (c.count - 1) * (c.time > layer ? c.time - layer : 0);
      const std::uint64_t left = shows > firstForward ? shows - firstForward : 0;
      c.exposed = left + contended(c.time * c.count - std::min(left, c.time * c.count), c.rank);
    }
  }

  const std::vector<Device>& devicesOf(std::uint64_t rank) const {
    return held[plan.mesh.heldIndex(rank)];
  }
  std::uint64_t contended(std::uint64_t hidden, std::uint64_t rank) const {
    return static_cast<std::uint64_t>(real(hidden) * contentionOf(devicesOf(rank)));
  }

  std::uint64_t updateTime(std::uint64_t rank) const {
    double parameters = 0;
    for (const ChunkCost& c : plan.costs)
      if (c.rank == rank)
        parameters += shardedParameters(c);
    OperatorCost update;
    update.kernels = 1;
    return toPicoseconds(
        operatorTime(update, {0, parameters * updateBytes(plan.layout)}, 1, devicesOf(rank)));
  }
  /// Parameters whose optimizer state a device holds.
  double shardedParameters(const ChunkCost& c) const {
    const bool sharded = plan.layout.shard.stage() > 0, grid = !plan.mesh.expertAxes.empty();
    const double ways = real(plan.mesh.size(Axis::Data) * plan.mesh.size(Axis::Context));
    const double expertWays = grid ? real(plan.mesh.size(Axis::ExpertData)) : ways;
    return sharded ? real(c.parameters) / ways + real(c.expertParameters) / expertWays
                   : real(c.parameters + c.expertParameters);
  }

  Plan& plan;
  std::vector<std::vector<Device>> held; ///< parallel to Mesh::held
};

/// Relies on: one cost a chunk, in model order (estimate-compute, lower-collectives).
class SchedulePipeline final : public Pass {
public:
  llvm::StringRef name() const override { return "schedule-pipeline"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    if (checkTimes(plan, diags).failed())
      return LogicalResult::failure();
    const PipelineShape shape{plan.layout.schedule, plan.placement.ranks, plan.placement.chunks,
                              plan.mesh.microBatches};
    plan.schedule.clear();
    for (std::uint64_t r = 0; r < shape.ranks; ++r)
      plan.schedule.push_back({r, operationsOf(shape, r), {}, {}, 0});
    Executor executor;
    ScheduleProof proof = prove(plan, executor);
    if (!proof.broken.empty())
      return diags.report<diag::ScheduleDeadlock>(plan.layout.rangeOf("schedule"), proof.broken);
    plan.serialWait = std::move(proof.serial);
    const std::vector<PieceTime> times = pieceTimes(plan);
    executor.run(plan.placement, shape.microBatches, passesOf(plan), times,
                 plan.layout.overlap.pipeline);
    for (RankSchedule& rank : plan.schedule) {
      rank.sending = executor.sending(rank.rank);
      for (std::size_t i = 0; i < rank.operations.size(); ++i) {
        const ScheduledOperation& op = rank.operations[i];
        rank.start.push_back(executor.start(rank.rank, i));
        rank.duration.push_back(
            durationOf(op.kind, times[plan.placement.indexOf(rank.rank, op.chunk)]));
      }
    }
    StepTail(plan).append(executor);
    return LogicalResult::success();
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createSchedulePipelinePass() {
  return std::make_unique<SchedulePipeline>();
}
