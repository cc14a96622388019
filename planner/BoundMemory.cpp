//===- BoundMemory.cpp - The terms of lower bounds on memory ----------------------------------===//
#include "cost/compute/OperatorTime.h"
#include "cost/compute/OptimizerRow.h"
#include "cost/memory/RankMemory.h"
#include "ir/Arithmetic.h"
#include "planner/Bound.h"
#include <algorithm>
#include <limits>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;
using ir::real;

/// Bytes of state per parameter, sharded over `ways` devices.
double Bounds::stateBytes(double ways, unsigned stage) const {
  const ir::Precision& p = plan.layout.precision;
  const auto share = [&](unsigned from) { return stage >= from ? ways : 1; };
  const double optimizer =
      masterBits(plan.layout) + leastMoments(plan.layout) * momentBits(plan.layout);
  const ir::Offload offload = plan.layout.offloadSettings();
  // Weights that are frozen have no other state. Which of them are depends on the model's parts.
  if (const ir::FineTuning* tuning = plan.layout.fineTuningOrNull(); tuning)
    return offload.parameters ? 0
                              : std::min({real(bitsOf(p.parameters)), frozenBits(plan.layout),
                                          quantizedBits(plan.layout)}) /
                                    share(3) / 8;
  return ((offload.parameters ? 0 : real(bitsOf(p.parameters)) / share(3)) +
          (offload.gradients ? 0 : real(bitsOf(p.gradients)) / share(2)) +
          (1 - offload.optimizer) * optimizer / share(1)) /
         8;
}

Bounds::StateBytes Bounds::stateOf(const LayoutCandidate& candidate, std::uint64_t directions,
                                   unsigned stage) const {
  const double copies = real(directions);
  const std::uint64_t grid = std::uint64_t{candidate.expert} * candidate.expertTensor;
  const double dense = stateBytes(copies * real(candidate.data) * real(candidate.context), stage);
  return {dense, experts ? stateBytes(copies * real(candidate.stage() / grid), stage) : dense};
}

/// With `block`, only some layers may be recomputed whole.
Bounds::TemporaryBound Bounds::temporaryOf(const ir::LayerType& layer,
                                           const std::vector<OperatorCost>& operators,
                                           double input) const {
  const ir::Recompute& r = probe.layout.recompute;
  TemporaryBound out;
  for (const OperatorCost& op : operators)
    out.largest = std::max({out.largest, op.saved, op.temporary});
  const double kept = residualPoints(plan.model, layer, r);
  const auto restored = [&](bool whole) {
    return sumOf(operators, devices.front(), r, whole).restored;
  };
  out.restored = restored(false) + input * (residualPoints(plan.model, layer, {}) - kept);
  if (r.kind == ir::RecomputeKind::Full) {
    const double whole = restored(true) + input * kept;
    out.restored = r.method == ir::RecomputeMethod::Block ? std::min(out.restored, whole) : whole;
  }
  out.restored = std::max(0.0, out.restored);
  return out;
}

double Bounds::bufferBytesOf(std::uint64_t stages) {
  probe.mesh.axes[2].size = stages;
  const BufferBytes bytes = bufferBytes(probe, division);
  probe.mesh.axes[2].size = 1;
  return bytes.messages() + bytes.gathered;
}

/// The last layer of a chunk runs with its unsharded parameters and gradients, which are copied for
/// their reduction. With overlap the layer before it is gathered at the same time (see
/// GatheredParameters::of).
Bounds::GatheredLayers Bounds::gatheredOf(const LayoutCandidate& candidate,
                                          std::uint64_t directions) const {
  const ir::Layout& layout = probe.layout;
  const unsigned stage = layout.shard.stage();
  const std::uint64_t ways = directions * candidate.data * candidate.context;
  if (stage < 2 || ways < 2)
    return {};
  const double parameter = activationBytes(layout.precision.compute);
  // Frozen weights have no gradients, and may be gathered in their own format.
  const bool tuned = layout.fineTuningOrNull() != nullptr;
  const double gathered = tuned ? std::min(parameter, quantizedBits(layout) / 8) : parameter;
  const double again = stage == 3 && layout.shard.reshard ? gathered : 0;
  const std::uint64_t grid = std::uint64_t{candidate.expert} * candidate.expertTensor;
  GatheredLayers out;
  out.each = again + (tuned ? 0 : parameter + real(bitsOf(layout.precision.reduce)) / 8);
  out.several = out.each + (layout.overlap.parameters ? again : 0);
  out.experts = directions * candidate.stage() / grid > 1;
  return out;
}

double Bounds::leastTemporary(const ir::Chunk& chunk, const DividedBounds& divided,
                              const GatheredLayers& gathered, bool holdsRestored) const {
  constexpr double none = std::numeric_limits<double>::infinity();
  double tensors = 0, unsharded = none;
  std::uint64_t next = 0;
  for (const ir::LayerRun& run : plan.model.runs) {
    if (std::max(next, chunk.firstLayer) <
        std::min(next + run.count, chunk.firstLayer + chunk.layers)) {
      const TemporaryBound& of = divided.temporary[run.layerType];
      tensors = std::max(tensors, of.largest + (holdsRestored ? 0 : of.restored));
      const ModuleBound& layer = divided.layers[run.layerType];
      unsharded = std::min(unsharded, layer.parameters + (gathered.experts ? layer.experts : 0));
    }
    next += run.count;
  }
  return chunk.layers == 0
             ? 0
             : tensors + (chunk.layers > 1 ? gathered.several : gathered.each) * unsharded;
}
