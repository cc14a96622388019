//===- Legality.cpp - The rules that a layout keeps, asked of a point -------------------------===//
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
  return llvm::any_of(model.classes, [](const ir::LayerClass& c) {
    return c.feedForward.kind == ir::FeedForwardKind::Experts;
  });
}

const ir::NodeClass* dpl::cost::legal::classWithout(const ir::Cluster& cluster, ir::DataType type) {
  if (ir::bitsOf(type) < 16)
    for (const ir::NodeClass& c : cluster.classes)
      if (c.device.peak.count(type) == 0)
        return &c;
  return nullptr;
}

const ir::NodeClass* dpl::cost::legal::nodesWithoutHost(const ir::Cluster& cluster,
                                                        const ir::Layout& layout) {
  if (layout.offloads())
    for (const ir::NodeClass& c : cluster.classes)
      if (c.device.hostLink.empty())
        return &c;
  return nullptr;
}

bool dpl::cost::legal::layerListTensor(const ir::Model& model, std::uint64_t degree) {
  return degree == 1 || llvm::all_of(model.classes, [](const ir::LayerClass& c) {
           return !c.stated.tensor.empty();
         });
}

bool dpl::cost::legal::recomputes(const ir::Model& model, const ir::Recompute& recompute) {
  if (!recompute.inAdvance || recompute.kind == ir::RecomputeKind::Full)
    return true;
  return llvm::any_of(model.classes, [&](const ir::LayerClass& c) {
    return llvm::any_of(operatorsOf(model, c, {}), [&](const OperatorCost& op) {
      return shareAgain(op, recompute, false) > 0;
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
LegalityFacts::Layer factsOf(const ir::LayerClass& c) {
  const ir::Attention& a = c.attention;
  const ir::FeedForward& f = c.feedForward;
  LegalityFacts::Layer layer;
  if (a.kind != ir::AttentionKind::None)
    layer.heads = a.heads;
  if (a.kind == ir::AttentionKind::Grouped && a.heads != 0)
    layer.kvHeads = a.kvHeads;
  if (f.kind != ir::FeedForwardKind::None)
    layer.width = f.width;
  if (f.kind == ir::FeedForwardKind::Experts) {
    layer.experts = f.experts, layer.active = f.active;
    layer.sharedWidth = f.shared * f.sharedWidth;
  }
  return layer;
}

/// The rules that no degree has a part in.
Rule fixedRule(const LegalityFacts& facts, const ir::Model& model, const ir::Cluster& cluster,
               const ir::Layout& layout) {
  if (legal::classWithout(cluster, layout.precision.compute) ||
      legal::classWithout(cluster, layout.precision.head))
    return Rule::Types;
  if (!facts.isLayerList)
    for (const LegalityFacts::Layer& c : facts.classes) {
      if (!legal::headGroups(c.heads, c.kvHeads))
        return Rule::HeadGroups;
      if (c.experts > 0 && !legal::activeExperts(c.active, c.experts))
        return Rule::ActiveExperts;
    }
  if (layout.split != ir::SplitKind::Even && facts.embeddingSlots + facts.headSlots > 0)
    return Rule::SlotsWithoutEven;
  if (layout.split == ir::SplitKind::Listed &&
      std::accumulate(facts.list.begin(), facts.list.end(), std::uint64_t{0}) != facts.layers)
    return Rule::ListSum;
  const ir::Shard& s = layout.shard;
  for (const ShardAxis axis : {s.parameters, s.gradients, s.optimizer})
    if (!legal::shardAxis(axis, ShardAxis::Data))
      return Rule::ShardAxis;
  if (!legal::shardAxis(s.sequence, ShardAxis::Tensor))
    return Rule::ShardAxis;
  if (facts.wholeRanks && s.stage() > 0)
    return Rule::WholeRanks;
  if (!legal::parametersWithGradients(s) || !legal::gradientsWithOptimizer(s))
    return Rule::ShardStages;
  if (!legal::versionsKept(model, layout))
    return Rule::WeightVersions;
  if (!legal::takesInAdvance(layout))
    return Rule::InAdvance;
  if (!legal::recomputes(model, layout.recompute))
    return Rule::NothingInAdvance;
  if (legal::nodesWithoutHost(cluster, layout))
    return Rule::HostLink;
  if (!legal::offloadedGradients(layout.away(), s.stage()) ||
      !legal::offloadedParameters(layout.away(), s))
    return Rule::OffloadedParts;
  return Rule::None;
}

} // namespace

Rule dpl::cost::brokenByLayers(const LegalityFacts& facts, const Point& point) {
  if (facts.wholeRanks)
    for (const std::uint64_t degree :
         {point.context, point.tensor, point.expert, point.expertTensor})
      if (!legal::wholeRank(degree))
        return Rule::WholeRanks;
  if (facts.isLayerList)
    return (facts.tensorInList || legal::layerListAxis(point.tensor)) &&
                   legal::layerListAxis(point.context)
               ? Rule::None
               : Rule::LayerListAxes;
  for (const LegalityFacts::Layer& c : facts.classes) {
    if (!legal::heads(c.heads, point.tensor))
      return Rule::Heads;
    if (!legal::kvHeads(c.kvHeads, point.tensor))
      return Rule::KvHeads;
    if (!legal::width(c.width, c.experts > 0 ? point.expertTensor : point.tensor) ||
        !legal::width(c.sharedWidth, point.tensor))
      return Rule::Widths;
    if (!legal::experts(c.experts, point.expert))
      return Rule::Experts;
  }
  if (!legal::sequence(facts.context, point.context))
    return Rule::Sequence;
  if (point.sequenceParallel &&
      !legal::sequenceParallel(facts.context / point.context, point.tensor))
    return Rule::SequenceParallel;
  return Rule::None;
}

namespace {
/// Chunks of a rank in one direction.
std::uint64_t chunksOneWay(const LegalityFacts& facts) {
  return facts.schedule.chunks / facts.schedule.placement().directions();
}

Rule brokenByStages(const LegalityFacts& facts, std::uint64_t stages, std::uint64_t microBatches) {
  if (facts.wholeRanks && !legal::wholeRank(stages))
    return Rule::WholeRanks;
  if (!legal::passes(product({microBatches, chunksOneWay(facts), stages})))
    return Rule::Passes;
  PipelineShape shape = facts.schedule;
  shape.ranks = stages, shape.microBatches = microBatches;
  switch (scheduleInfo(shape.kind).legal(shape)) {
  case ScheduleRule::Legal:
    break;
  case ScheduleRule::NeedsPipeline:
    return Rule::SchedulePipeline;
  case ScheduleRule::RanksInPairs:
    return Rule::ScheduleRanks;
  case ScheduleRule::MicroBatchesInTurns:
  case ScheduleRule::MicroBatchesInHalves:
  case ScheduleRule::FewMicroBatches:
  case ScheduleRule::OtherGroup:
  case ScheduleRule::OtherLists:
    return Rule::ScheduleMicroBatches;
  }
  if (!legal::costsRepeat(facts.microBatchCosts, microBatches))
    return Rule::MicroBatchCosts;
  return brokenBySplit(facts, stages);
}
} // namespace

Rule dpl::cost::brokenBySplit(const LegalityFacts& facts, std::uint64_t stages) {
  const std::uint64_t chunks = chunksOneWay(facts);
  if (!legal::passes(product({stages, chunks})))
    return Rule::Passes;
  const std::uint64_t pieces = stages * chunks;
  switch (facts.split) {
  case ir::SplitKind::Even: {
    const std::uint64_t slots = facts.layers + facts.embeddingSlots + facts.headSlots;
    if (!legal::evenLayers(slots, pieces))
      return Rule::Layers;
    for (const std::uint64_t taken : {facts.embeddingSlots, facts.headSlots})
      if (!legal::slots(taken, slots / pieces, pieces))
        return Rule::Slots;
    break;
  }
  case ir::SplitKind::Balanced:
  case ir::SplitKind::ByFlop:
  case ir::SplitKind::ByParameters:
    if (!legal::balancedLayers(facts.layers, pieces))
      return Rule::Layers;
    break;
  case ir::SplitKind::Listed:
    if (!legal::listLength(facts.list.size(), stages, pieces))
      return Rule::ListLength;
    if (legal::unevenStage(facts.list, stages, chunks))
      return Rule::ListChunks;
    break;
  }
  return Rule::None;
}

LegalityFacts::LegalityFacts(const ir::Model& model, const ir::Cluster& cluster,
                             const ir::Layout& layout)
    : devices(cluster.devices()), batch(layout.batch), layers(model.layers()),
      context(model.context), embeddingSlots(layout.embeddingSlots), headSlots(layout.headSlots),
      microBatchCosts(layout.microBatchCosts.size()), schedule(pipelineOf(layout, 1, 1)),
      split(layout.split), list(layout.splitLayers), isLayerList(model.isLayerList()),
      tensorInList(legal::layerListTensor(model, 2)), experts(hasExperts(model)),
      wholeRanks(legal::ranksAreWhole(cluster, layout)), dealsShares(ir::dealsShares(layout)) {
  for (const ir::LayerClass& c : model.classes)
    classes.push_back(factsOf(c));
  fixed = fixedRule(*this, model, cluster, layout);
}

Rule dpl::cost::brokenRule(const LegalityFacts& facts, const Point& point) {
  const std::optional<std::uint64_t> used =
      product({point.replica, point.pipeline, point.data, point.context, point.tensor});
  if (used != facts.devices)
    return Rule::MeshSize;
  const std::uint64_t experts = std::uint64_t{point.expert} * point.expertTensor;
  if (facts.experts ? !legal::rest(point.stage(), experts) : experts != 1)
    return Rule::ExpertGrid;
  const std::optional<std::uint64_t> pass = product({point.microBatch, point.dataRanks()});
  if (!legal::batch(facts.batch, pass) &&
      !(facts.dealsShares && legal::dealtBatch(facts.batch, point.microBatch, pass)))
    return Rule::Batch;
  if (const Rule broken = brokenByLayers(facts, point); broken != Rule::None)
    return broken;
  if (const Rule broken = brokenByStages(
          facts, point.pipeline, legal::mostMicroBatches(facts.batch, *pass, facts.dealsShares));
      broken != Rule::None)
    return broken;
  return Rule::None;
}
