#pragma once
//===- StateCollectives.h - Gradients and sharded parameters over the data axes
//----------------===//
#include "cost/programs/ComputeSegmentWriter.h"

namespace dpl::cost {

/// The data calls of one layer's share of a chunk's state, for the dense part or the experts: what
/// is gathered before it is used, and what is reduced when its gradient is there.
struct StateCollectives {
  struct StateCollective {
    TimedCollective collective;
    ir::MicroBatchSelection selection = ir::MicroBatchSelection::Every;
    bool blocks = false, prefetch = false;
    std::uint64_t buckets = 1;               ///< how many such calls follow one another
    std::uint64_t host = 0;                  ///< ps in which the host checks one of them
    std::optional<TimedCollective> follower; ///< behind each of them
    std::uint64_t time() const {
      return buckets * (collective.time + (follower ? follower->time : 0));
    }
  };
  std::optional<StateCollective> gather, gatherBackward; ///< before a forward, before a backward
  /// Of so many layers at a time, `full` times in a chunk, and of those that are left, the first
  /// layer among them; the same call where they are as many.
  std::uint64_t layers = 1, full = 0;
  struct StateReductions {
    std::optional<StateCollective> shares, replicas;
  };
  StateReductions reduce, last;
  /// ps of computation that the gradients of a layer are coded and decoded in, where they are.
  std::uint64_t coding = 0;
  ir::MicroBatchSelection coded = ir::MicroBatchSelection::Last;
  /// ps that the parameters of a chunk take from the host's memory for a pass, and its gradients to
  /// it, where they are there.
  std::uint64_t fetched = 0, offloaded = 0;
};

/// Groups of a plan that hold the same parameters: those of the dense part and of the experts over
/// what gathers and reduces them, and replicas of what is sharded. Nothing where it has one rank.
struct StateGroups {
  std::optional<ir::GroupId> dense, experts, replica;
};
StateGroups stateGroups(const ir::Plan& plan);

/// Of both parts of a chunk's state; what runs at the end of the step is given to `calls` alone.
std::vector<StateCollectives> stateCollectives(const ir::Plan& plan, const ir::Chunk& chunk,
                                               const ir::ChunkCost& cost, const StateGroups& groups,
                                               CollectiveBuilder& collectives);
/// A tied table has a copy on the first and on the last stage, whose gradients are added.
void embeddingGradient(const ir::Plan& plan, const ir::Chunk& chunk,
                       CollectiveBuilder& collectives);

} // namespace dpl::cost
