#pragma once
//===- ChunkBodies.h - The collectives and bodies of a chunk ----------------------------------===//
#include "cost/bodies/LayerSegments.h"
#include "cost/bodies/StateCalls.h"

namespace dpl::cost {

/// Lowers the chunks of a plan, one after the other, into its collectives, bodies and programs.
/// Relies on: groups (build-groups) and one cost a chunk (estimate-compute).
class ChunkLowering {
public:
  ChunkLowering(ir::Plan& plan, const ChunkEstimate& estimate, const LayerLowering& layers)
      : plan(plan), estimate(estimate), layers(layers) {}
  void lower(std::size_t chunk);
  /// The same where an earlier chunk is equal to it.
  void repeat(std::size_t chunk, std::size_t earlier);

private:
  /// One of a part, and how many follow one another.
  struct Unit {
    PassSegments segments;
    std::uint64_t count = 1;
  };
  /// A chunk in the order of the network.
  struct Units {
    std::vector<Unit> before, layers, after; ///< embedding; layers; prediction layers and head
  };
  Units unitsOf(const ir::Chunk& chunk, Calls& calls) const;
  ir::Body forward(const Units& units, const std::vector<StateCalls>& state, double slows) const;
  /// A backward pass: units in reverse, with the gathers of some states and the reductions of some.
  ir::Body reversed(ir::OperationKind kind, std::vector<ir::Segment> PassSegments::*pass,
                    const Units& units, const std::vector<StateCalls>& gathered,
                    const std::vector<StateCalls>& reduced, double contention) const;
  std::uint64_t indexOf(ir::Body body);
  void lowerEmbeddingGradient(const ir::Chunk& chunk, Calls& calls) const;
  void lowerMessages(const ir::Chunk& chunk, Calls& calls) const;

  ir::Plan& plan;
  const ChunkEstimate& estimate;
  const LayerLowering& layers;
};

/// The first chunk that holds what this one does on the same kind of nodes, or its own index.
std::size_t equalChunk(const ir::Plan& plan, std::size_t chunk);

/// Fills in what the passes of each chunk take by themselves.
void timePasses(ir::Plan& plan);

} // namespace dpl::cost
