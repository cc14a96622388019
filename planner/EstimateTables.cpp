//===- EstimateTables.cpp - What many layouts of one plan share -------------------------------===//
#include "planner/EstimateTables.h"
#include "cost/network/HeldLinks.h"
#include "cost/partition/SplitRun.h"
#include "ir/Arithmetic.h"
#include "ir/FilledFields.h"
#include "passes/BuildGroups.h"
#include "passes/Passes.h"
#include "planner/MeshSpace.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;

namespace {
/// Behind the calls of the layers, whose number is small.
constexpr std::uint64_t firstStateCall = 500'000;

/// Times the calls of a chunk's state.
class TimedCalls final : public CallMaker {
public:
  TimedCalls(const ir::Plan& plan, const ir::Chunk& chunk, StateTimes& times)
      : plan(plan), chunk(chunk), times(times) {}

  Call call(ir::CollectiveKind kind, ir::CollectivePurpose purpose, std::uint64_t group,
            double bytes) override {
    const std::uint64_t size = ir::whole(bytes);
    const auto same = llvm::find_if(
        made, [&](const Made& m) { return m.kind == kind && m.group == group && m.bytes == size; });
    if (same != made.end())
      return same->call;
    const Call call{firstStateCall + made.size(), timeOf(kind, purpose, group, bytes)};
    made.push_back({kind, group, size, call});
    return call;
  }
  void atEnd(ir::CollectiveKind kind, ir::CollectivePurpose purpose, std::uint64_t group,
             double bytes, double count) override {
    const bool gathers = purpose == ir::CollectivePurpose::ParameterGather;
    (gathers ? times.gathers : times.reductions) +=
        std::max(timeOf(kind, purpose, group, bytes), checksOf(plan, group)) * ir::whole(count);
  }

private:
  struct Made {
    ir::CollectiveKind kind;
    std::uint64_t group, bytes;
    Call call;
  };
  std::uint64_t timeOf(ir::CollectiveKind kind, ir::CollectivePurpose purpose, std::uint64_t group,
                       double bytes) const {
    const ir::Group& g = plan.groups[group];
    return ir::toPicoseconds(
        collectiveCost(kind, bytes, cost::shapeOf(g), levelsFor(plan, purpose, g, chunk.rank))
            .seconds);
  }
  const ir::Plan& plan;
  const ir::Chunk& chunk;
  StateTimes& times;
  llvm::SmallVector<Made, 4> made;
};

double aloneIn(const std::vector<ir::Segment>& segments) {
  const auto takes = [](const ir::Segment&) { return true; };
  BodyClock clock({}, takes);
  clock.open(1);
  for (const ir::Segment& segment : segments)
    clock.segment(segment);
  clock.close();
  return ir::real(clock.time().alone());
}

PassTotals totalsOf(const PassSegments& segments) {
  return {aloneIn(segments.forward), aloneIn(segments.backward)};
}
} // namespace

LayerCalls::LayerCalls(llvm::ArrayRef<StateCalls> state) {
  const auto add = [&](const std::optional<StateCalls::At>& at, double& every, double& once) {
    if (!at)
      return;
    (at->when == ir::When::Every ? every : once) += ir::real(at->time());
    blocks = blocks || at->blocks, prefetch = prefetch || at->prefetch;
  };
  double never = 0;
  for (const StateCalls& calls : state) {
    add(calls.gather, gather, gatherFirst);
    add(calls.gatherAgain, gatherAgain, never);
    add(calls.reduce.shares, reduce, reduceLast);
    add(calls.reduce.replicas, reduce, reduceLast);
    joined = joined || calls.layers > 1;
  }
}

Divided::Divided(const ir::Plan& plan) : estimate(plan), layers(plan, estimate) {
  boundary = boundaryBytes(plan, estimate.dividedBy());
  buffers = bufferBytes(plan, estimate.dividedBy());
}

EstimateTables::EstimateTables(const ir::Plan& from, MeshOf whose)
    : plan(from), facts(plan.model, plan.cluster, plan.layout),
      microBatchCosts(plan.layout.microBatchCosts), mesh(whose),
      experts(hasExperts(from.model)), placing{createResolveMeshPass(), createPlaceRanksPass(),
                                               createPartitionLayersPass()} {
  meshes.reserve(1), divisions.reserve(1); // so that no point waits for their memory
}

bool EstimateTables::isLegal(const Point& point) const {
  return facts.fixed == Rule::None && brokenRule(facts, point) == Rule::None;
}

Placed* EstimateTables::find(const Point& point) {
  Point key = point;
  if (plan.layout.split != ir::SplitKind::Balanced) // which depends on what passes take
    key.microBatch = 1;
  std::unique_ptr<Placed>& placed = meshes[key];
  if (!placed) {
    placed = std::make_unique<Placed>();
    fill(*placed, point);
  }
  return placed->legal ? placed.get() : nullptr;
}

void EstimateTables::enter(Placed& placed, const Point& point) {
  swap(placed);
  plan.layout.microBatch = point.microBatch;
  const auto sequence = point.sequenceParallel ? ir::ShardAxis::Tensor : ir::ShardAxis::None;
  if (!plan.layout.shard.sequenceGiven && plan.layout.shard.sequence != sequence) {
    plan.layout.shard.sequence = sequence;
    ir::updateFilledFields(plan); // a framework's default may follow the sequence
  }
  plan.mesh.microBatches = microBatches(point);
}

/// Whoever is in the plan takes its own back.
void EstimateTables::swap(Placed& placed) {
  const auto exchange = [&](Placed& with) {
    std::swap(plan.mesh, with.mesh), std::swap(plan.placement, with.placement);
    std::swap(plan.chunks, with.chunks), std::swap(plan.groups, with.groups);
  };
  if (inPlan == &placed)
    return;
  if (inPlan)
    exchange(*inPlan);
  exchange(placed);
  inPlan = &placed;
}

std::uint64_t dpl::planner::countedPasses(const ir::Plan& plan, std::uint64_t steps) {
  constexpr std::uint64_t listsMade = 32;
  return steps * plan.chunks.size() * plan.mesh.microBatches *
         (scheduleInfo(plan.layout.schedule).byTime ? listsMade : 1);
}

void EstimateTables::fill(Placed& placed, const Point& point) {
  swap(placed);
  if (mesh == MeshOf::Point)
    writePoint(point, plan.layout, experts);
  DiagnosticEngine silent;
  for (const std::unique_ptr<Pass>& pass : placing)
    if (pass->run(plan, silent).failed())
      return;
  for (const ir::SplitChoice& choice : plan.splitChoice)
    executed +=
        countedPasses(plan, choice.executed) / plan.mesh.microBatches * splitMicroBatches(plan);
  plan.groups = groupsOfEstimates(plan);
  placed.legal = true;
  placed.state = stateGroups(plan);
  placed.pieces.resize(plan.chunks.size());
  findMessages(placed);
  findEqual(placed);
  findRuns(placed);
}

/// Chunks stand in model order, direction by direction: neighbours send to each other.
void EstimateTables::findMessages(Placed& placed) {
  linksOfKinds.clear();
  const std::uint64_t stages = plan.placement.stages(), ranks = plan.placement.ranks;
  const bool alike = plan.cluster.classes.size() == 1; // a link is the same from either end
  const auto rank = [&](std::size_t i) { return plan.chunks[i].rank; };
  for (std::size_t first = 0; first < plan.chunks.size(); first += stages)
    for (std::size_t i = first, last = first + stages - 1; i < last; ++i) {
      PlacedMessages &from = placed.pieces[i].messages, &to = placed.pieces[i + 1].messages;
      // In many placements each lap goes through the ranks as the one before.
      const bool again =
          i >= first + ranks && rank(i - ranks) == rank(i) && rank(i + 1 - ranks) == rank(i + 1);
      from.forward =
          again ? placed.pieces[i - ranks].messages.forward : linkTo(rank(i), rank(i + 1));
      to.backward = alike ? from.forward : linkTo(rank(i + 1), rank(i));
    }
}

void EstimateTables::findEqual(Placed& placed) {
  EqualChunks chunks(plan);
  placed.distinct.reserve(3); // ends of the model, and what is between them
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    const std::size_t same = chunks.firstOf(i);
    if (same < i) {
      placed.pieces[i].distinct = placed.pieces[same].distinct;
      continue;
    }
    placed.pieces[i].distinct = static_cast<std::uint32_t>(placed.distinct.size());
    PlacedChunk& distinct = placed.distinct.emplace_back();
    distinct.first = i, distinct.key = keyOf(plan.chunks[i]);
  }
}

void EstimateTables::findRuns(Placed& placed) const {
  placed.runs.reserve(3);
  llvm::SmallVector<PlacedPiece, 2> pieces;
  for (std::uint64_t rank = 0; rank < plan.placement.ranks; ++rank) {
    pieces.clear();
    for (std::uint64_t chunk = 0; chunk < plan.placement.chunks; ++chunk)
      pieces.push_back(placed.pieces[plan.placement.indexOf(rank, chunk)]);
    if (!placed.runs.empty() && placed.runs.back().pieces == pieces) {
      ++placed.runs.back().ranks;
      continue;
    }
    PlacedRun& run = placed.runs.emplace_back();
    run.first = rank, run.held = plan.mesh.heldIndex(rank), run.pieces = pieces;
  }
}

std::uint64_t EstimateTables::keyOf(const ir::Chunk& chunk) {
  const bool alike = plan.model.runs.size() < 2; // whatever layer it begins with
  const GatheredMessages gathered = gatheredMessages(plan, chunk);
  // Beside units that are gathered a pass takes less; those of one device are never.
  const std::uint64_t shared =
      plan.layout.shard.stage() < 2
          ? 0U
          : (plan.stateRanks() > 1 ? 1U : 0U) + (plan.expertStateRanks() > 1 ? 2U : 0U);
  return chunkKeys
      .try_emplace({alike ? 0 : chunk.firstLayer, chunk.layers, chunk.predictionLayers,
                    chunk.embedding, chunk.head, plan.mesh.heldIndex(chunk.rank),
                    gathered.activations, gathered.gradients, shared},
                   chunkKeys.size())
      .first->second;
}

std::uint16_t EstimateTables::linkTo(std::uint64_t rank, std::uint64_t to) {
  if (to == rank)
    return PlacedMessages::none;
  const MessageKind kind = messageKind(plan, rank, to);
  for (const auto& [known, link] : linksOfKinds)
    if (known == kind)
      return link;
  const ir::LinkLevel link = messageLink(plan, rank, to);
  const auto same = llvm::find(links, link);
  const auto index = static_cast<std::uint16_t>(same - links.begin());
  if (same == links.end())
    links.push_back(link);
  linksOfKinds.emplace_back(kind, index);
  return index;
}

/// Layers do not depend on the data axes, nor on the pipeline where all nodes are alike.
Divided& EstimateTables::divided(Placed& placed, const Point& point) {
  Point key = point;
  key.data = key.replica = 1;
  if (plan.cluster.classes.size() == 1)
    key.pipeline = 1;
  if (!lastDivision.second || lastDivision.first != key) {
    Divided*& found = divisions[key];
    if (!found) {
      enter(placed, point);
      found = new (allDivided.Allocate()) Divided(plan);
    }
    lastDivision = {key, found};
  }
  Divided& division = *lastDivision.second;
  if (division.chunks.size() < chunkKeys.size())
    division.chunks.resize(chunkKeys.size());
  return division;
}

const LayerUnit& EstimateTables::layerOf(Divided& divided, const ChunkPart& part,
                                         std::uint64_t rank, Calls& calls) const {
  for (const LayerUnit& known : divided.units)
    if (known.layerClass == part.layerClass && known.recomputed == part.recomputed)
      return known;
  cost::PassSegments segments = divided.layers.of(part, rank, calls);
  const PassTotals each = totalsOf(segments);
  divided.units.push_back({part.layerClass, part.recomputed, std::move(segments), each});
  return divided.units.back();
}

/// Calls `lower` with the calls of a chunk, which others have too where all nodes are alike.
template <class Lower>
void EstimateTables::lower(Divided& divided, const ir::Chunk& chunk, Lower lower) const {
  if (plan.cluster.classes.size() > 1)
    divided.calls.clear(), divided.units.clear();
  Calls calls(plan, chunk, Calls::Traffic::Left);
  calls.all = std::move(divided.calls);
  lower(calls);
  divided.calls = std::move(calls.all);
}

/// As cost::unitsOf puts them together, of which the totals alone are kept.
const ChunkUnits& EstimateTables::unitsOf(Placed& placed, const Point& point, Divided& divided,
                                          const PlacedChunk& of) {
  ChunkUnits& out = divided.chunks[of.key];
  if (out.parts)
    return out;
  enter(placed, point);
  const ir::Chunk& chunk = plan.chunks[of.first];
  out.parts = std::make_unique<ChunkParts>();
  out.parts->all = divided.estimate.parts(chunk);
  out.parts->cost = divided.estimate.heldOf(chunk, out.parts->all);
  lower(divided, chunk, [&](Calls& calls) {
    const GatheredMessages gathered = gatheredMessages(plan, chunk);
    if (gathered.activations)
      out.before.add(1, totalsOf(divided.layers.of({.activations = true}, calls)));
    for (const ChunkPart& part : out.parts->all)
      if (part.part == ir::ComputePart::Layer)
        out.layers.push_back({part.count, layerOf(divided, part, chunk.rank, calls).each});
      else if (part.part != ir::ComputePart::None)
        (part.part == ir::ComputePart::Embedding ? out.before : out.after)
            .add(part.count, totalsOf(divided.layers.of(part, chunk.rank, calls)));
    if (gathered.gradients)
      out.after.add(1, totalsOf(divided.layers.of({.gradients = true}, calls)));
  });
  out.kept = ir::real(out.parts->cost.activationBytes);
  out.working = ir::real(out.parts->cost.workingBytes);
  out.contention = divided.layers.contentionOn(chunk.rank);
  return out;
}

const ChunkUnits& EstimateTables::writtenOf(Placed& placed, const Point& point, Divided& divided,
                                            const PlacedChunk& of) {
  const ChunkUnits& out = unitsOf(placed, point, divided, of);
  if (out.parts->units)
    return out;
  enter(placed, point);
  const ir::Chunk& chunk = plan.chunks[of.first];
  lower(divided, chunk, [&](Calls& calls) {
    out.parts->units = cost::unitsOf(
        plan, out.parts->all, divided.layers, chunk, calls, [&](const ChunkPart& part) {
          return part.part == ir::ComputePart::Layer
                     ? layerOf(divided, part, chunk.rank, calls).segments
                     : divided.layers.of(part, chunk.rank, calls);
        });
  });
  return out;
}

const StateTimes& EstimateTables::stateOf(Placed& placed, const Point& point, PlacedChunk& chunk,
                                          const ir::ChunkCost& cost) {
  std::optional<StateTimes>& state = chunk.state[microBatches(point) > 1 ? 1 : 0];
  if (!state) {
    enter(placed, point);
    state.emplace();
    TimedCalls calls(plan, plan.chunks[chunk.first], *state);
    state->calls = stateCalls(plan, plan.chunks[chunk.first], cost, placed.state, calls);
    embeddingGradient(plan, plan.chunks[chunk.first], calls);
    state->layer = LayerCalls(state->calls);
    state->updated = shardedParameters(plan, cost);
  }
  return *state;
}

std::uint64_t EstimateTables::messageOn(Divided& divided, std::uint16_t link) {
  if (link == PlacedMessages::none)
    return 0;
  if (link >= divided.messages.size())
    divided.messages.resize(links.size(), Divided::unknown);
  std::uint64_t& time = divided.messages[link];
  if (time == Divided::unknown)
    time = ir::toPicoseconds(messageTime(divided.boundary, links[link]));
  return time;
}
