//===- Legality.cpp - The rules of a legal layout, checked for a candidate --------------------===//
#include "cost/legality/Legality.h"
#include "cost/compute/OperatorTime.h"
#include "cost/schedules/Schedule.h"
#include "ir/DataRanks.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace dpl;
using namespace dpl::cost;
using ir::ShardAxis;

std::optional<std::uint64_t> dpl::cost::product(llvm::ArrayRef<std::uint64_t> factors) {
  std::uint64_t all = 1;
  for (const std::uint64_t factor : factors)
    if (__builtin_mul_overflow(all, factor, &all))
      return std::nullopt;
  return all;
}

bool dpl::cost::hasExperts(const ir::Model& model) {
  return llvm::any_of(model.layerTypes, [](const ir::LayerType& c) {
    return c.feedForward.kind == ir::FeedForwardKind::Experts;
  });
}

const ir::NodeType* dpl::cost::legal::nodeTypeWithout(const ir::Cluster& cluster,
                                                      ir::DataType type) {
  if (ir::bitsOf(type) < 16)
    for (const ir::NodeType& c : cluster.nodeTypes)
      if (c.device.peak.count(type) == 0)
        return &c;
  return nullptr;
}

const ir::NodeType* dpl::cost::legal::nodeTypeWithoutHostLink(const ir::Cluster& cluster,
                                                              const ir::Layout& layout) {
  if (layout.offloads())
    for (const ir::NodeType& c : cluster.nodeTypes)
      if (c.device.hostLink.empty())
        return &c;
  return nullptr;
}

bool dpl::cost::legal::layerListTensor(const ir::Model& model, std::uint64_t degree) {
  return degree == 1 || llvm::all_of(model.layerTypes, [](const ir::LayerType& c) {
           return !c.stated.tensor.empty();
         });
}

bool dpl::cost::legal::recomputes(const ir::Model& model, const ir::Recompute& recompute) {
  if (!recompute.inAdvance || recompute.kind == ir::RecomputeKind::Full)
    return true;
  return llvm::any_of(model.layerTypes, [&](const ir::LayerType& c) {
    return llvm::any_of(operatorsOf(model, c, {}), [&](const OperatorCost& op) {
      return recomputedShare(op, recompute, false) > 0;
    });
  });
}

std::optional<std::size_t> dpl::cost::legal::unevenStage(llvm::ArrayRef<std::uint64_t> list,
                                                         std::uint64_t stages,
                                                         std::uint64_t chunks) {
  if (list.size() == stages && chunks > 1)
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] % chunks != 0)
        return i;
  return std::nullopt;
}

namespace {
LegalityInputs::LegalityLayer legalityLayerOf(const ir::LayerType& c) {
  const ir::Attention& a = c.attention;
  const ir::FeedForward& f = c.feedForward;
  LegalityInputs::LegalityLayer layer;
  if (a.kind != ir::AttentionKind::None)
    layer.heads = a.heads;
  if (a.kind == ir::AttentionKind::Grouped && a.heads != 0)
    layer.kvHeads = a.kvHeads;
  for (const ir::Recurrence& r : c.recurrence)
    layer.recurrentHeads = r.heads, layer.recurrentKeys = r.keyHeads;
  if (f.kind != ir::FeedForwardKind::None)
    layer.width = f.width;
  if (f.kind == ir::FeedForwardKind::Experts) {
    layer.experts = f.experts, layer.active = f.active;
    layer.sharedWidth = f.shared * f.sharedWidth;
  }
  return layer;
}

/// Checks the rules that do not depend on the degrees.
LegalityRule fixedRule(const LegalityInputs& facts, const ir::Model& model,
                       const ir::Cluster& cluster, const ir::Layout& layout) {
  if (legal::nodeTypeWithout(cluster, layout.precision.compute) ||
      legal::nodeTypeWithout(cluster, layout.precision.head))
    return LegalityRule::Types;
  if (!facts.isLayerList)
    for (const LegalityInputs::LegalityLayer& c : facts.layerTypes) {
      if (!legal::headGroups(c.heads, c.kvHeads))
        return LegalityRule::HeadGroups;
      if (c.experts > 0 && !legal::activeExperts(c.active, c.experts))
        return LegalityRule::ActiveExperts;
    }
  if (layout.split != ir::SplitKind::Even && facts.embeddingSlots + facts.headSlots > 0)
    return LegalityRule::SlotsWithoutEven;
  if (layout.split == ir::SplitKind::Listed &&
      std::accumulate(facts.splitLayers.begin(), facts.splitLayers.end(), std::uint64_t{0}) !=
          facts.layers)
    return LegalityRule::ListSum;
  const ir::Shard& s = layout.shard;
  for (const ShardAxis axis : {s.parameters, s.gradients, s.optimizer})
    if (!legal::shardAxis(axis, ShardAxis::Data))
      return LegalityRule::ShardAxis;
  if (!legal::shardAxis(s.sequence, ShardAxis::Tensor))
    return LegalityRule::ShardAxis;
  if (facts.wholeRanks && s.stage() > 0)
    return LegalityRule::WholeRanks;
  if (!legal::parametersWithGradients(s) || !legal::gradientsWithOptimizer(s))
    return LegalityRule::ShardStages;
  if (!legal::weightVersionsAllowed(model, layout))
    return LegalityRule::WeightVersions;
  if (!legal::allowsInAdvance(layout))
    return LegalityRule::InAdvance;
  if (!legal::recomputes(model, layout.recompute))
    return LegalityRule::NothingInAdvance;
  if (legal::nodeTypeWithoutHostLink(cluster, layout))
    return LegalityRule::HostLink;
  if (!legal::offloadedGradients(layout.offloadSettings(), s.stage()) ||
      !legal::offloadedParameters(layout.offloadSettings(), s))
    return LegalityRule::OffloadedParts;
  return LegalityRule::None;
}

} // namespace

LegalityRule dpl::cost::brokenByLayers(const LegalityInputs& facts,
                                       const LayoutCandidate& candidate) {
  if (facts.wholeRanks)
    for (const std::uint64_t degree :
         {candidate.context, candidate.tensor, candidate.expert, candidate.expertTensor})
      if (!legal::wholeRank(degree))
        return LegalityRule::WholeRanks;
  if (facts.isLayerList)
    return (facts.tensorDividesLayerList || legal::layerListAxis(candidate.tensor)) &&
                   legal::layerListAxis(candidate.context)
               ? LegalityRule::None
               : LegalityRule::LayerListAxes;
  for (const LegalityInputs::LegalityLayer& c : facts.layerTypes) {
    if (!legal::heads(c.heads, candidate.tensor))
      return LegalityRule::Heads;
    if (!legal::kvHeads(c.kvHeads, candidate.tensor))
      return LegalityRule::KvHeads;
    if (!legal::recurrence(c.recurrentHeads, c.recurrentKeys, candidate.tensor, candidate.context))
      return LegalityRule::Recurrence;
    if (!legal::width(c.width, c.experts > 0 ? candidate.expertTensor : candidate.tensor) ||
        !legal::width(c.sharedWidth, candidate.tensor))
      return LegalityRule::Widths;
    if (!legal::experts(c.experts, candidate.expert))
      return LegalityRule::Experts;
  }
  if (!legal::sequence(facts.context, candidate.context))
    return LegalityRule::Sequence;
  if (candidate.sequenceParallel &&
      !legal::sequenceParallel(facts.context / candidate.context, candidate.tensor))
    return LegalityRule::SequenceParallel;
  return LegalityRule::None;
}

namespace {
/// Chunks of a rank in one direction.
std::uint64_t chunksOneWay(const LegalityInputs& facts) {
  return facts.schedule.chunks / facts.schedule.placement().directions();
}

LegalityRule brokenByStages(const LegalityInputs& facts, std::uint64_t stages,
                            std::uint64_t microBatches) {
  if (facts.wholeRanks && !legal::wholeRank(stages))
    return LegalityRule::WholeRanks;
  if (!legal::actions(product({microBatches, chunksOneWay(facts), stages})))
    return LegalityRule::Actions;
  PipelineShape shape = facts.schedule;
  shape.ranks = stages, shape.microBatches = microBatches;
  switch (scheduleInfo(shape.kind).legal(shape)) {
  case ScheduleRule::Legal:
    break;
  case ScheduleRule::NeedsPipeline:
    return LegalityRule::SchedulePipeline;
  case ScheduleRule::RanksInPairs:
    return LegalityRule::ScheduleRanks;
  case ScheduleRule::MicroBatchesInGroups:
  case ScheduleRule::MicroBatchesInHalves:
  case ScheduleRule::FewMicroBatches:
  case ScheduleRule::OtherGroup:
  case ScheduleRule::OtherCustomSchedule:
    return LegalityRule::ScheduleMicroBatches;
  }
  if (!legal::costsRepeat(facts.microBatchCosts, microBatches))
    return LegalityRule::MicroBatchCosts;
  return brokenBySplit(facts, stages);
}
} // namespace

LegalityRule dpl::cost::brokenBySplit(const LegalityInputs& facts, std::uint64_t stages) {
  const std::uint64_t chunks = chunksOneWay(facts);
  if (!legal::actions(product({stages, chunks})))
    return LegalityRule::Actions;
  const std::uint64_t pieces = stages * chunks;
  switch (facts.split) {
  case ir::SplitKind::Even: {
    const std::uint64_t slots = facts.layers + facts.embeddingSlots + facts.headSlots;
    if (!legal::evenLayers(slots, pieces))
      return LegalityRule::Layers;
    for (const std::uint64_t taken : {facts.embeddingSlots, facts.headSlots})
      if (!legal::slots(taken, slots / pieces, pieces))
        return LegalityRule::Slots;
    break;
  }
  case ir::SplitKind::Balanced:
  case ir::SplitKind::ByFlop:
  case ir::SplitKind::ByParameters:
    if (!legal::balancedLayers(facts.layers, pieces))
      return LegalityRule::Layers;
    break;
  case ir::SplitKind::Listed:
    if (!legal::splitLength(facts.splitLayers.size(), stages, pieces))
      return LegalityRule::ListLength;
    if (legal::unevenStage(facts.splitLayers, stages, chunks))
      return LegalityRule::ListChunks;
    break;
  }
  return LegalityRule::None;
}

LegalityInputs::LegalityInputs(const ir::Model& model, const ir::Cluster& cluster,
                               const ir::Layout& layout)
    : devices(cluster.devices()), batch(layout.batch), layers(model.layers()),
      context(model.context), embeddingSlots(layout.embeddingSlots), headSlots(layout.headSlots),
      microBatchCosts(layout.microBatchCosts.size()), schedule(pipelineOf(layout, 1, 1)),
      split(layout.split), splitLayers(layout.splitLayers), isLayerList(model.isLayerList()),
      tensorDividesLayerList(legal::layerListTensor(model, 2)), experts(hasExperts(model)),
      wholeRanks(legal::ranksAreWhole(cluster, layout)),
      unequalShares(ir::hasUnequalShares(layout)) {
  for (const ir::LayerType& c : model.layerTypes)
    layerTypes.push_back(legalityLayerOf(c));
  fixed = fixedRule(*this, model, cluster, layout);
}

LegalityRule dpl::cost::brokenRule(const LegalityInputs& facts, const LayoutCandidate& candidate) {
  const std::optional<std::uint64_t> used = product(
      {candidate.replica, candidate.pipeline, candidate.data, candidate.context, candidate.tensor});
  if (used != facts.devices)
    return LegalityRule::MeshSize;
  const std::uint64_t experts = std::uint64_t{candidate.expert} * candidate.expertTensor;
  if (facts.experts ? !legal::rest(candidate.stage(), experts) : experts != 1)
    return LegalityRule::ExpertGrid;
  const std::optional<std::uint64_t> pass = product({candidate.microBatch, candidate.dataRanks()});
  if (!legal::batch(facts.batch, pass) &&
      !(facts.unequalShares && legal::unequalBatch(facts.batch, candidate.microBatch, pass)))
    return LegalityRule::Batch;
  if (const LegalityRule broken = brokenByLayers(facts, candidate); broken != LegalityRule::None)
    return broken;
  if (const LegalityRule broken =
          brokenByStages(facts, candidate.pipeline,
                         legal::mostMicroBatches(facts.batch, *pass, facts.unequalShares));
      broken != LegalityRule::None)
    return broken;
  return LegalityRule::None;
}
