#pragma once
//===- LayerSegments.h - The segments of the actions of a layer -------------------------------===//
//
// Each axis adds collectives to a layer: tensor around its GEMMs, context around core attention,
// expert around the experts. LayerLowering decides which collectives run, in what order, and what
// they overlap with.
#include "cost/compute/ChunkEstimate.h"
#include "cost/programs/ComputeSegmentWriter.h"
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// Blocks of a layer that tensor parallelism surrounds with collectives: attention, and a dense
/// feed-forward part or shared experts. Parallel blocks count as one.
double tensorBlocksOf(const ir::Model& m, const ir::LayerType& c);

/// Segments of one micro-batch. `weight` is the weight gradient of a split backward pass. If the
/// schedule does not split, it is empty and `backward` has both gradients. `whole` has both if the
/// schedule mixes whole and split backward passes. `recompute` runs in advance of the backward
/// pass.
struct ActionSegments {
  std::vector<ir::Segment> forward, backward, weight, whole, recompute;
  std::uint64_t ahead = 0; ///< ps by which the host is ahead at the end of `backward`
};

/// Lowers the modules of a chunk into segments. Relies on: groups of every axis subset that
/// communicates (build-groups).
class LayerLowering {
public:
  /// Keeps a reference to the estimate of the plan.
  LayerLowering(const ir::Plan& plan, const ChunkEstimate& estimate);

  /// Segments of one module of a chunk on a pipeline rank: a layer, the embedding, the head, or an
  /// MTP layer with its shared head.
  ActionSegments of(const ChunkModule& module, std::uint64_t rank,
                    ChunkCollectives& collectives) const;
  /// Segments that all-gather the messages that a chunk receives scattered.
  ActionSegments of(GatheredMessages messages, ChunkCollectives& collectives) const;
  /// Share of overlapped time that computation loses on a rank.
  double contentionOn(std::uint64_t rank) const {
    return rankLaunches[plan.mesh.rankNodeTypesIndex(rank)].contention;
  }

private:
  /// Values of the pipeline ranks on the same node types.
  struct RankLaunch {
    double contention = 0;
    std::uint64_t launch = 0; ///< ps of one kernel launch
    OperatorSum prediction;   ///< the layer inside an MTP layer
  };
  enum class LayerAction : std::uint8_t { Forward, Recomputation, Backward };
  /// State of one action of a layer while its segments are written.
  struct LayerInProgress {
    const ir::LayerType& layerType;
    const OperatorSum& time;
    LayerAction action;
    bool split;          ///< the weight gradient of Backward is a separate action
    bool recomputed;     ///< the whole layer is recomputed
    bool hostAhead;      ///< the host launches ahead; it does not wait for token counts
    std::uint64_t total; ///< ps
    ChunkCollectives& collectives;
    ComputeSegmentWriter track;
    bool backward() const { return action == LayerAction::Backward; }
  };

  ActionSegments of(const ChunkModule& module, std::uint64_t rank, ChunkCollectives& collectives,
                    bool split) const;
  OperatorSum predictionLayer(std::size_t ranks) const;
  void layer(const ChunkModule& module, const OperatorSum& time, const RankLaunch& on,
             ChunkCollectives& collectives, bool split, ActionSegments& out) const;
  std::vector<ir::Segment> actionSegments(const ChunkModule& module, const OperatorSum& time,
                                          const RankLaunch& on, ChunkCollectives& collectives,
                                          LayerAction pass, bool split, std::uint64_t total) const;
  void tensorBlocks(LayerInProgress& l, double blocks, std::uint64_t portion) const;
  bool normalizesProjections(const LayerInProgress& l) const;
  void squares(LayerInProgress& l) const;
  void contextKeys(LayerInProgress& l) const;
  void contextStates(LayerInProgress& l) const;
  void experts(LayerInProgress& l, std::uint64_t portion) const;
  TimedCollective exchange(LayerInProgress& l, TokenWay way) const;
  void awaitExchanges(LayerInProgress& l) const;
  void whole(const ChunkModule& module, bool split, ActionSegments& out) const;
  ir::Segment activations(ir::CollectiveKind kind, ChunkCollectives& collectives) const;
  std::uint64_t check(std::vector<ir::Segment>& pass, ir::ComputeKind part, double launches,
                      const ChunkCollectives& collectives) const;
  void check(const ChunkModule& module, const ChunkCollectives& collectives, bool split,
             ActionSegments& out) const;
  void embeddingCollectives(ChunkCollectives& collectives, ActionSegments& out) const;
  void headCollectives(ChunkCollectives& collectives, ActionSegments& out) const;

  const ir::Plan& plan;
  const ChunkEstimate& estimate;
  Division d;
  std::optional<ir::GroupId> tensor, context, expert, expertTensor;
  double hidden; ///< bytes of the activations of one micro-batch, not sharded
  BackwardSplit backwardSplit;
  bool merges;      ///< token exchanges overlap with the other action of a merged pair
  double leastCost; ///< cost of the cheapest micro-batch, divided by the mean
  llvm::SmallVector<RankLaunch, 1> rankLaunches; ///< parallel to Mesh::rankNodeTypes
};

} // namespace dpl::cost
