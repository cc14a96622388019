//===- GatheredParameters.cpp - Units that FSDP gathers and scatters together -----------------===//
#include "cost/compute/GatheredParameters.h"
#include "cost/compute/LayerSpans.h"
#include "cost/compute/OptimizerRow.h"
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
      tracks(tracksUse(plan.layout)), ofParameter(activationBytes(plan.layout.precision.compute)),
      ofGradient(real(bitsOf(plan.layout.precision.reduce)) / 8) {}

GatheredParameters::Unit GatheredParameters::used(const ParameterCount& p,
                                                  const WeightUses& use) const {
  Unit unit;
  const auto add = [&](double elements, const WeightUse& of) {
    // Quantized weights are gathered as they are stored.
    const double packed = of.quantized * (1 - quantizedBits(plan.layout) / 8 / ofParameter);
    unit.gathered += elements + of.adapters - packed;
    unit.trained += elements + of.adapters - of.frozen;
  };
  if (dense)
    add(p.denseOn(division.tensor), use[0]);
  if (experts)
    add(p.expertsOn(division), use[1]);
  return unit;
}

GatheredParameters::Unit GatheredParameters::embedding() const {
  const ParameterCount p = embeddingParameters(plan.model, division.vocab);
  return used(p, tracks ? endUse(plan.layout, plan.model, ModelPart::Embedding, p, division)
                        : WeightUses());
}

/// The head, with or without the table that it shares with the embedding.
GatheredParameters::Unit GatheredParameters::head(bool withTable) const {
  const ParameterCount p = headParameters(plan.model, division.vocab);
  Unit unit = used(p, tracks ? endUse(plan.layout, plan.model, ModelPart::Head, p, division)
                             : WeightUses());
  if (!withTable || !plan.model.tiedEmbeddings || plan.model.isLayerList())
    return unit;
  ParameterCount table;
  table.dense = real(division.vocab) * real(plan.model.hidden);
  return unit +
         used(table, tracks ? endUse(plan.layout, plan.model, ModelPart::Embedding, table, division)
                            : WeightUses());
}

GatheredParameters::Unit GatheredParameters::layer(std::uint64_t layerType) const {
  const LayerType& c = plan.model.layerTypes[layerType];
  const ParameterCount p = parametersOf(plan.model, c);
  return used(p, tracks ? layerUse(plan.layout, plan.model, operatorsOf(plan.model, c, division), p,
                                   division)
                        : WeightUses());
}

GatheredParameters::Unit GatheredParameters::prediction() const {
  return used(predictionParameters(plan.model));
}

GatheredParameters::Unit GatheredParameters::endsOf(const Chunk& chunk) const {
  return (chunk.embedding ? embedding() : Unit()) +
         (chunk.head ? head(!plan.placement.firstAndLastShareRanks()) : Unit());
}

/// Bytes of the parameters that stay gathered: all of the chunk if they are not resharded,
/// otherwise those of the ends if the ends stay gathered.
double GatheredParameters::staying(const Chunk& chunk) const {
  if (!sharded || plan.layout.shard.reshard)
    return keepEndsGathered ? endsOf(chunk).gathered * ofParameter : 0;
  double all = endsOf(chunk).gathered;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    all += real(span.count) * layer(span.layerType).gathered;
  });
  if (chunk.predictionLayers > 0)
    all += real(chunk.predictionLayers) * prediction().gathered;
  return all * ofParameter;
}

/// If the ends are gathered first, they use a buffer of the all-gather stream. Other streams cannot
/// reuse it until the next layer has been gathered (wait_for_unshard in
/// torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py).
double GatheredParameters::writtenInPlace(const Chunk& chunk) const {
  if (!keepEndsGathered)
    return 0;
  double largest = 0;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    largest = std::max(largest, layer(span.layerType).gathered);
  });
  return (endsOf(chunk).gathered + largest) * ofParameter;
}

/// Counts the running unit's parameters and gradients in the compute type, the next unit's
/// parameters, and the previous unit's gradients in the reduce type, into which those of the
/// running unit are copied afterwards.
GatheredBytes GatheredParameters::of(const Chunk& chunk) const {
  GatheredBytes bytes;
  if (plan.layout.shard.stage() < 2)
    return bytes;
  bytes.persistent = staying(chunk), bytes.writtenInPlace = writtenInPlace(chunk);
  const double again = sharded && plan.layout.shard.reshard ? ofParameter : 0;
  const Overlap& overlap = plan.layout.overlap;
  const bool embeds = chunk.embedding && !keepEndsGathered, heads = chunk.head && !keepEndsGathered;
  // Visits units in the order of the network; each is counted when its successor is known.
  std::optional<Unit> before, runs;
  std::uint64_t place = 0; // index of the current unit
  const auto run = [&](std::optional<Unit> behind) {
    // A chunk of one unit gathers it for its next action.
    const double ahead = before ? before->gathered : behind ? 0 : runs->gathered;
    const double next = overlap.parameters ? ahead : 0, scattered = behind ? behind->trained : 0;
    const double moment = again * (runs->gathered + next) + ofParameter * runs->trained +
                          ofGradient * std::max(runs->trained, overlap.gradients ? scattered : 0);
    const bool atEnd = embeds && place < 2 && chunk.layers > 1; // with fewer layers none remain
    double& to = heads && !behind ? bytes.head : atEnd ? bytes.end : bytes.layers;
    to = std::max(to, moment);
  };
  const auto add = [&](const Unit& unit, std::uint64_t count) {
    // Three equal consecutive units give the same maximum as more.
    for (std::uint64_t i = 0; i < std::min<std::uint64_t>(count, 3); ++i) {
      if (runs)
        run(unit), ++place;
      before = std::exchange(runs, unit);
    }
  };
  if (embeds)
    add(embedding(), 1);
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers,
              [&](const LayerSpan& span) { add(layer(span.layerType), span.count); });
  if (chunk.predictionLayers > 0)
    add(prediction(), chunk.predictionLayers);
  if (heads)
    add(head(true), 1);
  if (runs)
    run(std::nullopt);
  // The gradients of the ends are reduce-scattered after the backward pass. Until then they have
  // the compute type.
  if (keepEndsGathered) {
    const double ofHead = chunk.head ? head(true).trained * ofParameter : 0;
    const double next = overlap.parameters && runs ? runs->gathered * again : 0;
    bytes.layers += ofHead, bytes.head = ofHead + next;
    bytes.end = endsOf(chunk).trained * (ofParameter + ofGradient);
  }
  return bytes;
}
