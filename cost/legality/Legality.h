#pragma once
//===- Legality.h - The rules of a legal layout, each defined once ----------------------------===//
//
// A rule is a predicate over a few numbers. check-layout evaluates it and reports what a broken
// rule means. A search calls `brokenRule`, which evaluates the same predicates for a candidate
// without allocation. Sizes and degrees are at least 1.
#include "cost/legality/LayoutCandidate.h"
#include "cost/schedules/Schedule.h"
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>

namespace dpl::cost {

/// The rules of a legal layout.
enum class LegalityRule : std::uint8_t {
  None, ///< no rule is broken
  MeshSize,
  ExpertGrid,
  Batch,
  Types,
  LayerListAxes,
  WholeRanks,
  HeadGroups,
  Heads,
  KvHeads,
  Recurrence,
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

/// The product of the factors if it does not overflow.
std::optional<std::uint64_t> product(llvm::ArrayRef<std::uint64_t> factors);
bool hasExperts(const ir::Model& model);

namespace legal {

/// Whether the devices of a grid, divided by the product of its other axes, are a whole number.
constexpr bool rest(std::uint64_t devices, std::optional<std::uint64_t> others) {
  return others && *others <= devices && devices % *others == 0;
}

/// The first node type without a data type; null if all have it. Types of less than 16 bits cannot
/// be computed without hardware support; a missing 16-bit type can be computed in a wider one.
const ir::NodeType* nodeTypeWithout(const ir::Cluster& cluster, ir::DataType type);

/// batch = micro-batch × data ranks × a whole number; `pass` is the product of the first two.
constexpr bool batch(std::uint64_t batch, std::optional<std::uint64_t> pass) {
  return pass && batch % *pass == 0;
}

/// Whether unequal shares can divide the batch: it consists of whole micro-batches, at least one
/// per data rank.
constexpr bool unequalBatch(std::uint64_t batch, std::uint64_t microBatch,
                            std::optional<std::uint64_t> pass) {
  return pass && batch % microBatch == 0 && batch >= *pass;
}

/// Micro-batches of the data rank with the most: the whole rounds, plus one if unequal shares
/// distribute a remainder.
constexpr std::uint64_t mostMicroBatches(std::uint64_t batch, std::uint64_t pass,
                                         bool dealsShares) {
  return batch / pass + (dealsShares && batch % pass != 0 ? 1 : 0);
}

/// The layers of a layer list cannot be divided.
constexpr bool layerListAxis(std::uint64_t degree) { return degree == 1; }
/// Tensor ranks can divide a layer list if all of its layers set their exchanges.
bool layerListTensor(const ir::Model& model, std::uint64_t degree);

/// With a special synchronization or with interference, data ranks are one device each with the
/// whole model, so no axis divides the model.
inline bool ranksAreWhole(const ir::Cluster& cluster, const ir::Layout& layout) {
  return !layout.dataRanks.empty() || !cluster.coupling.empty();
}
constexpr bool wholeRank(std::uint64_t degree) { return degree == 1; }

/// Tensor ranks divide the heads and key heads of a recurrence, and context ranks its heads again.
constexpr bool recurrence(std::uint64_t heads, std::uint64_t keyHeads, std::uint64_t tensor,
                          std::uint64_t context) {
  return keyHeads % tensor == 0 && heads % tensor == 0 && heads / tensor % context == 0;
}
/// Each key-value head serves equally many heads; 0 key-value heads for other kinds of attention.
constexpr bool headGroups(std::uint64_t heads, std::uint64_t kvHeads) {
  return kvHeads == 0 || heads % kvHeads == 0;
}
constexpr bool heads(std::uint64_t heads, std::uint64_t tensor) { return heads % tensor == 0; }
/// Ranks share a head or have several: one number divides the other.
constexpr bool kvHeads(std::uint64_t kvHeads, std::uint64_t tensor) {
  return kvHeads == 0 || kvHeads % tensor == 0 || tensor % kvHeads == 0;
}
constexpr bool width(std::uint64_t width, std::uint64_t degree) { return width % degree == 0; }
constexpr bool experts(std::uint64_t experts, std::uint64_t ranks) { return experts % ranks == 0; }
constexpr bool activeExperts(std::uint64_t active, std::uint64_t experts) {
  return active <= experts;
}

/// Causal attention is balanced by giving each rank one early and one late slice: 2 × context
/// slices.
constexpr bool sequence(std::uint64_t tokens, std::uint64_t context) {
  return context == 1 || tokens % (2 * context) == 0;
}
/// `tokens` of a sequence on one rank.
constexpr bool sequenceParallel(std::uint64_t tokens, std::uint64_t tensor) {
  return tokens % tensor == 0;
}

/// Schedules are stored as lists of actions; this limits their length.
constexpr std::uint64_t mostActions = 1'000'000;
constexpr bool actions(std::optional<std::uint64_t> passes) {
  return passes && *passes <= mostActions;
}

/// Costs of micro-batches repeat a whole number of times per step.
constexpr bool costsRepeat(std::uint64_t costs, std::uint64_t microBatches) {
  return costs == 0 || microBatches % costs == 0;
}

/// Layers plus the slots of embedding and head are divided evenly over the chunks of all stages.
constexpr bool evenLayers(std::uint64_t slots, std::uint64_t pieces) { return slots % pieces == 0; }
/// A single chunk with all layers also has the embedding and the head.
constexpr bool slots(std::uint64_t taken, std::uint64_t each, std::uint64_t pieces) {
  return pieces == 1 || taken <= each;
}
/// Chunks without layers are allowed, but only for the embedding and the head.
constexpr bool balancedLayers(std::uint64_t layers, std::uint64_t pieces) {
  return pieces <= layers + 2;
}
/// A list has one number of layers per rank, or one per stage.
constexpr bool splitLength(std::uint64_t length, std::uint64_t ranks, std::uint64_t pieces) {
  return length == ranks || length == pieces;
}
/// The first entry in a list of ranks that is not divisible by the chunks, if there is one.
std::optional<std::size_t> unevenStage(llvm::ArrayRef<std::uint64_t> list, std::uint64_t stages,
                                       std::uint64_t chunks);

constexpr bool shardAxis(ir::ShardAxis axis, ir::ShardAxis allowed) {
  return axis == ir::ShardAxis::None || axis == allowed;
}
/// ZeRO stages build on one another: sharded parameters need sharded gradients, which need a
/// sharded optimizer state.
constexpr bool parametersWithGradients(const ir::Shard& s) {
  return s.parameters != ir::ShardAxis::Data || s.gradients == ir::ShardAxis::Data;
}
constexpr bool gradientsWithOptimizer(const ir::Shard& s) {
  return s.gradients != ir::ShardAxis::Data || s.optimizer == ir::ShardAxis::Data;
}
/// Without a flush a rank has versions of its unsharded weights, which no other rank may share.
inline bool weightVersionsAllowed(const ir::Model& model, const ir::Layout& layout) {
  return scheduleInfo(layout.schedule).flushed() ||
         (layout.shard.stage() < 2 && (model.isLayerList() || !model.tiedEmbeddings));
}
/// Without a flush a rank only alternates forward and backward passes.
inline bool allowsInAdvance(const ir::Layout& layout) {
  return scheduleInfo(layout.schedule).flushed() || !layout.recompute.inAdvance;
}
/// Whether a recomputation in advance has anything to run.
bool recomputes(const ir::Model& model, const ir::Recompute& recompute);
/// A node type whose devices have no link to host memory, if the layout offloads anything.
const ir::NodeType* nodeTypeWithoutHostLink(const ir::Cluster& cluster, const ir::Layout& layout);
/// Only sharded gradients and parameters can be offloaded.
constexpr bool offloadedGradients(const ir::Offload& offload, unsigned shardStage) {
  return !offload.gradients || shardStage >= 2;
}
inline bool offloadedParameters(const ir::Offload& offload, const ir::Shard& shard) {
  return !offload.parameters || (shard.stage() == 3 && shard.reshard);
}

constexpr bool sequenceParallelTensor(std::uint64_t tensor) { return tensor > 1; }

} // namespace legal

/// Inputs of the rules from a model, a cluster and the fixed parts of a layout. Keeps references to
/// the layout's lists.
struct LegalityInputs {
  struct LegalityLayer {
    std::uint64_t heads = 0, kvHeads = 0; ///< 0 without attention; 0 without key-value heads
    std::uint64_t recurrentHeads = 0, recurrentKeys = 0; ///< 0 without a recurrence
    std::uint64_t width = 0; ///< width of the dense part or of one expert
    std::uint64_t experts = 0, active = 0, sharedWidth = 0;
  };
  LegalityInputs(const ir::Model& model, const ir::Cluster& cluster, const ir::Layout& layout);

  std::uint64_t devices, batch, layers, context, embeddingSlots, headSlots;
  std::uint64_t microBatchCosts; ///< number of costs in the layout
  PipelineShape schedule;        ///< the layout's, without ranks and micro-batches
  ir::SplitKind split;
  llvm::ArrayRef<std::uint64_t> splitLayers;
  bool isLayerList, tensorDividesLayerList, experts, wholeRanks;
  bool unequalShares; ///< data ranks may have unequal shares of the batch
  llvm::SmallVector<LegalityLayer, 4> layerTypes;
  LegalityRule fixed; ///< first broken rule that does not depend on the degrees
};

/// The first rule that the degrees of a candidate break. The layout is legal only if `facts.fixed`
/// is None too.
LegalityRule brokenRule(const LegalityInputs& facts, const LayoutCandidate& candidate);
/// The first broken rule for axes inside a layer, including `sequenceParallel`.
LegalityRule brokenByLayers(const LegalityInputs& facts, const LayoutCandidate& candidate);
/// The first broken rule for dividing the layers into `stages` stages.
LegalityRule brokenBySplit(const LegalityInputs& facts, std::uint64_t stages);

} // namespace dpl::cost
