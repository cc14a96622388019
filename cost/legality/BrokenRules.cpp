//===- BrokenRules.cpp - All rules of legality that a candidate breaks ------------------------===//
#include "cost/legality/BrokenRules.h"

using namespace dpl;
using namespace dpl::cost;

namespace {
class RuleSet {
public:
  void require(bool holds, LegalityRule rule) {
    if (!holds)
      bits |= std::uint64_t{1} << static_cast<unsigned>(rule);
  }
  /// For rules that several messages share: each message has its own `variant`, counted from 1.
  void require(bool holds, unsigned variant) {
    constexpr unsigned afterRules = 40;
    if (!holds)
      bits |= std::uint64_t{1} << (afterRules + variant);
  }
  std::uint64_t bits = 0;
};

void checkLayers(const LegalityInputs& facts, const LayoutCandidate& candidate, RuleSet& out) {
  if (facts.wholeRanks)
    for (const std::uint64_t degree :
         {candidate.context, candidate.tensor, candidate.expert, candidate.expertTensor})
      out.require(legal::wholeRank(degree), LegalityRule::WholeRanks);
  if (facts.isLayerList) {
    out.require(facts.tensorDividesLayerList || legal::layerListAxis(candidate.tensor),
                LegalityRule::LayerListAxes);
    out.require(legal::layerListAxis(candidate.context), 1);
    return;
  }
  for (const LegalityInputs::LegalityLayer& layer : facts.layerTypes) {
    out.require(legal::heads(layer.heads, candidate.tensor), LegalityRule::Heads);
    out.require(legal::kvHeads(layer.kvHeads, candidate.tensor), LegalityRule::KvHeads);
    out.require(legal::recurrence(layer.recurrentHeads, layer.recurrentKeys, candidate.tensor,
                                  candidate.context),
                LegalityRule::Recurrence);
    out.require(
        legal::width(layer.width, layer.experts > 0 ? candidate.expertTensor : candidate.tensor),
        LegalityRule::Widths);
    out.require(legal::width(layer.sharedWidth, candidate.tensor), 2);
    out.require(legal::experts(layer.experts, candidate.expert), LegalityRule::Experts);
  }
  out.require(legal::sequence(facts.context, candidate.context), LegalityRule::Sequence);
  if (candidate.sequenceParallel)
    out.require(legal::sequenceParallel(facts.context / candidate.context, candidate.tensor),
                LegalityRule::SequenceParallel);
}

void checkStages(const LegalityInputs& facts, std::uint64_t stages, std::uint64_t microBatches,
                 RuleSet& out) {
  if (facts.wholeRanks)
    out.require(legal::wholeRank(stages), LegalityRule::WholeRanks);
  const std::uint64_t chunks = facts.schedule.chunks / facts.schedule.placement().directions();
  out.require(legal::actions(product({microBatches, chunks, stages})), LegalityRule::Actions);
  PipelineShape shape = facts.schedule;
  shape.ranks = stages, shape.microBatches = microBatches;
  const ScheduleRule rule = scheduleInfo(shape.kind).legal(shape);
  out.require(rule == ScheduleRule::Legal, 3 + static_cast<unsigned>(rule));
  out.require(legal::costsRepeat(facts.microBatchCosts, microBatches),
              LegalityRule::MicroBatchCosts);
  const LegalityRule split = brokenBySplit(facts, stages);
  out.require(split == LegalityRule::None, split);
}
} // namespace

BrokenByDegrees dpl::cost::brokenByDegrees(const LegalityInputs& facts,
                                           const LayoutCandidate& candidate) {
  RuleSet out;
  const std::optional<std::uint64_t> used = product(
      {candidate.replica, candidate.pipeline, candidate.data, candidate.context, candidate.tensor});
  out.require(used == facts.devices, LegalityRule::MeshSize);
  if (out.bits != 0)
    return {out.bits, true, 0};
  const std::uint64_t experts = std::uint64_t{candidate.expert} * candidate.expertTensor;
  out.require(facts.experts ? legal::rest(candidate.stage(), experts) : experts == 1,
              LegalityRule::ExpertGrid);
  const std::optional<std::uint64_t> pass = product({candidate.microBatch, candidate.dataRanks()});
  out.require(
      legal::batch(facts.batch, pass) ||
          (facts.unequalShares && legal::unequalBatch(facts.batch, candidate.microBatch, pass)),
      LegalityRule::Batch);
  checkLayers(facts, candidate, out);
  return {out.bits, false,
          pass ? legal::mostMicroBatches(facts.batch, *pass, facts.unequalShares) : 0};
}

std::uint64_t dpl::cost::brokenByStages(const LegalityInputs& facts, std::uint64_t stages,
                                        std::uint64_t microBatches) {
  RuleSet out;
  checkStages(facts, stages, microBatches, out);
  return out.bits;
}

std::uint64_t dpl::cost::brokenRules(const LegalityInputs& facts,
                                     const LayoutCandidate& candidate) {
  const BrokenByDegrees broken = brokenByDegrees(facts, candidate);
  return broken.alone
             ? broken.rules
             : broken.rules | brokenByStages(facts, candidate.pipeline, broken.microBatches);
}
