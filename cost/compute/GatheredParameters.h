#pragma once
//===- GatheredParameters.h - Units that FSDP gathers and scatters together -------------------===//
//
// Sharded parameters are gathered and sharded gradients are scattered one unit at a time. A unit is
// a layer with its experts, the embedding, or the head.
#include "cost/compute/WeightUse.h"

namespace dpl::cost {

/// Whether sharded gradients of a chunk are first summed unsharded over micro-batches.
bool sumsWhole(const ir::Plan& plan);

/// Bytes of a chunk's unsharded units.
struct GatheredBytes {
  double persistent = 0; ///< bytes that stay gathered from the first to the last action
  /// Bytes that all-gathers write on their own stream, to one buffer for all chunks of a rank.
  double writtenInPlace = 0;
  // The largest number of further bytes in a backward pass:
  double layers = 0, head = 0; ///< while a layer runs; while the head runs
  double end = 0;              ///< while the activations of only one layer remain
  double passing() const { return layers > head ? layers : head; }
  double most() const { return persistent + writtenInPlace + passing(); }
};

class GatheredParameters {
public:
  GatheredParameters(const ir::Plan& plan, const Division& division);
  GatheredBytes of(const ir::Chunk& chunk) const;

private:
  /// Parameters of a unit in elements of the compute type, and its trained parameters.
  struct Unit {
    double gathered = 0, trained = 0;
    Unit operator+(const Unit& o) const { return {gathered + o.gathered, trained + o.trained}; }
  };
  Unit used(const ParameterCount& p, const WeightUses& use = {}) const;
  Unit embedding() const;
  Unit head(bool withTable) const;
  Unit layer(std::uint64_t layerType) const;
  Unit prediction() const;
  Unit endsOf(const ir::Chunk& chunk) const;
  double staying(const ir::Chunk& chunk) const;
  double writtenInPlace(const ir::Chunk& chunk) const;

  const ir::Plan& plan;
  const Division& division;
  bool dense, experts; ///< whether several devices have shards of these parameters
  /// Whether parameters are sharded, and whether the ends stay gathered for the whole step.
  bool sharded, keepEndsGathered;
  bool tracks;                    ///< weights are trained in different ways
  double ofParameter, ofGradient; ///< bytes per gathered and per scattered element
};

} // namespace dpl::cost
