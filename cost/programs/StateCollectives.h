#pragma once
//===- StateCollectives.h - Collectives of gradients and sharded parameters -------------------===//
#include "cost/programs/ComputeSegmentWriter.h"

namespace dpl::cost {

/// The data-parallel collectives of one layer, for its dense parameters or its experts: gathers
/// before use, and reductions of gradients.
struct StateCollectives {
  struct StateCollective {
    TimedCollective collective;
    ir::MicroBatchSelection selection = ir::MicroBatchSelection::Every;
    bool blocks = false, prefetch = false;
    std::uint64_t buckets = 1;               ///< number of such collectives in a row
    std::uint64_t host = 0;                  ///< ps in which the host checks one of them
    std::optional<TimedCollective> follower; ///< collective that follows each of them
    std::uint64_t time() const {
      return buckets * (collective.time + (follower ? follower->time : 0));
    }
  };
  /// The parameter gathers before a forward pass and before a backward pass.
  std::optional<StateCollective> gather, gatherBackward;
  /// Layers whose gradients are reduced together, and number of such groups in a chunk. The
  /// remaining layers, which include the first one, use `last`, which equals `reduce` if their
  /// number is also `layers`.
  std::uint64_t layers = 1, full = 0;
  struct StateReductions {
    std::optional<StateCollective> shares, replicas;
  };
  StateReductions reduce, last;
  /// ps in which a layer's gradients are encoded and decoded, if they are compressed.
  std::uint64_t coding = 0;
  ir::MicroBatchSelection coded = ir::MicroBatchSelection::Last;
  /// ps in which a chunk's parameters are fetched from the host for an action, and its gradients
  /// are offloaded, if the layout offloads them.
  std::uint64_t fetched = 0, offloaded = 0;
};

/// Groups that share parameters: those that gather and reduce dense parameters and experts, and the
/// replicas of sharded state. A group is empty if it would have one rank.
struct StateGroups {
  std::optional<ir::GroupId> dense, experts, replica;
};
StateGroups stateGroups(const ir::Plan& plan);

/// Returns the collectives of the dense parameters and the experts of a chunk. Collectives at the
/// end of the step go to `collectives` only.
std::vector<StateCollectives> stateCollectives(const ir::Plan& plan, const ir::Chunk& chunk,
                                               const ir::ChunkCost& cost, const StateGroups& groups,
                                               CollectiveBuilder& collectives);
/// Adds the all-reduce of tied embedding gradients between the first and the last stage.
void embeddingGradient(const ir::Plan& plan, const ir::Chunk& chunk,
                       CollectiveBuilder& collectives);

} // namespace dpl::cost
