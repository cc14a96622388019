//===- ChunkEstimate.cpp - What a chunk of the model costs, part by part ----------------------===//
#include "cost/compute/ChunkEstimate.h"
#include "cost/compute/GatheredUnits.h"
#include "cost/compute/LayerSpans.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Bytes beside what is kept: the gradient of the largest kept tensor while the layer runs
/// backward, or what an operator needs for itself.
double besideKept(const std::vector<OperatorCost>& operators) {
  double largest = 0;
  for (const OperatorCost& op : operators)
    largest = std::max({largest, op.saved, op.working});
  return largest;
}

/// `count` times so many seconds, each in whole picoseconds; like one of them, at most 2^63 ps.
void accumulate(std::uint64_t& sum, double count, double seconds) {
  const std::uint64_t each = toPicoseconds(seconds);
  sum =
      real(sum) + count * real(each) < 0x1p63 ? sum + whole(count) * each : std::uint64_t{1} << 63;
}

/// What a figure's path can hold in brackets: the name of the class where it is one of its own.
std::string bracketed(const Model& m, std::size_t i) {
  const std::string& name = m.classes[i].name;
  const auto same = [&](const LayerClass& other) { return other.name == name; };
  const bool own = !name.empty() && name.find_first_of("[]") == std::string::npos &&
                   llvm::count_if(m.classes, same) < 2;
  return "[" + (own ? name : std::to_string(i)) + "]";
}

/// ".rank[2]" on pipeline ranks from 2 on that other classes of nodes hold in the plan than rank 0.
std::string suffixOf(const Plan& plan, const Chunk& chunk) {
  const HeldRanks& ranks = plan.mesh.held[plan.mesh.heldIndex(chunk.rank)];
  return ranks.classes == plan.mesh.held.front().classes ? ""
                                                         : fmt::format(".rank[{}]", ranks.first);
}

/// The first layers of a chunk, of which all that they keep is in the host's memory.
std::uint64_t layersAway(const Plan& plan, const Chunk& chunk) {
  return std::min(plan.layout.away().layers, chunk.layers);
}
} // namespace

ChunkEstimate::ChunkEstimate(const Plan& plan, llvm::ArrayRef<HeldRanks> holders)
    : plan(plan), division(divisionOf(plan)), input(residualBytes(plan.model, division)) {
  pacing.reserve(holders.size()), held.reserve(holders.size());
  for (const HeldRanks& ranks : holders) {
    pacing.push_back(pacingDevices(plan, ranks));
    held.push_back({pacing.back(), {}});
    held.back().classes.reserve(plan.model.classes.size());
  }
  for (const LayerClass& c : plan.model.classes) {
    const std::vector<OperatorCost> operators = operatorsOf(plan.model, c, division);
    const unsigned kept = residualPoints(plan.model, c, plan.layout.recompute);
    const Recompute& recompute = plan.layout.recompute;
    for (Held& on : held) {
      ClassCost& cost = on.classes.emplace_back();
      cost.passes = sumOf(operators, on.devices, recompute, false);
      cost.kept = asItRuns(cost.passes);
      if (recompute.kind == RecomputeKind::Full)
        cost.recomputed = asItRuns(sumOf(operators, on.devices, recompute, true));
      cost.parameters = parametersOf(plan.model, c);
      cost.residual = input * kept;
      cost.between = input * (residualPoints(plan.model, c, {}) - kept);
      cost.largest = besideKept(operators);
    }
  }
  if (plan.model.predictionLayers > 0 && !plan.layout.recompute.offloaded.empty())
    for (Held& on : held)
      on.predictionAway = sumOf(predictionLayer(), on.devices, plan.layout.recompute, false).away;
}

/// As the passes of the schedule take it; where some of them give both gradients, as those do.
OperatorSum ChunkEstimate::asItRuns(const OperatorSum& whole) const {
  const bool split = scheduleInfo(plan.layout.schedule).backward == BackwardPasses::Split;
  return split ? whole.split() : whole;
}

/// Of a full recomputation: uniform keeps one input a group of layers, block recomputes the first
/// layers of each chunk and keeps the rest. A chunk ends its last group.
ChunkEstimate::Recomputed ChunkEstimate::recomputed(const Chunk& chunk) const {
  const Recompute& r = plan.layout.recompute;
  if (r.kind != RecomputeKind::Full)
    return {};
  if (r.method == RecomputeMethod::Block)
    return {std::min(r.layers, chunk.layers), 1};
  return {chunk.layers, std::max<std::uint64_t>(1, std::min(r.layers, chunk.layers))};
}

bool ChunkEstimate::predictsAgain() const {
  const Recompute& r = plan.layout.recompute;
  return r.kind == RecomputeKind::Full && r.method == RecomputeMethod::Uniform;
}

/// Of choices by module or operator its layer runs again; recomputed whole, what joins it too, but
/// not its head (Megatron-Core at d98e8a64, transformer/multi_token_prediction.py,
/// MultiTokenPredictionLayer._checkpointed_forward).
std::vector<OperatorCost> ChunkEstimate::predictionLayer() const {
  const Model& m = plan.model;
  std::vector<OperatorCost> operators = operatorsOf(m, m.layer(m.layers() - 1), division);
  const auto add = [&](const std::vector<OperatorCost>& more, bool again) {
    for (const OperatorCost& op : more)
      operators.push_back(op), operators.back().again = again;
  };
  add(predictionOperators(m, division), predictsAgain());
  add(headOperators(m, division), false);
  return operators;
}

std::vector<OperatorCost> ChunkEstimate::operators(const ChunkPart& part) const {
  switch (part.part) {
  case ComputePart::Layer:
    return operatorsOf(plan.model, plan.model.classes[part.layerClass], division);
  case ComputePart::Embedding:
    return embeddingOperators(plan.model, division);
  case ComputePart::Head:
    return headOperators(plan.model, division);
  case ComputePart::Prediction:
    return predictionLayer();
  case ComputePart::None:
  case ComputePart::Recomputation: // of segments of a pass, never of a part
  case ComputePart::Coding:
  case ComputePart::Offload:
  case ComputePart::Drawn:
    return {};
  }
  return {};
}

ChunkPart& ChunkEstimate::add(std::vector<ChunkPart>& to, ComputePart what, const char* word,
                              const ParameterCount& parameters, const Held& on) const {
  const bool layer = what == ComputePart::Prediction;
  ChunkPart& part = to.emplace_back();
  part.part = what;
  part.word = word;
  part.recomputed = layer && predictsAgain();
  const std::vector<OperatorCost> runs = operators(part);
  part.time = asItRuns(
      sumOf(runs, on.devices, layer ? plan.layout.recompute : Recompute(), part.recomputed));
  part.parameters = parameters.denseOn(division.tensor);
  part.expertParameters = parameters.expertsOn(division);
  part.kept = part.time.saved;
  part.beside = besideKept(runs) + part.time.dropped;
  return part;
}

std::vector<ChunkPart> ChunkEstimate::parts(const Chunk& chunk) const {
  const Model& m = plan.model;
  std::vector<ChunkPart> out;
  out.reserve(2); // as most chunks have at most
  const Held& on = heldBy(chunk);
  const Recomputed full = recomputed(chunk);
  std::uint64_t left = full.layers;
  forEachSpan(m, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    const ClassCost& c = on.classes[span.layerClass];
    const std::uint64_t again = std::min(left, span.count);
    left -= again;
    const double dense = c.parameters.denseOn(division.tensor);
    const double experts = c.parameters.expertsOn(division);
    const auto addLayers = [&](const char* word, std::uint64_t count, bool whole) {
      if (count == 0)
        return;
      ChunkPart& part = out.emplace_back();
      part.word = word, part.count = real(count);
      part.time = whole ? c.recomputed : c.kept;
      part.parameters = dense, part.expertParameters = experts;
      part.kept = whole ? 0 : c.kept.saved + c.residual;
      part.part = ComputePart::Layer, part.layerClass = span.layerClass, part.recomputed = whole;
    };
    addLayers("recomputed_layer", again, true);
    addLayers("layer", span.count - again, false);
  });
  if (full.layers > 0)
    out.push_back({"layer_input", real(ceilDiv(full.layers, full.group)), {}, 0, 0, input});
  if (const double away = offloaded(chunk); away > 0)
    out.push_back({"offloaded", 1, {}, 0, 0, -away});
  // What was sent stays with the micro-batch (torch/distributed/pipelining/stage.py, fwd_cache). A
  // chunk that receives has its input, which its first layer keeps, in a buffer: one for the other.
  if (plan.layout.buffers.keepMessages && chunk.embedding && !chunk.head)
    out.push_back({"sent_activation", 1, {}, 0, 0, input});
  if (chunk.embedding)
    add(out, ComputePart::Embedding, "embedding", embeddingParameters(m, division.vocab), on);
  if (chunk.head)
    add(out, ComputePart::Head, "head", headParameters(m, division.vocab), on);
  if (chunk.predictionLayers > 0) {
    ChunkPart& part = add(out, ComputePart::Prediction, "mtp_layer", predictionParameters(m), on);
    part.layerClass = m.runs.back().layerClass;
    part.count = real(chunk.predictionLayers);
    part.kept += 2 * input;
  }
  // A rank that has the head but not the embedding keeps its own copy of a tied table.
  if (chunk.head && !plan.placement.endsMeet() && m.tiedEmbeddings && !m.isLayerList())
    out.push_back(
        {"tied_embedding", 1, {}, real(division.vocab / division.tensor * m.hidden), 0, 0});
  return out;
}

/// What the first layers of a chunk keep, where that is in the host's memory, and of the others
/// what a policy puts there.
double ChunkEstimate::offloaded(const Chunk& chunk) const {
  std::uint64_t left = layersAway(plan, chunk);
  const Recompute& recompute = plan.layout.recompute;
  if (left == 0 && recompute.offloaded.empty())
    return 0;
  const Held& on = heldBy(chunk);
  const Recomputed full = recomputed(chunk);
  std::uint64_t again = std::min(left, full.layers);
  double away = again > 0 ? real(ceilDiv(again, full.group)) * input : 0;
  const double inputs = recompute.offloads(SavedOperator::Input) ? input : 0;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    const ClassCost& c = on.classes[span.layerClass];
    const std::uint64_t first = std::min(left, span.count), dropped = std::min(again, first);
    left -= first, again -= dropped;
    away += real(first - dropped) * (c.kept.saved + c.residual);
    away += real(span.count - first) * (c.kept.away + inputs);
  });
  return away + real(chunk.predictionLayers) * on.predictionAway;
}

/// All layers are whole again when the backward pass begins, beside the inputs that were kept of
/// those that were recomputed whole.
double ChunkEstimate::restored(const Chunk& chunk) const {
  const Held& on = heldBy(chunk);
  const Recomputed full = recomputed(chunk);
  std::uint64_t left = full.layers;
  double back = -real(full.layers > 0 ? ceilDiv(full.layers, full.group) : 0) * input;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    const ClassCost& c = on.classes[span.layerClass];
    const std::uint64_t again = std::min(left, span.count);
    left -= again;
    back += real(again) * (c.recomputed.dropped + c.residual + c.between) +
            real(span.count - again) * (c.kept.dropped + c.between);
  });
  return std::max(0.0, back);
}

/// Bytes beside what is kept while the chunk runs: at the start of its backward pass, or at its
/// end, where gradients that are summed later are all there and one layer is still kept. Units of
/// sharded parameters and gradients are counted on their own, as many as there ever are; here is
/// what the work takes beside them where both are most.
ChunkEstimate::Fullest ChunkEstimate::working(const Chunk& chunk, llvm::ArrayRef<ChunkPart> ofChunk,
                                              double kept, double gradients, bool regains) const {
  const Held& on = heldBy(chunk);
  const Recomputed full = recomputed(chunk);
  std::uint64_t left = full.layers;
  Fullest most;
  forEachSpan(plan.model, chunk.firstLayer, chunk.layers, [&](const LayerSpan& span) {
    const ClassCost& c = on.classes[span.layerClass];
    const std::uint64_t again = std::min(left, span.count);
    left -= again;
    const double dropped = !regains    ? 0
                           : again > 0 ? real(full.group) * c.recomputed.dropped + c.residual
                                       : c.kept.dropped + c.between;
    if (dropped + c.largest > most.bytes)
      most.bytes = dropped + c.largest, most.layerClass = span.layerClass;
  });
  const double live = most.bytes;
  const double gone = kept * (1 - 1 / real(std::max<std::uint64_t>(1, chunk.layers)));
  GatheredBytes units;
  if (plan.layout.shard.stage() >= 2)
    units = GatheredUnits(plan, division).of(chunk);
  most.bytes = live + units.layers;
  if (const double end = live + std::max(gradients + units.layers, units.end) - gone;
      end > most.bytes)
    most.bytes = end, most.atEnd = true;
  for (const ChunkPart& part : ofChunk)
    if (const double beside =
            part.beside + (part.part == ComputePart::Head ? units.head : units.layers);
        beside > most.bytes)
      most = {beside, part.part, part.layerClass, false};
  most.bytes = std::max(0.0, most.bytes - units.passing());
  return most;
}

double ChunkEstimate::gradientBytes(double parameters) const {
  const Buffers& buffers = plan.layout.buffers;
  return buffers.hasPassGradients ? parameters * real(bitsOf(buffers.passGradients)) / 8 : 0;
}

ChunkEstimate::Fullest ChunkEstimate::fullest(const Chunk& chunk) const {
  const std::vector<ChunkPart> ofChunk = parts(chunk);
  double kept = 0, parameters = 0;
  for (const ChunkPart& part : ofChunk) {
    kept += part.count * part.kept;
    parameters += part.count * (part.parameters + part.expertParameters);
  }
  const bool holds = holdsRestored(plan.layout.schedule, plan.layout.recompute) &&
                     !restoresBothWays(plan.layout.schedule, plan.layout.recompute);
  return working(chunk, ofChunk, kept + (holds ? restored(chunk) : 0), gradientBytes(parameters),
                 !holds);
}

double ChunkEstimate::forwardBytes(const Chunk& chunk) const {
  double largest = 0;
  for (const ChunkPart& part : parts(chunk))
    largest = std::max(largest, besideKept(operators(part)));
  return largest;
}

std::string ChunkEstimate::largestOperator(const Fullest& of) const {
  ChunkPart part;
  part.part = of.part, part.layerClass = of.layerClass;
  std::string name;
  double largest = 0;
  for (const OperatorCost& op : operators(part))
    if (const double bytes = std::max(op.saved, op.working); bytes > largest)
      largest = bytes, name = op.name;
  return name;
}

std::string ChunkEstimate::nameOf(const Chunk& chunk, const Fullest& of) const {
  switch (of.part) {
  case ComputePart::Embedding:
    return "embedding";
  case ComputePart::Head:
    return "head";
  case ComputePart::Prediction:
    return "mtp_layer";
  default:
    return "layer" + bracketed(plan.model, of.layerClass) + suffixOf(plan, chunk);
  }
}

std::string ChunkEstimate::nameOf(const Chunk& chunk, const ChunkPart& part) const {
  if (part.part == ComputePart::None)
    return part.word;
  const bool layer = part.part == ComputePart::Layer;
  return part.word + (layer ? bracketed(plan.model, part.layerClass) : "") + suffixOf(plan, chunk);
}

ChunkCost ChunkEstimate::of(const Chunk& chunk, llvm::ArrayRef<ChunkPart> ofChunk) const {
  ChunkCost cost = heldOf(chunk, ofChunk);
  for (const ChunkPart& part : ofChunk) {
    const OperatorSum& time = part.time;
    // Of each part whole picoseconds, as its segments have them.
    accumulate(cost.forward, part.count, time.forward);
    accumulate(cost.backwardInput, part.count, time.backwardInput);
    accumulate(cost.backwardWeight, part.count, time.backwardWeight);
    accumulate(cost.recompute, part.count, time.recompute);
    cost.forwardFlop += part.count * time.forwardFlop;
    cost.backwardFlop += part.count * time.backwardFlop;
    cost.recomputeFlop += part.count * time.recomputeFlop;
    cost.forwardBytes += part.count * time.forwardBytes;
    cost.backwardBytes += part.count * time.backwardBytes;
  }
  return cost;
}

ChunkCost ChunkEstimate::heldOf(const Chunk& chunk, llvm::ArrayRef<ChunkPart> ofChunk) const {
  ChunkCost cost;
  double parameters = 0, expertParameters = 0, kept = 0;
  for (const ChunkPart& part : ofChunk) {
    parameters += part.count * part.parameters;
    expertParameters += part.count * part.expertParameters;
    kept += part.count * part.kept;
  }
  cost.rank = chunk.rank;
  cost.chunk = chunk.chunk;
  cost.parameters = whole(parameters);
  cost.expertParameters = whole(expertParameters);
  cost.activationBytes = whole(kept);
  const double gradients = gradientBytes(parameters + expertParameters);
  // What comes back for longer than a pass is no part of what the pass works with.
  const ScheduleKind schedule = plan.layout.schedule;
  const Recompute& recompute = plan.layout.recompute;
  const bool holds = holdsRestored(schedule, recompute);
  const double back = holds ? restored(chunk) : 0;
  // Of what is offloaded a layer leaves or comes, and one runs.
  const double layers = real(recompute.offloaded.empty() ? layersAway(plan, chunk) : chunk.layers);
  const double moving = layers > 0 ? offloaded(chunk) * std::min(1.0, 2 / layers) : 0;
  const double half = working(chunk, ofChunk, kept + back, gradients, !holds).bytes + moving;
  cost.halfWorkingBytes = whole(half);
  cost.workingBytes = restoresBothWays(schedule, recompute)
                          ? whole(working(chunk, ofChunk, kept, gradients, true).bytes + moving)
                          : whole(half);
  cost.restoredBytes = whole(back);
  return cost;
}
