//===- ChunkBodies.cpp - The collectives and bodies of a chunk --------------------------------===//
#include "cost/bodies/ChunkBodies.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
using Segments = std::vector<Segment>;
using States = std::vector<StateCalls>;

void append(Segments& to, const Segments& more) { to.insert(to.end(), more.begin(), more.end()); }

/// Writes a body; a block that would be empty is none.
class BodyWriter {
public:
  BodyWriter(OperationKind kind) { body.kind = kind; }
  void block(std::uint64_t count, Segments segments) {
    if (count == 0 || segments.empty())
      return;
    if (count == 1 && !body.blocks.empty() && body.blocks.back().count == 1)
      append(body.blocks.back().segments, segments);
    else
      body.blocks.push_back({count, std::move(segments)});
  }
  Body body;
};

using Gather = std::optional<StateCalls::At> StateCalls::*;

/// What the first unit of a body needs: nothing of the body is beside it.
Segments firstGathers(const States& states, Gather gather, bool prefetch) {
  Segments out;
  Beside nothing;
  for (const StateCalls& state : states)
    if (const auto& at = state.*gather)
      out.push_back(dataCall(at->call, at->when, true, prefetch || at->prefetch, nothing));
  return out;
}
/// A unit with what the next one needs: beside it, or behind it where gathers block.
Segments withNext(const Segments& unit, const States& states, Gather gather, Beside& beside) {
  Segments before, after;
  for (const StateCalls& state : states)
    if (const auto& at = state.*gather) {
      (at->blocks ? after : before)
          .push_back(dataCall(at->call, at->when, at->blocks, at->prefetch, beside));
      if (!at->blocks)
        after.push_back(waitFor(at->call, at->when));
    }
  append(before, unit);
  append(before, after);
  return before;
}
/// The gradients of a unit leave.
Segments reductions(const States& states, Beside& beside) {
  Segments out;
  for (const StateCalls& state : states)
    for (const auto& at : {state.reduce, state.reduceReplicas})
      if (at)
        out.push_back(dataCall(at->call, at->when, at->blocks, false, beside));
  return out;
}
} // namespace

ChunkLowering::Units ChunkLowering::unitsOf(const Chunk& chunk, Calls& calls) const {
  Units units;
  for (const ChunkPart& part : estimate.parts(chunk)) {
    if (part.part == ComputePart::None)
      continue;
    std::vector<Unit>& to = part.part == ComputePart::Embedding ? units.before
                            : part.part == ComputePart::Layer   ? units.layers
                                                                : units.after;
    // Parts name the head before the prediction layers, which run before it.
    to.insert(part.part == ComputePart::Prediction ? to.begin() : to.end(),
              {layers.of(part, chunk.rank, calls), static_cast<std::uint64_t>(part.count)});
  }
  return units;
}

/// Each layer gathers for the one after it; the first of the body is gathered before.
Body ChunkLowering::forward(const Units& units, const States& state, double contention) const {
  BodyWriter out(OperationKind::Forward);
  out.block(1, firstGathers(state, &StateCalls::gather, false));
  for (const Unit& unit : units.before)
    out.block(unit.count, unit.segments.forward);
  for (std::size_t i = 0; i < units.layers.size(); ++i) {
    const Unit& unit = units.layers[i];
    const bool last = i + 1 == units.layers.size();
    Beside beside{contention, computation(unit.segments.forward)};
    out.block(unit.count - (last ? 1 : 0),
              withNext(unit.segments.forward, state, &StateCalls::gather, beside));
    if (last)
      out.block(1, unit.segments.forward);
  }
  for (const Unit& unit : units.after)
    out.block(unit.count, unit.segments.forward);
  return std::move(out.body);
}

Body ChunkLowering::reversed(OperationKind kind, std::vector<Segment> PassSegments::*pass,
                             const Units& units, const States& gathered, const States& reduced,
                             double contention) const {
  BodyWriter out(kind);
  // What the first unit needs may have come while others ran before.
  out.block(1, firstGathers(gathered, &StateCalls::gatherAgain, true));
  for (const Unit& unit : llvm::reverse(units.after))
    out.block(unit.count, unit.segments.*pass);
  for (std::size_t i = units.layers.size(); i-- > 0;) {
    const Segments& layer = units.layers[i].segments.*pass;
    Beside beside{contention, computation(layer)};
    Segments one = withNext(layer, gathered, &StateCalls::gatherAgain, beside);
    append(one, reductions(reduced, beside));
    out.block(units.layers[i].count - (i == 0 ? 1 : 0), std::move(one));
  }
  // The gradients of the first layer leave with those of the embedding.
  Segments end = units.layers.empty() ? Segments{} : units.layers.front().segments.*pass;
  for (const Unit& unit : units.before)
    append(end, unit.segments.*pass);
  Beside beside{contention, computation(end)};
  append(end, reductions(reduced, beside));
  out.block(1, std::move(end));
  return std::move(out.body);
}

std::uint64_t ChunkLowering::indexOf(Body body) {
  const auto found = llvm::find(plan.bodies, body);
  if (found != plan.bodies.end())
    return static_cast<std::uint64_t>(found - plan.bodies.begin());
  plan.bodies.push_back(std::move(body));
  return plan.bodies.size() - 1;
}

void ChunkLowering::lower(std::size_t index) {
  const Chunk& chunk = plan.chunks[index];
  Calls calls(plan, chunk);
  const Units units = unitsOf(chunk, calls);
  const States state = stateCalls(plan, index, calls);
  const double contention = layers.contentionOn(chunk.rank);
  const bool split = scheduleInfo(plan.layout.schedule).splitsBackward;
  std::vector<Body> bodies{forward(units, state, contention)};
  bodies.push_back(reversed(split ? OperationKind::BackwardInput : OperationKind::Backward,
                            &PassSegments::backward, units, state, split ? States{} : state,
                            contention));
  if (split)
    bodies.push_back(reversed(OperationKind::BackwardWeight, &PassSegments::weight, units, {},
                              state, contention));
  const std::uint64_t runs = plan.mesh.microBatches / plan.placement.directions();
  for (const Body& body : bodies)
    calls.count(body, runs);
  lowerEmbeddingGradient(chunk, calls);
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

/// A tied table has a copy on the first and on the last stage.
void ChunkLowering::lowerEmbeddingGradient(const Chunk& chunk, Calls& calls) const {
  const std::optional<std::uint64_t> ends = groupNamed(plan, "embedding");
  const Division d = divisionOf(plan);
  if (ends && plan.model.tiedEmbeddings && chunk.embedding != chunk.head)
    calls.atEnd(CollectiveKind::AllReduce, CollectivePurpose::EmbeddingGradient, *ends,
                real(d.vocab) / real(d.tensor) * real(plan.model.hidden) *
                    real(bitsOf(plan.layout.precision.reduce)) / 8,
                1);
}

/// The activations that a chunk sends on and the gradients that it sends back.
void ChunkLowering::lowerMessages(const Chunk& chunk, Calls& calls) const {
  const std::optional<std::uint64_t> pipeline = groupWith(plan, {Axis::Pipeline});
  if (!pipeline)
    return;
  const Placement::Place at{chunk.rank, chunk.chunk};
  const auto next = plan.placement.next(at), previous = plan.placement.previous(at);
  const double bytes = boundaryBytes(plan, divisionOf(plan));
  const double runs = real(plan.mesh.microBatches) / real(plan.placement.directions());
  for (const auto& to : {next, previous})
    if (to && to->rank != chunk.rank)
      calls.messages(*pipeline, bytes, runs, to->rank);
}

std::size_t dpl::cost::equalChunk(const Plan& plan, std::size_t index) {
  const Chunk& chunk = plan.chunks[index];
  const auto equal = [&](const Chunk& o) {
    if (o.layers != chunk.layers || o.predictionLayers != chunk.predictionLayers ||
        o.embedding != chunk.embedding || o.head != chunk.head ||
        plan.mesh.heldIndex(o.rank) != plan.mesh.heldIndex(chunk.rank))
      return false;
    for (std::uint64_t i = 0; plan.model.runs.size() > 1 && i < chunk.layers; ++i)
      if (&plan.model.layer(o.firstLayer + i) != &plan.model.layer(chunk.firstLayer + i))
        return false;
    return true;
  };
  return static_cast<std::size_t>(llvm::find_if(plan.chunks, equal) - plan.chunks.begin());
}

void dpl::cost::timePasses(Plan& plan) {
  std::vector<std::uint64_t> alone;
  for (const Body& body : plan.bodies)
    alone.push_back(timeOf(body, {}, [](std::uint64_t) { return true; }).alone());
  for (ChunkProgram& program : plan.programs) {
    program.forward = program.backward = 0;
    for (const std::uint64_t body : program.bodies)
      (plan.bodies[body].kind == OperationKind::Forward ? program.forward : program.backward) +=
          alone[body];
  }
}
