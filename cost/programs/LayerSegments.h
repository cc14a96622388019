#pragma once
//===- LayerSegments.h - What the passes of a layer run ---------------------------------------===//
//
// Each axis brings collectives to a layer: tensor around its products, context around core
// attention, experts around the experts. Here is which, in what order, and what each may run
// beside.
#include "cost/compute/ChunkEstimate.h"
#include "cost/programs/ComputeSegmentWriter.h"
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// Parts of a layer that tensor parallelism surrounds with collectives: attention and a dense
/// feed-forward part or shared experts, or both as one.
double tensorBlocksOf(const ir::Model& m, const ir::LayerType& c);

/// Segments of one micro-batch. `weight` is what a split backward pass leaves for later; it is
/// empty where the schedule does not split, and `backward` holds both. `whole` holds both where the
/// schedule has backward passes of either kind. `recompute` is what runs in advance of them.
struct ActionSegments {
  std::vector<ir::Segment> forward, backward, weight, whole, recompute;
  std::uint64_t ahead = 0; ///< ps that the host is ahead at the end of `backward`
};

/// Relies on: groups of every axis subset that communicates (build-groups).
class LayerLowering {
public:
  /// Borrows the estimate of the plan.
  LayerLowering(const ir::Plan& plan, const ChunkEstimate& estimate);

  /// Of one of a part of a chunk on a pipeline rank: a layer, the embedding, the head or a
  /// prediction layer with the head that it shares.
  ActionSegments of(const ChunkModule& module, std::uint64_t rank,
                    ChunkCollectives& collectives) const;
  /// What gathers the messages that a chunk receives in parts.
  ActionSegments of(GatheredMessages messages, ChunkCollectives& collectives) const;
  /// Share of its computation that a rank loses to communication beside it.
  double contentionOn(std::uint64_t rank) const {
    return rankLaunches[plan.mesh.rankNodeTypesIndex(rank)].contention;
  }

private:
  /// Of the pipeline ranks that the same classes of nodes hold.
  struct RankLaunch {
    double contention = 0;
    std::uint64_t launch = 0; ///< ps of the host
    OperatorSum prediction;   ///< the layer inside a prediction layer
  };
  enum class LayerAction : std::uint8_t { Forward, Recomputation, Backward };
  /// One pass of one layer while it is written.
  struct LayerInProgress {
    const ir::LayerType& layerType;
    const OperatorSum& time;
    LayerAction action;
    bool split;      ///< of Backward: the weights' gradients run apart
    bool recomputed; ///< it is recomputed whole
    bool hostAhead;  ///< the host launches on while a call runs: it waits for no counts of tokens
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
  void experts(LayerInProgress& l, std::uint64_t portion) const;
  TimedCollective exchange(LayerInProgress& l, TokenWay way) const;
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
  double hidden; ///< bytes of one micro-batch's activations between blocks, whole
  BackwardSplit backwardSplit;
  bool merges;      ///< exchanges of a pass run beside the other pass of its pair
  double leastCost; ///< of a micro-batch, over the mean
  llvm::SmallVector<RankLaunch, 1> rankLaunches; ///< parallel to Mesh::rankNodeTypes
};

} // namespace dpl::cost
