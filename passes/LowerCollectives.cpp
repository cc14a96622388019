//===- LowerCollectives.cpp - Adds the collectives of each axis to the stage programs ---------===//
#include "cost/execution/Step.h"
#include "cost/programs/ChunkPrograms.h"
#include "cost/step/Loading.h"
#include "ir/Arithmetic.h"
#include "passes/CheckMeans.h"
#include "passes/Passes.h"
#include "support/Text.h"
#include "support/diagnostics/Cost.h"
#include <algorithm>
#include <tuple>

using namespace dpl;
using namespace dpl::ir;

namespace {
constexpr double most = 0x1p60;      ///< limit of times in ps; see cost::Delay
constexpr double mostDrawn = 0x1p55; ///< limit in ps of means of drawn times, since single draws
                                     ///< may be longer

/// The time of the optimizer step on the slowest memory, at most 64 bytes per parameter, or with
/// the orthogonalization of matrices.
double updateTime(const Plan& plan, const ChunkCost& c) {
  double longest = 0;
  for (const RankNodeTypes& ranks : plan.mesh.rankNodeTypes)
    if (!c.use.empty())
      longest = std::max(longest, toSeconds(cost::updateTime(plan, cost::updatedState(plan, c),
                                                             cost::pacingDevices(plan, ranks))));
  for (const NodeType& nodes : plan.cluster.nodeTypes) {
    const Device& d = nodes.device;
    longest = std::max(longest, real(c.parameters + c.expertParameters) * 64 * 8 /
                                    (real(d.memoryBandwidth) * d.sustainedMemory * d.speed));
  }
  return longest / picosecond;
}
/// The mean delay in ps of all messages of a step one after the other, each collective as a ring.
double delayTime(const Plan& plan) {
  if (plan.cluster.delay.empty())
    return 0;
  double messages = 0;
  for (const Collective& c : plan.collectives)
    messages +=
        real(c.count) *
        (c.kind == CollectiveKind::SendReceive ? 1 : 2 * real(plan.groups[c.group].size - 1));
  return messages * real(plan.cluster.delay.front().mean);
}

/// The time in ps of the longest chunk over all micro-batches, with waits in its actions.
double programsTime(const Plan& plan) {
  double longest = 0;
  for (const ChunkPrograms& programs : plan.chunkPrograms) {
    double time = 0;
    for (const StageProgramId body : programs.stagePrograms)
      for (const SegmentLoop& block : plan.stagePrograms[body].loops)
        for (const Segment& s : block.segments)
          time += (real(s.time()) + real(s.slowdown())) * real(block.count);
    longest = std::max(longest, time * real(plan.microBatchesOfChunk()));
  }
  return longest;
}

/// Checks that times fit into 64 bits as picoseconds. The sum of all work in a step, which no sum
/// in a schedule exceeds, must be below 2^62. Relies on: costs and collectives.
LogicalResult checkTimes(const Plan& plan, DiagnosticEngine& diags) {
  const auto days = [](double ps) { return fmt::format("{:.4g} days", ps * picosecond / 86400); };
  double all = 0;
  for (const ChunkCost& c : plan.costs) {
    const double pass =
        real(c.forward) + real(c.backwardInput) + real(c.backwardWeight) + real(c.recompute);
    all += pass * real(plan.microBatchesOfChunk()) + updateTime(plan, c);
  }
  for (const Collective& c : plan.collectives)
    all += real(c.time) * real(c.count);
  all = std::max(all, programsTime(plan));
  if (all >= most)
    return diags.report<diag::StepTooLong>(plan.layout.rangeOf("batch"), days(all), days(most))
        .label(plural(plan.mesh.microBatches, "micro-batch"));
  for (const auto& [time, field, what] :
       {std::tuple(cost::loadingOf(plan).step() / picosecond, "cluster.data_loading",
                   "the loading of its samples"),
        {delayTime(plan), "cluster.message_delay", "the sum of its message delays"}})
    if (time >= mostDrawn)
      return diags
          .report<diag::StepTooLong>(plan.layout.rangeOf(field), days(time), days(mostDrawn))
          .label(what);
  return LogicalResult::success();
}

/// Relies on: groups of every communicating subset of axes (build-groups), and one cost per chunk.
class LowerCollectives final : public Pass {
public:
  llvm::StringRef name() const override { return "lower-collectives"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    cost::lowerChunks(plan, cost::ChunkEstimate(plan));
    if (checkTimes(plan, diags).failed())
      return LogicalResult::failure();
    warnOfMeans(plan, diags);
    cost::timeActions(plan);
    return LogicalResult::success();
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createLowerCollectivesPass() {
  return std::make_unique<LowerCollectives>();
}
