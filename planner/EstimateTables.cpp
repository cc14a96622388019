//===- EstimateTables.cpp - What many layouts of one plan share -------------------------------===//
#include "planner/EstimateTables.h"
#include "cost/network/HeldLinks.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "planner/MeshSpace.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::planner;

namespace {
/// Behind the calls of the layers, whose number is small.
constexpr std::uint64_t firstStateCall = 1'000'000;

/// Times the calls of a chunk's state.
class TimedCalls final : public CallMaker {
public:
  TimedCalls(const ir::Plan& plan, const ir::Chunk& chunk, StateTimes& times)
      : plan(plan), chunk(chunk), times(times) {}

  Call call(ir::CollectiveKind kind, ir::CollectivePurpose, std::uint64_t group,
            double bytes) override {
    const auto same = llvm::find_if(made, [&](const Made& m) {
      return m.kind == kind && m.group == group && m.bytes == ir::whole(bytes);
    });
    if (same != made.end())
      return same->call;
    const Call call{firstStateCall + made.size(), timeOf(kind, group, bytes)};
    made.push_back({kind, group, ir::whole(bytes), call});
    return call;
  }
  void atEnd(ir::CollectiveKind kind, ir::CollectivePurpose purpose, std::uint64_t group,
             double bytes, double count) override {
    const bool gathers = purpose == ir::CollectivePurpose::ParameterGather;
    (gathers ? times.gathers : times.reductions) += timeOf(kind, group, bytes) * ir::whole(count);
  }

private:
  struct Made {
    ir::CollectiveKind kind;
    std::uint64_t group, bytes;
    Call call;
  };
  std::uint64_t timeOf(ir::CollectiveKind kind, std::uint64_t group, double bytes) const {
    const ir::Group& g = plan.groups[group];
    return ir::toPicoseconds(
        collectiveCost(kind, bytes, {g.inside}, levelsOf(plan, g, chunk.rank)).seconds);
  }
  const ir::Plan& plan;
  const ir::Chunk& chunk;
  StateTimes& times;
  llvm::SmallVector<Made, 4> made;
};

double aloneIn(const std::vector<ir::Segment>& segments) {
  const auto takes = [](std::uint64_t) { return true; };
  BodyClock clock({}, takes);
  clock.open(1);
  for (const ir::Segment& segment : segments)
    clock.segment(segment);
  clock.close();
  return ir::real(clock.time().alone());
}

PassTotals totalsOf(const std::vector<cost::Unit>& units) {
  PassTotals sum;
  for (const cost::Unit& unit : units) {
    sum.forward += ir::real(unit.count) * aloneIn(unit.segments.forward);
    sum.backward += ir::real(unit.count) * aloneIn(unit.segments.backward);
  }
  return sum;
}
} // namespace

Divided::Divided(const ir::Plan& plan)
    : estimate(plan), layers(plan), boundary(boundaryBytes(plan, divisionOf(plan))),
      buffers(bufferBytes(plan)) {}

EstimateTables::EstimateTables(const ir::Plan& from, MeshOf whose)
    : plan(from), facts(plan.model, plan.cluster, plan.layout),
      microBatchCosts(plan.layout.microBatchCosts), mesh(whose), experts(hasExperts(from.model)) {}

bool EstimateTables::isLegal(const Point& point) const {
  return facts.fixed == Rule::None && brokenRule(facts, point) == Rule::None;
}

Placed* EstimateTables::place(const Point& point) {
  Point key = point;
  if (plan.layout.split != ir::SplitKind::Balanced) // which depends on what passes take
    key.microBatch = 1;
  const auto [found, isNew] = meshes.try_emplace(key);
  Placed& placed = found->second;
  if (isNew)
    fill(placed, point);
  if (!placed.legal)
    return nullptr;
  swap(placed);
  plan.layout.microBatch = point.microBatch;
  if (!plan.layout.shard.sequenceGiven)
    plan.layout.shard.sequence =
        point.sequenceParallel ? ir::ShardAxis::Tensor : ir::ShardAxis::None;
  plan.mesh.microBatches = plan.layout.batch / (point.microBatch * point.dataRanks());
  return &placed;
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

void EstimateTables::fill(Placed& placed, const Point& point) {
  swap(placed);
  if (mesh == MeshOf::Point)
    writePoint(point, plan.layout, experts);
  DiagnosticEngine silent;
  for (const auto& create : {createResolveMeshPass, createPlaceRanksPass, createPartitionLayersPass,
                             createBuildGroupsPass})
    if (create()->run(plan, silent).failed())
      return;
  placed.legal = true;
  placed.state = stateGroups(plan);
  for (const ir::HeldRanks& ranks : plan.mesh.held)
    placed.held.push_back(pacingDevices(plan, ranks));
  for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
    const ir::Chunk& chunk = plan.chunks[i];
    const ir::Placement::Place at{chunk.rank, chunk.chunk};
    placed.messages.push_back({linkTo(placed, chunk.rank, plan.placement.next(at)),
                               linkTo(placed, chunk.rank, plan.placement.previous(at))});
    const std::size_t same = equalChunk(plan, i);
    if (same < i) {
      placed.distinctOf.push_back(placed.distinctOf[same]);
      continue;
    }
    placed.distinctOf.push_back(static_cast<std::uint32_t>(placed.distinct.size()));
    placed.distinct.push_back({i, keyOf(chunk), {}});
  }
  findRuns(placed);
}

void EstimateTables::findRuns(Placed& placed) const {
  const auto equal = [&](std::uint64_t a, std::uint64_t b) {
    for (std::uint64_t chunk = 0; chunk < plan.placement.chunks; ++chunk) {
      const std::uint64_t one = plan.placement.indexOf(a, chunk),
                          other = plan.placement.indexOf(b, chunk);
      if (placed.distinctOf[one] != placed.distinctOf[other] ||
          placed.messages[one] != placed.messages[other])
        return false;
    }
    return true;
  };
  for (std::uint64_t rank = 0; rank < plan.placement.ranks; ++rank)
    if (rank > 0 && equal(rank - 1, rank))
      ++placed.runs.back().ranks;
    else
      placed.runs.push_back({rank, 1, {}, {}});
}

std::uint64_t EstimateTables::keyOf(const ir::Chunk& chunk) {
  const bool alike = plan.model.runs.size() < 2; // whatever layer it begins with
  const GatheredMessages gathered = gatheredMessages(plan, chunk);
  return chunkKeys
      .try_emplace({alike ? 0 : chunk.firstLayer, chunk.layers, chunk.predictionLayers,
                    chunk.embedding, chunk.head, plan.mesh.heldIndex(chunk.rank),
                    gathered.activations, gathered.gradients},
                   chunkKeys.size())
      .first->second;
}

std::uint8_t EstimateTables::linkTo(Placed& placed, std::uint64_t rank,
                                    const std::optional<ir::Placement::Place>& to) const {
  if (!to || to->rank == rank)
    return PlacedMessages::none;
  const ir::LinkLevel link =
      levelsBetween(plan, rank, to->rank)[levelBetween(plan, rank, to->rank)];
  const auto same = llvm::find(placed.links, link);
  const auto index = static_cast<std::uint8_t>(same - placed.links.begin());
  if (same == placed.links.end())
    placed.links.push_back(link);
  return index;
}

/// Layers do not depend on the data axes, nor on the pipeline where all nodes are alike.
Divided& EstimateTables::divided(const Point& point) {
  Point key = point;
  key.data = key.replica = 1;
  if (plan.cluster.classes.size() == 1)
    key.pipeline = 1;
  return divisions.try_emplace(key, plan).first->second;
}

const ChunkUnits& EstimateTables::unitsOf(Divided& divided, const PlacedChunk& placed) {
  std::unique_ptr<ChunkUnits>& made = divided.chunks[placed.key];
  if (made)
    return *made;
  made = std::make_unique<ChunkUnits>();
  const ir::Chunk& chunk = plan.chunks[placed.first];
  Calls calls(plan, chunk);
  made->units = cost::unitsOf(plan, divided.estimate, divided.layers, chunk, calls);
  made->cost = divided.estimate.of(chunk);
  made->contention = divided.layers.contentionOn(chunk.rank);
  made->before = totalsOf(made->units.before);
  made->layers = totalsOf(made->units.layers);
  made->after = totalsOf(made->units.after);
  return *made;
}

const StateTimes& EstimateTables::stateOf(Placed& placed, PlacedChunk& chunk,
                                          const ir::ChunkCost& cost) {
  std::optional<StateTimes>& state = chunk.state[plan.mesh.microBatches > 1 ? 1 : 0];
  if (!state) {
    state.emplace();
    TimedCalls calls(plan, plan.chunks[chunk.first], *state);
    state->calls = stateCalls(plan, plan.chunks[chunk.first], cost, placed.state, calls);
    embeddingGradient(plan, plan.chunks[chunk.first], calls);
    state->updated = shardedParameters(plan, cost);
  }
  return *state;
}

MessageTimes::MessageTimes(const Placed& placed, const Divided& divided) {
  for (const ir::LinkLevel& link : placed.links)
    times.push_back(ir::toPicoseconds(messageTime(divided.boundary, link)));
}

const Shape& EstimateTables::shapeOf(const PipelineShape& shape, llvm::ArrayRef<PieceTime> times) {
  if (scheduleInfo(shape.kind).byTime)
    return timed = made(shape, times);
  const auto [found, isNew] = shapes.try_emplace(shape);
  if (isNew)
    found->second = made(shape, {});
  return found->second;
}

Shape EstimateTables::made(const PipelineShape& shape, llvm::ArrayRef<PieceTime> times) {
  Shape out;
  const OperationLists all = listsOf(shape, times);
  const std::vector<llvm::ArrayRef<ir::ScheduledOperation>> lists(all.begin(), all.end());
  const ir::Placement placement = shape.placement();
  out.runs = proof.whatBreaks(shape.kind, placement, shape.microBatches, lists).empty();
  if (!out.runs)
    return out;
  out.order = std::make_unique<StoredOrder>(placement, shape.microBatches, lists, proof.order(),
                                            microBatchCosts);
  out.peaks = peaksOf(shape, all, plan.layout.buffers.hasWholeGradients);
  return out;
}
