//===- GatheredParameters.cpp - What is gathered and scattered in one piece
//--------------------===//
#include "cost/compute/GatheredParameters.h"
#include "cost/compute/LayerSpans.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <optional>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

bool dpl::cost::sumsWhole(const Plan& plan) {
  return plan.layout.buffers.hasWholeGradients && plan.layout.shard.stage() >= 2 &&
         plan.mesh.microBatches > 1 && plan.mesh.size(Axis::Pipeline) > 1 &&
         scheduleInfo(plan.layout.schedule).flushed();
}

GatheredParameters::GatheredParameters(const Plan& plan, const Division& division)
    : plan(plan), division(division), dense(plan.stateRanks() > 1),
      experts(plan.expertStateRanks() > 1), sharded(plan.layout.shard.stage() == 3),
      keepEndsGathered(sharded && plan.layout.buffers.keepEndsGathered),
      ofParameter(activationBytes(plan.layout.precision.compute)),
      ofGradient(real(bitsOf(plan.layout.precision.reduce)) / 8) {}

double GatheredParameters::used(const ParameterCount& p) const {
  return (dense ? p.denseOn(division.tensor) : 0) + (experts ? p.expertsOn(division) : 0);
}

/// With the table that it shares with the embedding, or without.
ParameterCount GatheredParameters::head(bool withTable) const {
  ParameterCount p = headParameters(plan.model, division.vocab);
  if (withTable && plan.model.tiedEmbeddings && !plan.model.isLayerList())
    p.dense += real(division.vocab) * real(plan.model.hidden);
  return p;
}

double GatheredParameters::layer(std::uint64_t layerType) const {
  return used(parametersOf(plan.model, plan.model.layerTypes[layerType]));
}

double GatheredParameters::endsOf(const Chunk& chunk) const {
  return (chunk.embedding ? used(embeddingParameters(plan.model, division.vocab)) : 0) +
         (chunk.head ? used(head(!plan.placement.firstAndLastShareRanks())) : 0);
}

/// All parameters where none are given back, or those of the ends.
double GatheredParameters::staying(const Chunk& chunk) const {
  if (!sharded || plan.layout.shard.reshard)
    return keepEndsGathered ? endsOf(chunk) * ofParameter : 0;
  double all = endsOf(chunk);
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers,
              [&](const LayerSpan& span) { all += real(span.count) * layer(span.layerType); });
  if (chunk.predictionLayers > 0)
    all += real(chunk.predictionLayers) * used(predictionParameters(plan.model));
  return all * ofParameter;
}

/// Ends that are gathered at once come through a buffer of the gather's stream, which no other
/// stream's tensors can take and which is there until the layer behind has come (wait_for_unshard
/// in torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py).
double GatheredParameters::writtenInPlace(const Chunk& chunk) const {
  if (!keepEndsGathered)
    return 0;
  double largest = 0;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers,
              [&](const LayerSpan& span) { largest = std::max(largest, layer(span.layerType)); });
  return (endsOf(chunk) + largest) * ofParameter;
}

/// Of the unit that runs parameters and gradients, in the type of products; parameters of the next;
/// gradients of the last, in the type in which they are scattered, to which those of the one that
/// runs are then copied.
GatheredBytes GatheredParameters::of(const Chunk& chunk) const {
  GatheredBytes bytes;
  if (plan.layout.shard.stage() < 2)
    return bytes;
  bytes.persistent = staying(chunk), bytes.writtenInPlace = writtenInPlace(chunk);
  const double again = sharded && plan.layout.shard.reshard ? ofParameter : 0;
  const Overlap& overlap = plan.layout.overlap;
  const bool embeds = chunk.embedding && !keepEndsGathered, heads = chunk.head && !keepEndsGathered;
  // The units in the order of the network, of which each runs when the one behind it is known.
  std::optional<double> before, runs;
  std::uint64_t place = 0; // of the one that runs
  const auto run = [&](std::optional<double> behind) {
    // A chunk of one unit gathers it for its next pass.
    const double ahead = before ? *before : behind ? 0 : *runs;
    const double next = overlap.parameters ? ahead : 0;
    const double moment = again * (*runs + next) + ofParameter * *runs +
                          ofGradient * std::max(*runs, overlap.gradients ? behind.value_or(0) : 0);
    const bool atEnd = embeds && place < 2 && chunk.layers > 1; // fewer leave none behind
    double& to = heads && !behind ? bytes.head : atEnd ? bytes.end : bytes.layers;
    to = std::max(to, moment);
  };
  const auto add = [&](double unit, std::uint64_t count) {
    // Of layers alike that follow one another three are enough.
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 3); ++i) {
      if (runs)
        run(unit), ++place;
      before = std::exchange(runs, unit);
    }
  };
  if (embeds)
    add(used(embeddingParameters(plan.model, division.vocab)), 1);
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers,
              [&](const LayerSpan& span) { add(layer(span.layerType), span.count); });
  if (chunk.predictionLayers > 0)
    add(used(predictionParameters(plan.model)), chunk.predictionLayers);
  if (heads)
    add(used(head(true)), 1);
  if (runs)
    run(std::nullopt);
  if (keepEndsGathered) { // scattered behind the pass, with gradients in the type of products until
                          // then
    const double ofHead = chunk.head ? used(head(true)) * ofParameter : 0;
    const double next = overlap.parameters && runs ? *runs * again : 0;
    bytes.layers += ofHead, bytes.head = ofHead + next;
    bytes.end = endsOf(chunk) * (ofParameter + ofGradient);
  }
  return bytes;
}
