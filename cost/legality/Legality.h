#pragma once
//===- Legality.h - The rules that a layout keeps, each once ----------------------------------===//
//
// A rule is a predicate over a few numbers. check-layout asks it and words what a broken one means;
// a search asks `brokenRule`, which asks the same predicates of a point, without allocation.
// Sizes and degrees are at least 1.
#include "cost/legality/LayoutCandidate.h"
#include "cost/schedules/Schedule.h"
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dpl::cost {

/// In the order in which they are asked.
enum class LegalityRule : std::uint8_t {
  None, ///< nothing is broken
  MeshSize,
  ExpertGrid,
  Batch,
  Types,
  LayerListAxes,
  WholeRanks,
  HeadGroups,
  Heads,
  KvHeads,
  Widths,
  Experts,
  ActiveExperts,
  Sequence,
  SequenceParallel,
  Actions,
  SchedulePipeline,
  ScheduleRanks,
  ScheduleMicroBatches,
  MicroBatchCosts,
  Layers,
  Slots,
  SlotsWithoutEven,
  ListLength,
  ListSum,
  ListChunks,
  ShardAxis,
  ShardStages,
  WeightVersions,
  InAdvance,
  NothingInAdvance,
  HostLink,
  OffloadedParts,
};

/// The product of the factors, if it fits.
std::optional<std::uint64_t> product(llvm::ArrayRef<std::uint64_t> factors);
bool hasExperts(const ir::Model& model);

namespace legal {

/// What the other axes of a grid leave of its devices is a whole number.
constexpr bool rest(std::uint64_t devices, std::optional<std::uint64_t> others) {
  return others && *others <= devices && devices % *others == 0;
}

/// The first class of nodes that lacks a format, null when all have it: formats without units of
/// their own cannot be computed at all; a wider 16-bit format can.
const ir::NodeType* nodeTypeWithout(const ir::Cluster& cluster, ir::DataType type);

/// batch = micro-batch × data ranks × a whole number; `pass` is the product of the first two.
constexpr bool batch(std::uint64_t batch, std::optional<std::uint64_t> pass) {
  return pass && batch % *pass == 0;
}

/// Whether unequal shares can deal the batch: it has whole micro-batches, at least one for each
/// data rank.
constexpr bool unequalBatch(std::uint64_t batch, std::uint64_t microBatch,
                            std::optional<std::uint64_t> pass) {
  return pass && batch % microBatch == 0 && batch >= *pass;
}

/// Micro-batches of the data rank that has most of them: the whole rounds, and one more if unequal
/// shares deal a remainder.
constexpr std::uint64_t mostMicroBatches(std::uint64_t batch, std::uint64_t pass,
                                         bool dealsShares) {
  return batch / pass + (dealsShares && batch % pass != 0 ? 1 : 0);
}

/// A layer list has nothing inside its layers to divide.
constexpr bool layerListAxis(std::uint64_t degree) { return degree == 1; }
/// Tensor ranks divide the layers of a list that all state what these exchange.
bool layerListTensor(const ir::Model& model, std::uint64_t degree);

/// Data ranks that step in a way of their own, or hold up each other, are one device each with all
/// of the model: no axis divides it.
inline bool ranksAreWhole(const ir::Cluster& cluster, const ir::Layout& layout) {
  return !layout.dataRanks.empty() || !cluster.coupling.empty();
}
constexpr bool wholeRank(std::uint64_t degree) { return degree == 1; }

/// Heads share key-value heads evenly; 0 key-value heads is attention of another kind.
constexpr bool headGroups(std::uint64_t heads, std::uint64_t kvHeads) {
  return kvHeads == 0 || heads % kvHeads == 0;
}
constexpr bool heads(std::uint64_t heads, std::uint64_t tensor) { return heads % tensor == 0; }
/// Ranks share a head or hold several: one number divides the other.
constexpr bool kvHeads(std::uint64_t kvHeads, std::uint64_t tensor) {
  return kvHeads == 0 || kvHeads % tensor == 0 || tensor % kvHeads == 0;
}
constexpr bool width(std::uint64_t width, std::uint64_t degree) { return width % degree == 0; }
constexpr bool experts(std::uint64_t experts, std::uint64_t ranks) { return experts % ranks == 0; }
constexpr bool activeExperts(std::uint64_t active, std::uint64_t experts) {
  return active <= experts;
}

/// A causal mask is balanced by giving each rank one early and one late piece: 2 × context pieces.
constexpr bool sequence(std::uint64_t tokens, std::uint64_t context) {
  return context == 1 || tokens % (2 * context) == 0;
}
/// Of the tokens of a sequence on one rank.
constexpr bool sequenceParallel(std::uint64_t tokens, std::uint64_t tensor) {
  return tokens % tensor == 0;
}

/// A schedule is a real list of operations; this bounds its length.
constexpr std::uint64_t mostActions = 1'000'000;
constexpr bool actions(std::optional<std::uint64_t> passes) {
  return passes && *passes <= mostActions;
}

/// Costs of micro-batches repeat over a step as a whole.
constexpr bool costsRepeat(std::uint64_t costs, std::uint64_t microBatches) {
  return costs == 0 || microBatches % costs == 0;
}

/// Layers with the slots of embedding and head, over the chunks of all stages.
constexpr bool evenLayers(std::uint64_t slots, std::uint64_t pieces) { return slots % pieces == 0; }
/// One chunk that holds all layers holds the embedding and the head as well.
constexpr bool slots(std::uint64_t taken, std::uint64_t each, std::uint64_t pieces) {
  return pieces == 1 || taken <= each;
}
/// Chunks without layers are legal, but only the embedding and the head can have one to themselves.
constexpr bool balancedLayers(std::uint64_t layers, std::uint64_t pieces) {
  return pieces <= layers + 2;
}
/// A list gives the layers of each rank, or of each piece of the model.
constexpr bool splitLength(std::uint64_t length, std::uint64_t ranks, std::uint64_t pieces) {
  return length == ranks || length == pieces;
}
/// The entry of a list of stages that does not divide over its chunks, if one does not.
std::optional<std::size_t> unevenStage(llvm::ArrayRef<std::uint64_t> list, std::uint64_t stages,
                                       std::uint64_t chunks);

constexpr bool shardAxis(ir::ShardAxis axis, ir::ShardAxis allowed) {
  return axis == ir::ShardAxis::None || axis == allowed;
}
/// ZeRO's stages build on one another: what is updated in shards has its gradients and its
/// optimizer state in the same shards.
constexpr bool parametersWithGradients(const ir::Shard& s) {
  return s.parameters != ir::ShardAxis::Data || s.gradients == ir::ShardAxis::Data;
}
constexpr bool gradientsWithOptimizer(const ir::Shard& s) {
  return s.gradients != ir::ShardAxis::Data || s.optimizer == ir::ShardAxis::Data;
}
/// Without a flush a rank keeps versions of whole weights, and no other rank has them too.
inline bool weightVersionsAllowed(const ir::Model& model, const ir::Layout& layout) {
  return scheduleInfo(layout.schedule).flushed() ||
         (layout.shard.stage() < 2 && (model.isLayerList() || !model.tiedEmbeddings));
}
/// Without a flush a rank takes turns of one forward and one backward and runs nothing else.
inline bool allowsInAdvance(const ir::Layout& layout) {
  return scheduleInfo(layout.schedule).flushed() || !layout.recompute.inAdvance;
}
/// Whether a recomputation in advance has anything to run.
bool recomputes(const ir::Model& model, const ir::Recompute& recompute);
/// A node type whose devices have no link to host memory, if the layout offloads anything.
const ir::NodeType* nodeTypeWithoutHostLink(const ir::Cluster& cluster, const ir::Layout& layout);
/// Gradients and parameters that lie there are those that a rank has a part of.
constexpr bool offloadedGradients(const ir::Offload& offload, unsigned shardStage) {
  return !offload.gradients || shardStage >= 2;
}
inline bool offloadedParameters(const ir::Offload& offload, const ir::Shard& shard) {
  return !offload.parameters || (shard.stage() == 3 && shard.reshard);
}

constexpr bool sequenceParallelTensor(std::uint64_t tensor) { return tensor > 1; }

} // namespace legal

/// What the rules need of a model, a cluster and the fixed parts of a layout. Borrows the layout's
/// lists.
struct LegalityInputs {
  struct LegalityLayer {
    std::uint64_t heads = 0, kvHeads = 0; ///< 0 without attention, without key-value heads
    std::uint64_t width = 0;              ///< of the dense part, or of one expert
    std::uint64_t experts = 0, active = 0, sharedWidth = 0;
  };
  LegalityInputs(const ir::Model& model, const ir::Cluster& cluster, const ir::Layout& layout);

  std::uint64_t devices, batch, layers, context, embeddingSlots, headSlots;
  std::uint64_t microBatchCosts; ///< how many the layout gives
  PipelineShape schedule;        ///< of the layout, but for ranks and micro-batches
  ir::SplitKind split;
  llvm::ArrayRef<std::uint64_t> splitLayers;
  bool isLayerList, tensorDividesLayerList, experts, wholeRanks;
  bool unequalShares; ///< data ranks may have unequal shares of the batch
  llvm::SmallVector<LegalityLayer, 4> layerTypes;
  LegalityRule fixed; ///< the first rule that is broken whatever the degrees
};

/// The first rule that the degrees of a point break. Whether the layout is legal is also a matter
/// of `facts.fixed`.
LegalityRule brokenRule(const LegalityInputs& facts, const LayoutCandidate& candidate);
/// The first of those about what is inside a layer: the axes that divide it, `sequenceParallel`.
LegalityRule brokenByLayers(const LegalityInputs& facts, const LayoutCandidate& candidate);
/// The first of those about how the layers are dealt to so many stages.
LegalityRule brokenBySplit(const LegalityInputs& facts, std::uint64_t stages);

} // namespace dpl::cost
