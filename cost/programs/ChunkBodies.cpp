//===- ChunkBodies.cpp - The collectives and bodies of a chunk --------------------------------===//
#include "cost/programs/ChunkBodies.h"
#include "cost/programs/BodyTime.h"
#include "cost/programs/MergedPass.h"
#include "cost/programs/OwnPasses.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Takes the segments of a pass into a body.
struct BodyWriter {
  void open(std::uint64_t count) {
    body.blocks.push_back({count, {}});
    body.blocks.back().segments.reserve(8); // as most layers have
  }
  void segment(const Segment& s) { body.blocks.back().segments.push_back(s); }
  void close() {}
  Body body;
};
/// What a chunk offloads crosses the host's link once in either pass.
std::uint64_t crossingOf(const Plan& plan, llvm::ArrayRef<ChunkPart> parts, const Chunk& chunk) {
  double bytes = 0;
  for (const ChunkPart& part : parts)
    bytes += part.part == ComputePart::None ? std::max(0.0, -part.kept) : 0; // it is elsewhere
  return toPicoseconds(bytes * 8 / real(hostLinkOf(plan, chunk.rank).bandwidth));
}

std::size_t hashOf(const Body& body) {
  llvm::hash_code hash = llvm::hash_value(body.kind);
  for (const Block& block : body.blocks) {
    hash = llvm::hash_combine(hash, block.count, block.segments.size());
    for (const Segment& segment : block.segments)
      hash = llvm::hash_combine(hash, segment.kind, segment.called(), segment.time);
  }
  return hash;
}
} // namespace

Units dpl::cost::unitsOf(const Plan& plan, llvm::ArrayRef<ChunkPart> parts,
                         const LayerLowering& layers, const Chunk& chunk, Calls& calls,
                         llvm::function_ref<PassSegments(const ChunkPart&)> segmentsOf) {
  Units units;
  const GatheredMessages gathered = gatheredMessages(plan, chunk);
  if (gathered.activations)
    units.before.push_back({layers.of({.activations = true}, calls)});
  for (const ChunkPart& part : parts) {
    if (part.part == ComputePart::None)
      continue;
    std::vector<Unit>& to = part.part == ComputePart::Embedding ? units.before
                            : part.part == ComputePart::Layer   ? units.layers
                                                                : units.after;
    // Parts name the head before the prediction layers, which run before it.
    to.insert(part.part == ComputePart::Prediction ? to.begin() : to.end(),
              {segmentsOf(part), static_cast<std::uint64_t>(part.count)});
  }
  if (plan.layout.offloads())
    units.crossing = crossingOf(plan, parts, chunk);
  if (gathered.gradients)
    units.after.push_back({layers.of({.gradients = true}, calls)});
  return units;
}

std::uint64_t ChunkLowering::indexOf(Body body) {
  const std::size_t hash = hashOf(body);
  for (auto [same, end] = known.equal_range(hash); same != end; ++same)
    if (plan.bodies[same->second] == body)
      return same->second;
  known.emplace(hash, plan.bodies.size());
  plan.bodies.push_back(std::move(body));
  return plan.bodies.size() - 1;
}

void ChunkLowering::lower(std::size_t index) {
  const Chunk& chunk = plan.chunks[index];
  Calls calls(plan, chunk);
  const Units units =
      unitsOf(plan, estimate.parts(chunk), layers, chunk, calls,
              [&](const ChunkPart& part) { return layers.of(part, chunk.rank, calls); });
  const auto state = stateCalls(plan, chunk, plan.costs[index], groups, calls);
  const auto written = [&](OperationKind kind, auto&& write) {
    BodyWriter body{{kind, {}}};
    PassWriter<BodyWriter> writer(body, units, state, layers.contentionOn(chunk.rank));
    write(writer);
    return std::move(body.body);
  };
  std::vector<Body> bodies{written(OperationKind::Forward, [](auto& w) { w.forward(); })};
  const BackwardPasses passes = scheduleInfo(plan.layout.schedule).backward;
  const auto whole = [&](auto segments) {
    bodies.push_back(
        written(OperationKind::Backward, [&](auto& w) { w.reversed(segments, true, true); }));
  };
  if (passes == BackwardPasses::Whole)
    whole(&PassSegments::backward);
  if (passes == BackwardPasses::Mixed)
    whole(&PassSegments::whole);
  if (passes != BackwardPasses::Whole) {
    bodies.push_back(written(OperationKind::BackwardInput,
                             [](auto& w) { w.reversed(&PassSegments::backward, true, false); }));
    bodies.push_back(written(OperationKind::BackwardWeight,
                             [](auto& w) { w.reversed(&PassSegments::weight, false, true); }));
  }
  if (plan.layout.recompute.inAdvance)
    bodies.push_back(written(OperationKind::Recomputation, [](auto& w) { w.recomputed(); }));
  // A whole backward pass calls what its two halves do, and a micro-batch has the one or the
  // others.
  for (const Body& body : bodies)
    if (passes != BackwardPasses::Mixed || body.kind != OperationKind::Backward)
      calls.count(body, plan.microBatchesOfChunk());
  embeddingGradient(plan, chunk, calls);
  lowerMessages(chunk, calls);

  ChunkProgram program{chunk.rank, chunk.chunk, plan.collectives.size(), calls.all.size(), {}};
  llvm::move(calls.all, std::back_inserter(plan.collectives));
  for (Body& body : bodies)
    program.bodies.push_back(indexOf(std::move(body)));
  plan.programs.push_back(std::move(program));
}

void ChunkLowering::repeat(std::size_t index, std::size_t earlier) {
  const Chunk& chunk = plan.chunks[index];
  ChunkProgram program = plan.programs[earlier];
  const std::uint64_t from = program.firstCollective, end = from + program.collectives;
  program.rank = chunk.rank, program.chunk = chunk.chunk;
  program.firstCollective = plan.collectives.size();
  for (std::uint64_t i = from; i < end; ++i)
    if (plan.collectives[i].kind != CollectiveKind::SendReceive) {
      Collective copy = plan.collectives[i];
      copy.rank = chunk.rank, copy.chunk = chunk.chunk;
      plan.collectives.push_back(std::move(copy));
    }
  Calls calls(plan, chunk); // where it sends to depends on its place
  lowerMessages(chunk, calls);
  llvm::move(calls.all, std::back_inserter(plan.collectives));
  program.collectives = plan.collectives.size() - program.firstCollective;
  plan.programs.push_back(std::move(program));
}

void ChunkLowering::mergePairs() {
  if (!mergesPairs(plan))
    return;
  const MicroBatchCosts costs(plan.layout.microBatchCosts);
  WrittenPass merged;
  for (ChunkProgram& program : plan.programs) {
    const auto blocksOf = [&](const ChunkProgram& of, OperationKind kind) {
      return llvm::makeArrayRef(plan.bodies[*bodyOf(plan, of, kind)].blocks);
    };
    merge(blocksOf(program, OperationKind::Forward),
          blocksOf(pairedWith(plan, program), OperationKind::Backward),
          layers.contentionOn(program.rank), costs, merged);
    program.bodies.push_back(
        indexOf({OperationKind::PairedForward, {merged.blocks().begin(), merged.blocks().end()}}));
  }
  for (Collective& c : plan.collectives)
    c.overlapped = c.overlapped || c.purpose == CollectivePurpose::ExpertTokens;
}

/// The activations that a chunk sends on and the gradients that it sends back.
void ChunkLowering::lowerMessages(const Chunk& chunk, Calls& calls) {
  if (!pipeline)
    return;
  const Placement::Place at{chunk.rank, chunk.chunk};
  const auto next = plan.placement.next(at), previous = plan.placement.previous(at);
  const double runs = real(plan.microBatchesOfChunk());
  for (const auto& to : {next, previous})
    if (to && to->rank != chunk.rank)
      calls.messages(*pipeline, boundary, runs, messageBetween(chunk.rank, to->rank));
}

const CollectiveCost& ChunkLowering::messageBetween(std::uint64_t from, std::uint64_t to) {
  const MessageKind kind = messageKind(plan, from, to);
  for (const auto& [of, cost] : messages)
    if (of == kind)
      return cost;
  return messages.emplace_back(kind, messageCost(plan, boundary, from, to)).second;
}

EqualChunks::EqualChunks(const Plan& plan)
    : plan(plan), copies(plan.placement.directions() > 1), mixed(plan.mesh.held.size() > 1),
      gathers(plan.layout.shard.scattersMessages(plan.mesh.size(Axis::Tensor))) {
  for (const LayerRun& run : plan.model.runs)
    ends.push_back((ends.empty() ? 0 : ends.back()) + run.count);
}

std::uint64_t EqualChunks::classOf(std::uint64_t layer) const {
  const auto run = static_cast<std::size_t>(llvm::upper_bound(ends, layer) - ends.begin());
  return plan.model.runs[run].layerClass;
}

bool EqualChunks::equal(const Chunk& a, const Chunk& b) const {
  const auto alike = [&](std::uint64_t one, std::uint64_t other) {
    return !mixed || plan.mesh.heldIndex(one) == plan.mesh.heldIndex(other);
  };
  const std::uint64_t last = plan.placement.ranks - 1;
  if (a.layers != b.layers || a.predictionLayers != b.predictionLayers ||
      a.embedding != b.embedding || a.head != b.head || !alike(a.rank, b.rank) ||
      (copies && !alike(last - a.rank, last - b.rank)) ||
      (gathers && gatheredMessages(plan, a) != gatheredMessages(plan, b)))
    return false;
  for (std::uint64_t i = 0; ends.size() > 1 && i < a.layers; ++i)
    if (classOf(a.firstLayer + i) != classOf(b.firstLayer + i))
      return false;
  return true;
}

std::size_t EqualChunks::firstOf(std::size_t chunk) {
  for (const std::size_t first : llvm::reverse(firsts)) // the newest kind goes on most often
    if (equal(plan.chunks[first], plan.chunks[chunk]))
      return first;
  firsts.push_back(chunk);
  return chunk;
}

void dpl::cost::lowerChunks(Plan& plan, const ChunkEstimate& estimate) {
  plan.collectives.clear(), plan.bodies.clear(), plan.programs.clear();
  const LayerLowering layers(plan, estimate);
  ChunkLowering lowering(plan, estimate, layers);
  EqualChunks chunks(plan);
  for (std::size_t i = 0; i < plan.chunks.size(); ++i)
    if (const std::size_t equal = chunks.firstOf(i); equal < i)
      lowering.repeat(i, equal);
    else
      lowering.lower(i);
  lowering.mergePairs();
}

void dpl::cost::timePasses(Plan& plan) {
  std::vector<std::uint64_t> alone;
  for (const Body& body : plan.bodies)
    alone.push_back(timeOf(body, {}, [](const Segment&) { return true; }).alone());
  for (ChunkProgram& program : plan.programs) {
    program.forward = program.backward = 0;
    visitOwnPasses(plan, program, [&](std::uint64_t body) {
      const bool forward = plan.bodies[body].kind == OperationKind::Forward;
      (forward ? program.forward : program.backward) += alone[body];
    });
  }
}
