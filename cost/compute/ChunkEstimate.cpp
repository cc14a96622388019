//===- ChunkEstimate.cpp - Costs of a model chunk by module -----------------------------------===//
#include "cost/compute/ChunkEstimate.h"
#include "cost/compute/GatheredParameters.h"
#include "cost/compute/LayerSpans.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Temporary bytes of a layer: the gradient of its largest saved tensor, or the largest workspace
/// of an operator if that is larger.
double temporaryBytesOf(const std::vector<OperatorCost>& operators) {
  double largest = 0;
  for (const OperatorCost& op : operators)
    largest = std::max({largest, op.saved, op.temporary});
  return largest;
}

/// Adds `count` times `seconds`, each rounded to whole picoseconds. The sum is at most 2^63 ps.
void accumulate(std::uint64_t& sum, double count, double seconds) {
  const std::uint64_t each = toPicoseconds(seconds);
  sum =
      real(sum) + count * real(each) < 0x1p63 ? sum + whole(count) * each : std::uint64_t{1} << 63;
}

/// The number of first layers of a chunk whose saved activations are all offloaded.
std::uint64_t layersOffloaded(const Plan& plan, const Chunk& chunk) {
  return std::min(plan.layout.offloadSettings().layers, chunk.layers);
}
} // namespace

ChunkEstimate::ChunkEstimate(const Plan& plan, llvm::ArrayRef<RankNodeTypes> holders)
    : plan(plan), division(divisionOf(plan)), input(residualBytes(plan.model, division)),
      tracks(tracksUse(plan.layout)) {
  pacingDevicesOfRanks.reserve(holders.size()), rankLayerCosts.reserve(holders.size());
  for (const RankNodeTypes& ranks : holders) {
    pacingDevicesOfRanks.push_back(pacingDevices(plan, ranks));
    rankLayerCosts.push_back({pacingDevicesOfRanks.back(), {}});
    rankLayerCosts.back().layerTypes.reserve(plan.model.layerTypes.size());
  }
  for (const LayerType& c : plan.model.layerTypes) {
    const std::vector<OperatorCost> operators = operatorsOf(plan.model, c, division);
    const unsigned kept = residualPoints(plan.model, c, plan.layout.recompute);
    const Recompute& recompute = plan.layout.recompute;
    for (RankLayerCosts& on : rankLayerCosts) {
      LayerTypeCost& cost = on.layerTypes.emplace_back();
      cost.actions = sumOf(operators, on.devices, recompute, false);
      cost.saved = asExecuted(cost.actions);
      if (recompute.kind == RecomputeKind::Full)
        cost.recomputed = asExecuted(sumOf(operators, on.devices, recompute, true));
      cost.parameters = parametersOf(plan.model, c);
      if (tracks)
        cost.use = layerUse(plan.layout, plan.model, operators, cost.parameters, division);
      cost.residual = input * kept;
      cost.between = input * (residualPoints(plan.model, c, {}) - kept);
      cost.largest = temporaryBytesOf(operators);
    }
  }
  if (plan.model.predictionLayers > 0 && !plan.layout.recompute.offloaded.empty())
    for (RankLayerCosts& on : rankLayerCosts)
      on.predictionOffloaded =
          sumOf(predictionLayer(), on.devices, plan.layout.recompute, false).offloaded;
}

/// The times with the backward pass split or whole, as the schedule runs it.
OperatorSum ChunkEstimate::asExecuted(const OperatorSum& whole) const {
  const bool split = scheduleInfo(plan.layout.schedule).backward == BackwardSplit::Split;
  return split ? whole.split() : whole;
}

/// Layers with full recomputation. `uniform` saves one input per group of layers. `block`
/// recomputes the first layers of each chunk and saves activations of the rest. A group does not
/// cross chunks.
ChunkEstimate::RecomputedLayers ChunkEstimate::recomputed(const Chunk& chunk) const {
  const Recompute& r = plan.layout.recompute;
  if (r.kind != RecomputeKind::Full)
    return {};
  if (r.method == RecomputeMethod::Block)
    return {std::min(r.layers, chunk.layers), 1};
  return {chunk.layers, std::max<std::uint64_t>(1, std::min(r.layers, chunk.layers))};
}

bool ChunkEstimate::recomputesPrediction() const {
  const Recompute& r = plan.layout.recompute;
  return r.kind == RecomputeKind::Full && r.method == RecomputeMethod::Uniform;
}

/// Selective recomputation and policies recompute only the transformer layer of an MTP layer. Full
/// recomputation also recomputes the projection, but not the head (Megatron-Core at d98e8a64,
/// transformer/multi_token_prediction.py, MultiTokenPredictionLayer._checkpointed_forward).
std::vector<OperatorCost> ChunkEstimate::predictionLayer() const {
  const Model& m = plan.model;
  std::vector<OperatorCost> operators = operatorsOf(m, m.layer(m.layers() - 1), division);
  const auto add = [&](const std::vector<OperatorCost>& more, bool again) {
    for (const OperatorCost& op : more)
      operators.push_back(op), operators.back().recomputable = again;
  };
  add(predictionOperators(m, division), recomputesPrediction());
  add(headOperators(m, division), false);
  return operators;
}

std::vector<OperatorCost> ChunkEstimate::operators(const ChunkModule& module) const {
  switch (module.computeKind) {
  case ComputeKind::Layer:
    return operatorsOf(plan.model, plan.model.layerTypes[module.layerType], division);
  case ComputeKind::Embedding:
    return embeddingOperators(plan.model, division);
  case ComputeKind::Head:
    return headOperators(plan.model, division);
  case ComputeKind::Prediction:
    return predictionLayer();
  case ComputeKind::None:
  case ComputeKind::Recomputation: // this and the next kinds are of segments only
  case ComputeKind::Coding:
  case ComputeKind::Offload:
  case ComputeKind::Varying:
    return {};
  }
  return {};
}

ChunkModule& ChunkEstimate::add(std::vector<ChunkModule>& to, ComputeKind what, const char* word,
                                const ParameterCount& parameters, const RankLayerCosts& on) const {
  const bool layer = what == ComputeKind::Prediction;
  ChunkModule& module = to.emplace_back();
  module.computeKind = what;
  module.word = word;
  module.recomputed = layer && recomputesPrediction();
  const std::vector<OperatorCost> runs = operators(module);
  module.time = asExecuted(
      sumOf(runs, on.devices, layer ? plan.layout.recompute : Recompute(), module.recomputed));
  module.parameters = parameters.denseOn(division.tensor);
  module.expertParameters = parameters.expertsOn(division);
  module.saved = module.time.saved;
  module.temporary = temporaryBytesOf(runs) + module.time.restored;
  if (tracks)
    setUse(module,
           layer ? layerUse(plan.layout, plan.model, runs, parameters, division)
                 : endUse(plan.layout, plan.model,
                          what == ComputeKind::Embedding ? ModelPart::Embedding : ModelPart::Head,
                          parameters, division));
  return module;
}

void ChunkEstimate::setUse(ChunkModule& module, const WeightUses& use) const {
  module.use = use;
  module.parameters += use[0].adapters, module.expertParameters += use[1].adapters;
}

std::vector<ChunkModule> ChunkEstimate::modules(const Chunk& chunk) const {
  const Model& m = plan.model;
  std::vector<ChunkModule> out;
  out.reserve(2); // enough for most chunks
  const RankLayerCosts& on = rankLayerCostsOf(chunk);
  const RecomputedLayers full = recomputed(chunk);
  std::uint64_t left = full.layers;
  forEachSpan(m, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    const LayerTypeCost& c = on.layerTypes[span.layerType];
    const std::uint64_t again = std::min(left, span.count);
    left -= again;
    const double dense = c.parameters.denseOn(division.tensor);
    const double experts = c.parameters.expertsOn(division);
    const auto addLayers = [&](const char* word, std::uint64_t count, bool whole) {
      if (count == 0)
        return;
      ChunkModule& module = out.emplace_back();
      module.word = word, module.count = real(count);
      module.time = whole ? c.recomputed : c.saved;
      module.parameters = dense, module.expertParameters = experts;
      if (tracks)
        setUse(module, c.use);
      module.saved = whole ? 0 : c.saved.saved + c.residual;
      module.computeKind = ComputeKind::Layer, module.layerType = span.layerType,
      module.recomputed = whole;
    };
    addLayers("recomputed_layer", again, true);
    addLayers("layer", span.count - again, false);
  });
  if (full.layers > 0)
    out.push_back({"layer_input", real(ceilDiv(full.layers, full.group)), {}, 0, 0, input});
  if (const double away = offloaded(chunk); away > 0)
    out.push_back({"offloaded", 1, {}, 0, 0, -away});
  // Sent activations stay allocated with the micro-batch (torch/distributed/pipelining/stage.py,
  // fwd_cache). They count only in the first chunk: the input of any other chunk is in a receive
  // buffer, so that its first layer saves none, and this makes up for the sent activation.
  if (plan.layout.buffers.keepMessages && chunk.embedding && !chunk.head)
    out.push_back({"sent_activation", 1, {}, 0, 0, input});
  if (chunk.embedding)
    add(out, ComputeKind::Embedding, "embedding", embeddingParameters(m, division.vocab), on);
  if (chunk.head)
    add(out, ComputeKind::Head, "head", headParameters(m, division.vocab), on);
  if (chunk.predictionLayers > 0) {
    ChunkModule& module =
        add(out, ComputeKind::Prediction, "mtp_layer", predictionParameters(m), on);
    module.layerType = m.runs.back().layerType;
    module.count = real(chunk.predictionLayers);
    module.saved += 2 * input;
  }
  // A rank with the head but without the embedding has its own copy of tied embeddings.
  if (chunk.head && !plan.placement.firstAndLastShareRanks() && m.tiedEmbeddings &&
      !m.isLayerList()) {
    ParameterCount table;
    table.dense = real(division.vocab * m.hidden);
    out.push_back(
        {"tied_embedding", 1, {}, real(division.vocab / division.tensor * m.hidden), 0, 0});
    if (tracks)
      out.back().use = endUse(plan.layout, m, ModelPart::Embedding, table, division);
  }
  return out;
}

/// All saved activations of the first layers, if these are offloaded whole, and for the other
/// layers the tensors that a policy offloads.
double ChunkEstimate::offloaded(const Chunk& chunk) const {
  std::uint64_t left = layersOffloaded(plan, chunk);
  const Recompute& recompute = plan.layout.recompute;
  if (left == 0 && recompute.offloaded.empty())
    return 0;
  const RankLayerCosts& on = rankLayerCostsOf(chunk);
  const RecomputedLayers full = recomputed(chunk);
  std::uint64_t again = std::min(left, full.layers);
  double away = again > 0 ? real(ceilDiv(again, full.group)) * input : 0;
  const double inputs = recompute.offloads(SavedOperator::Input) ? input : 0;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    const LayerTypeCost& c = on.layerTypes[span.layerType];
    const std::uint64_t first = std::min(left, span.count), dropped = std::min(again, first);
    left -= first, again -= dropped;
    away += real(first - dropped) * (c.saved.saved + c.residual);
    away += real(span.count - first) * (c.saved.offloaded + inputs);
  });
  return away + real(chunk.predictionLayers) * on.predictionOffloaded;
}

/// When the backward pass begins, all layers are restored. The saved inputs of layers that were
/// recomputed whole are subtracted, because they already count as saved.
double ChunkEstimate::restored(const Chunk& chunk) const {
  const RankLayerCosts& on = rankLayerCostsOf(chunk);
  const RecomputedLayers full = recomputed(chunk);
  std::uint64_t left = full.layers;
  double back = -real(full.layers > 0 ? ceilDiv(full.layers, full.group) : 0) * input;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    const LayerTypeCost& c = on.layerTypes[span.layerType];
    const std::uint64_t again = std::min(left, span.count);
    left -= again;
    back += real(again) * (c.recomputed.restored + c.residual + c.between) +
            real(span.count - again) * (c.saved.restored + c.between);
  });
  return std::max(0.0, back);
}

/// Temporary bytes at the start of the chunk's backward pass, or at its end, when all gradients
/// exist and the activations of one layer remain. Unsharded units are counted separately at their
/// peak. This function counts the bytes by which temporaries and units together exceed that peak.
ChunkEstimate::LargestModule ChunkEstimate::temporary(const Chunk& chunk,
                                                      llvm::ArrayRef<ChunkModule> ofChunk,
                                                      double kept, double gradients,
                                                      bool regains) const {
  const RankLayerCosts& on = rankLayerCostsOf(chunk);
  const RecomputedLayers full = recomputed(chunk);
  std::uint64_t left = full.layers;
  LargestModule most;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    const LayerTypeCost& c = on.layerTypes[span.layerType];
    const std::uint64_t again = std::min(left, span.count);
    left -= again;
    const double dropped = !regains    ? 0
                           : again > 0 ? real(full.group) * c.recomputed.restored + c.residual
                                       : c.saved.restored + c.between;
    if (dropped + c.largest > most.bytes)
      most.bytes = dropped + c.largest, most.layerType = span.layerType;
  });
  const double live = most.bytes;
  const double gone = kept * (1 - 1 / real(std::max<std::uint64_t>(1, chunk.layers)));
  GatheredBytes units;
  if (plan.layout.shard.stage() >= 2)
    units = GatheredParameters(plan, division).of(chunk);
  most.bytes = live + units.layers;
  if (const double end = live + std::max(gradients + units.layers, units.end) - gone;
      end > most.bytes)
    most.bytes = end, most.atEnd = true;
  for (const ChunkModule& module : ofChunk)
    if (const double beside = module.temporary +
                              (module.computeKind == ComputeKind::Head ? units.head : units.layers);
        beside > most.bytes)
      most = {beside, module.computeKind, module.layerType, false};
  most.bytes = std::max(0.0, most.bytes - units.passing());
  return most;
}

double ChunkEstimate::gradientBytes(double parameters) const {
  const Buffers& buffers = plan.layout.buffers;
  return buffers.hasMicroBatchGradients ? parameters * real(bitsOf(buffers.microBatchGradients)) / 8
                                        : 0;
}

ChunkEstimate::LargestModule ChunkEstimate::largestModule(const Chunk& chunk) const {
  const std::vector<ChunkModule> ofChunk = modules(chunk);
  double kept = 0, parameters = 0;
  for (const ChunkModule& module : ofChunk) {
    kept += module.count * module.saved;
    parameters += module.count * (module.parameters + module.expertParameters -
                                  module.use[0].frozen - module.use[1].frozen);
  }
  const bool holds = holdsRestored(plan.layout.schedule, plan.layout.recompute) &&
                     !restoresBothWays(plan.layout.schedule, plan.layout.recompute);
  return temporary(chunk, ofChunk, kept + (holds ? restored(chunk) : 0), gradientBytes(parameters),
                   !holds);
}

double ChunkEstimate::forwardBytes(const Chunk& chunk) const {
  double largest = 0;
  for (const ChunkModule& module : modules(chunk))
    largest = std::max(largest, temporaryBytesOf(operators(module)));
  return largest;
}

std::string ChunkEstimate::largestOperator(const LargestModule& of) const {
  ChunkModule module;
  module.computeKind = of.computeKind, module.layerType = of.layerType;
  std::string name;
  double largest = 0;
  for (const OperatorCost& op : operators(module))
    if (const double bytes = std::max(op.saved, op.temporary); bytes > largest)
      largest = bytes, name = op.name;
  return name;
}

ChunkCost ChunkEstimate::of(const Chunk& chunk, llvm::ArrayRef<ChunkModule> ofChunk) const {
  ChunkCost cost = memoryOf(chunk, ofChunk);
  for (const ChunkModule& module : ofChunk) {
    const OperatorSum& time = module.time;
    // Each module is rounded to whole picoseconds, as its segments are.
    accumulate(cost.forward, module.count, time.forward);
    accumulate(cost.backwardInput, module.count, time.backwardInput);
    accumulate(cost.backwardWeight, module.count, time.backwardWeight);
    accumulate(cost.recompute, module.count, time.recompute);
    cost.forwardFlop += module.count * time.forwardFlop;
    cost.backwardFlop += module.count * time.backwardFlop;
    cost.recomputeFlop += module.count * time.recomputeFlop;
    cost.forwardBytes += module.count * time.forwardBytes;
    cost.backwardBytes += module.count * time.backwardBytes;
  }
  return cost;
}

ChunkCost ChunkEstimate::memoryOf(const Chunk& chunk, llvm::ArrayRef<ChunkModule> ofChunk) const {
  ChunkCost cost;
  double parameters = 0, expertParameters = 0, kept = 0;
  WeightUses uses;
  for (const ChunkModule& module : ofChunk) {
    parameters += module.count * module.parameters;
    expertParameters += module.count * module.expertParameters;
    kept += module.count * module.saved;
    for (unsigned i = 0; tracks && i < uses.size(); ++i)
      uses[i].add(module.use[i], module.count);
  }
  if (tracks)
    cost.use = {uses[0].rounded(), uses[1].rounded()};
  cost.rank = chunk.rank;
  cost.chunk = chunk.chunk;
  cost.parameters = whole(parameters);
  cost.expertParameters = whole(expertParameters);
  cost.activationBytes = whole(kept);
  const double gradients =
      gradientBytes(parameters + expertParameters - uses[0].frozen - uses[1].frozen);
  // Tensors that are restored for longer than an action are not part of its temporary memory.
  const ScheduleKind schedule = plan.layout.schedule;
  const Recompute& recompute = plan.layout.recompute;
  const bool holds = holdsRestored(schedule, recompute);
  const double back = holds ? restored(chunk) : 0;
  // One offloaded layer is being copied while another one runs.
  const double layers =
      real(recompute.offloaded.empty() ? layersOffloaded(plan, chunk) : chunk.layers);
  const double moving = layers > 0 ? offloaded(chunk) * std::min(1.0, 2 / layers) : 0;
  const double half = temporary(chunk, ofChunk, kept + back, gradients, !holds).bytes + moving;
  cost.splitTemporaryBytes = whole(half);
  cost.temporaryBytes = restoresBothWays(schedule, recompute)
                            ? whole(temporary(chunk, ofChunk, kept, gradients, true).bytes + moving)
                            : whole(half);
  cost.restoredBytes = whole(back);
  return cost;
}
