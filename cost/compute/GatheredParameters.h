#pragma once
//===- GatheredParameters.h - What is gathered and scattered in one piece
//----------------------===//
//
// Sharded parameters are gathered, and sharded gradients scattered, a unit at a time: a layer with
// its experts, the embedding, the head.
#include "cost/compute/LayerCost.h"

namespace dpl::cost {

/// Whether gradients of a chunk that are sharded are summed whole first, over several
/// micro-batches.
bool sumsWhole(const ir::Plan& plan);

/// Bytes of a chunk's units.
struct GatheredBytes {
  double persistent = 0; ///< from the first pass to the last
  double writtenInPlace =
      0; ///< by gathers of a stream of their own; all chunks of a rank have one place
  // The most beside that, while a backward pass has all activations.
  double layers = 0, head = 0; ///< when a layer runs, when the head does
  double end = 0;              ///< and when it has those of one layer
  double passing() const { return layers > head ? layers : head; }
  double most() const { return persistent + writtenInPlace + passing(); }
};

class GatheredParameters {
public:
  GatheredParameters(const ir::Plan& plan, const Division& division);
  GatheredBytes of(const ir::Chunk& chunk) const;

private:
  double used(const ParameterCount& p) const;
  ParameterCount head(bool withTable) const;
  double layer(std::uint64_t layerType) const;
  double endsOf(const ir::Chunk& chunk) const;
  double staying(const ir::Chunk& chunk) const;
  double writtenInPlace(const ir::Chunk& chunk) const;

  const ir::Plan& plan;
  const Division& division;
  bool dense, experts;            ///< several devices have parts of them
  bool sharded, keepEndsGathered; ///< parameters are; the ends are gathered once
  double ofParameter, ofGradient; ///< bytes of an element that is gathered, that is scattered
};

} // namespace dpl::cost
