#pragma once
//===- LayerSegments.h - What the passes of a layer run ---------------------------------------===//
//
// Each axis brings collectives to a layer: tensor around its products, context around core
// attention, experts around the experts. Here is which, in what order, and what each may run
// beside.
#include "cost/compute/ChunkEstimate.h"
#include "cost/programs/Track.h"
#include "cost/schedules/Schedule.h"

namespace dpl::cost {

/// Parts of a layer that tensor parallelism surrounds with collectives: attention and a dense
/// feed-forward part or shared experts, or both as one.
double tensorBlocksOf(const ir::Model& m, const ir::LayerClass& c);

/// Segments of one micro-batch. `weight` is what a split backward pass leaves for later; it is
/// empty where the schedule does not split, and `backward` holds both. `whole` holds both where the
/// schedule has backward passes of either kind. `recompute` is what runs in advance of them.
struct PassSegments {
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
  PassSegments of(const ChunkPart& part, std::uint64_t rank, Calls& calls) const;
  /// What gathers the messages that a chunk receives in parts.
  PassSegments of(GatheredMessages messages, Calls& calls) const;
  /// Share of its computation that a rank loses to communication beside it.
  double contentionOn(std::uint64_t rank) const {
    return held[plan.mesh.heldIndex(rank)].contention;
  }

private:
  /// Of the pipeline ranks that the same classes of nodes hold.
  struct Held {
    double contention = 0;
    std::uint64_t launch = 0; ///< ps of the host
    OperatorSum prediction;   ///< the layer inside a prediction layer
  };
  enum class Pass : std::uint8_t { Forward, Recomputation, Backward };
  /// One pass of one layer while it is written.
  struct Layer {
    const ir::LayerClass& layerClass;
    const OperatorSum& time;
    Pass pass;
    bool split;     ///< of Backward: the weights' gradients run apart
    bool again;     ///< it is recomputed whole
    bool hostAhead; ///< the host launches on while a call runs: it waits for no counts of tokens
    std::uint64_t total; ///< ps
    Calls& calls;
    Track track;
    bool backward() const { return pass == Pass::Backward; }
  };

  PassSegments of(const ChunkPart& part, std::uint64_t rank, Calls& calls, bool split) const;
  OperatorSum predictionLayer(std::size_t ranks) const;
  void layer(const ChunkPart& part, const OperatorSum& time, const Held& on, Calls& calls,
             bool split, PassSegments& out) const;
  std::vector<ir::Segment> pass(const ChunkPart& part, const OperatorSum& time, const Held& on,
                                Calls& calls, Pass pass, bool split, std::uint64_t total) const;
  void tensorBlocks(Layer& l, double blocks, std::uint64_t portion) const;
  bool normalizesProjections(const Layer& l) const;
  void squares(Layer& l) const;
  void contextKeys(Layer& l) const;
  void experts(Layer& l, std::uint64_t portion) const;
  Call exchange(Layer& l, TokenWay way) const;
  void whole(const ChunkPart& part, bool split, PassSegments& out) const;
  ir::Segment activations(ir::CollectiveKind kind, Calls& calls) const;
  std::uint64_t check(std::vector<ir::Segment>& pass, ir::ComputePart part, double launches,
                      const Calls& calls) const;
  void check(const ChunkPart& part, const Calls& calls, bool split, PassSegments& out) const;
  void embeddingCalls(Calls& calls, PassSegments& out) const;
  void headCalls(Calls& calls, PassSegments& out) const;

  const ir::Plan& plan;
  const ChunkEstimate& estimate;
  Division d;
  std::optional<std::uint64_t> tensor, context, expert, expertTensor;
  double hidden; ///< bytes of one micro-batch's activations between blocks, whole
  BackwardPasses backwardPasses;
  bool merges;                     ///< exchanges of a pass run beside the other pass of its pair
  double leastCost;                ///< of a micro-batch, over the mean
  llvm::SmallVector<Held, 1> held; ///< parallel to Mesh::held
};

} // namespace dpl::cost
