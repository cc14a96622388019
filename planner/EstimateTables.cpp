//===- EstimateTables.cpp - Tables that estimates of many layouts of one plan share -----------===//
#include "planner/EstimateTables.h"
#include "cost/network/RankLinks.h"
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
/// First number of state collectives: larger than the few numbers of the layers' calls.
constexpr ir::ChunkCollectiveId firstStateCollective{500'000};

/// Measures the state collectives of a chunk.
class CollectiveTimer final : public CollectiveBuilder {
public:
  CollectiveTimer(const ir::Plan& plan, const ir::Chunk& chunk, StateTimes& times)
      : plan(plan), chunk(chunk), times(times) {}

  TimedCollective inAction(ir::CollectiveKind kind, ir::CollectivePurpose purpose,
                           ir::GroupId group, double bytes) override {
    const std::uint64_t size = ir::whole(bytes);
    const auto same = llvm::find_if(made, [&](const MadeCollective& m) {
      return m.kind == kind && m.group == group && m.bytes == size;
    });
    if (same != made.end())
      return same->collective;
    const TimedCollective collective{firstStateCollective + made.size(),
                                     timeOf(kind, purpose, group, bytes)};
    made.push_back({kind, group, size, collective});
    return collective;
  }
  void atStepEnd(ir::CollectiveKind kind, ir::CollectivePurpose purpose, ir::GroupId group,
                 double bytes, double count) override {
    const bool gathers = purpose == ir::CollectivePurpose::ParameterGather;
    (gathers ? times.gathers : times.reductions) +=
        std::max(timeOf(kind, purpose, group, bytes), hostChecksOf(plan, group)) * ir::whole(count);
  }

private:
  struct MadeCollective {
    ir::CollectiveKind kind;
    ir::GroupId group;
    std::uint64_t bytes;
    TimedCollective collective;
  };
  std::uint64_t timeOf(ir::CollectiveKind kind, ir::CollectivePurpose purpose, ir::GroupId group,
                       double bytes) const {
    const ir::Group& g = plan.groups[group];
    return ir::toPicoseconds(
        collectiveCost(kind, bytes, cost::shapeOf(g), levelsFor(plan, purpose, g, chunk.rank))
            .seconds);
  }
  const ir::Plan& plan;
  const ir::Chunk& chunk;
  StateTimes& times;
  llvm::SmallVector<MadeCollective, 4> made;
};

double aloneIn(const std::vector<ir::Segment>& segments) {
  const auto takes = [](const ir::Segment&) { return true; };
  ProgramClock clock({}, takes);
  clock.open(1);
  for (const ir::Segment& segment : segments)
    clock.segment(segment);
  clock.close();
  return ir::real(clock.time().durationAlone());
}

ActionTotals totalsOf(const ActionSegments& segments) {
  return {aloneIn(segments.forward), aloneIn(segments.backward)};
}
} // namespace

LayerCollectiveTimes::LayerCollectiveTimes(llvm::ArrayRef<StateCollectives> state) {
  const auto add = [&](const std::optional<StateCollectives::StateCollective>& at, double& every,
                       double& once) {
    if (!at)
      return;
    (at->selection == ir::MicroBatchSelection::Every ? every : once) += ir::real(at->time());
    blocks = blocks || at->blocks, prefetch = prefetch || at->prefetch;
  };
  double never = 0;
  for (const StateCollectives& collectives : state) {
    add(collectives.gather, gather, gatherFirst);
    add(collectives.gatherBackward, gatherBackward, never);
    add(collectives.reduce.shares, reduce, reduceLast);
    add(collectives.reduce.replicas, reduce, reduceLast);
    joined = joined || collectives.layers > 1;
  }
}

DivisionEstimate::DivisionEstimate(const ir::Plan& plan) : estimate(plan), layers(plan, estimate) {
  boundary = boundaryBytes(plan, estimate.dividedBy());
  buffers = bufferBytes(plan, estimate.dividedBy());
}

EstimateTables::EstimateTables(const ir::Plan& from, MeshOf whose)
    : plan(from), legality(plan.model, plan.cluster, plan.layout),
      microBatchCosts(plan.layout.microBatchCosts), mesh(whose),
      experts(hasExperts(from.model)), placing{createResolveMeshPass(), createPlaceRanksPass(),
                                               createPartitionLayersPass()} {
  meshes.reserve(1), divisions.reserve(1); // so that no candidate waits for a memory allocation
}

bool EstimateTables::isLegal(const LayoutCandidate& candidate) const {
  return legality.fixed == LegalityRule::None &&
         brokenRule(legality, candidate) == LegalityRule::None;
}

PlacedMesh* EstimateTables::find(const LayoutCandidate& candidate,
                                 llvm::ArrayRef<ir::Chunk> split) {
  LayoutCandidate key = candidate;
  if (plan.layout.split != ir::SplitKind::Balanced) // balanced splits depend on action times
    key.microBatch = 1;
  std::unique_ptr<PlacedMesh>& placed = meshes[key];
  if (!placed) {
    placed = std::make_unique<PlacedMesh>();
    fill(*placed, candidate, split);
  }
  return placed->legal ? placed.get() : nullptr;
}

void EstimateTables::enter(PlacedMesh& placed, const LayoutCandidate& candidate) {
  swap(placed);
  plan.layout.microBatch = candidate.microBatch;
  const auto sequence = candidate.sequenceParallel ? ir::ShardAxis::Tensor : ir::ShardAxis::None;
  if (!plan.layout.shard.sequenceGiven && plan.layout.shard.sequence != sequence) {
    plan.layout.shard.sequence = sequence;
    ir::updateFilledFields(plan); // a framework's default may depend on the sequence
  }
  plan.mesh.microBatches = microBatches(candidate);
}

/// Moves the mesh in the plan back to its owner, and this one into the plan.
void EstimateTables::swap(PlacedMesh& placed) {
  const auto exchange = [&](PlacedMesh& with) {
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

void EstimateTables::forget() {
  if (inPlan) { // the parts in the plan go back into the mesh, which is freed
    std::swap(plan.mesh, inPlan->mesh), std::swap(plan.placement, inPlan->placement);
    std::swap(plan.chunks, inPlan->chunks), std::swap(plan.groups, inPlan->groups);
  }
  inPlan = nullptr, lastDivision = {};
  meshes.clear(), divisions.clear();
  allDivided.DestroyAll();
}

std::uint64_t dpl::planner::countedActions(const ir::Plan& plan, std::uint64_t steps) {
  constexpr std::uint64_t listsMade = 32;
  return steps * plan.chunks.size() * plan.mesh.microBatches *
         (scheduleInfo(plan.layout.schedule).byTime ? listsMade : 1);
}

/// Runs the passes that place the model on the mesh of the layout.
LogicalResult EstimateTables::place(llvm::ArrayRef<ir::Chunk> split) {
  DiagnosticEngine silent;
  for (const std::unique_ptr<Pass>& pass : placing)
    if (pass != placing.back() || split.empty()) {
      if (pass->run(plan, silent).failed())
        return LogicalResult::failure();
    } else {
      plan.placement =
          pipelineOf(plan.layout, plan.mesh.size(ir::Axis::Pipeline), plan.mesh.microBatches)
              .placement();
      plan.splitChoice.clear();
      plan.chunks = split.vec();
    }
  return LogicalResult::success();
}

void EstimateTables::fill(PlacedMesh& placed, const LayoutCandidate& candidate,
                          llvm::ArrayRef<ir::Chunk> split) {
  swap(placed);
  if (mesh == MeshOf::Candidate)
    writeCandidate(candidate, plan.layout, experts);
  if (place(split).failed())
    return;
  for (const ir::SplitChoice& choice : plan.splitChoice)
    executed +=
        countedActions(plan, choice.executed) / plan.mesh.microBatches * splitMicroBatches(plan);
  plan.groups = groupsOfEstimates(plan);
  placed.legal = true;
  placed.state = stateGroups(plan);
  placed.chunkPlacements.resize(plan.chunks.size());
  findMessages(placed);
  findEqual(placed);
  findRuns(placed);
}

/// Layers do not depend on the data axes, nor, if all nodes are alike, on the pipeline, whose
/// messages need buffers.
DivisionEstimate& EstimateTables::divided(PlacedMesh& placed, const LayoutCandidate& candidate) {
  LayoutCandidate key = candidate;
  key.data = key.replica = 1;
  if (plan.cluster.nodeTypes.size() == 1)
    key.pipeline = std::min(key.pipeline, std::uint32_t{2});
  if (!lastDivision.second || lastDivision.first != key) {
    DivisionEstimate*& found = divisions[key];
    if (!found) {
      enter(placed, candidate);
      found = new (allDivided.Allocate()) DivisionEstimate(plan);
    }
    lastDivision = {key, found};
  }
  DivisionEstimate& division = *lastDivision.second;
  if (division.chunks.size() < chunkKeys.size())
    division.chunks.resize(chunkKeys.size());
  return division;
}

const LayerActions& EstimateTables::layerOf(DivisionEstimate& divided, const ChunkModule& module,
                                            std::uint64_t rank,
                                            ChunkCollectives& collectives) const {
  for (const LayerActions& known : divided.layerActions)
    if (known.layerType == module.layerType && known.recomputed == module.recomputed)
      return known;
  cost::ActionSegments segments = divided.layers.of(module, rank, collectives);
  const ActionTotals each = totalsOf(segments);
  divided.layerActions.push_back({module.layerType, module.recomputed, std::move(segments), each});
  return divided.layerActions.back();
}

/// Calls `lower` with a chunk to build its collectives, which chunks share if all nodes are alike.
template <class Lower>
void EstimateTables::lower(DivisionEstimate& divided, const ir::Chunk& chunk, Lower lower) const {
  if (plan.cluster.nodeTypes.size() > 1)
    divided.collectives.clear(), divided.layerActions.clear();
  ChunkCollectives collectives(plan, chunk, ChunkCollectives::LevelTraffic::Omitted);
  collectives.all = std::move(divided.collectives);
  lower(collectives);
  divided.collectives = std::move(collectives.all);
}

/// Computes only the totals of the units that cost::unitsOf builds.
const ChunkActionTimes& EstimateTables::chunkActionTimesOf(PlacedMesh& placed,
                                                           const LayoutCandidate& candidate,
                                                           DivisionEstimate& divided,
                                                           const DistinctChunk& of) {
  ChunkActionTimes& out = divided.chunks[of.key];
  if (out.modules)
    return out;
  enter(placed, candidate);
  const ir::Chunk& chunk = plan.chunks[of.first];
  out.modules = std::make_unique<ChunkModuleCosts>();
  out.modules->modules = divided.estimate.modules(chunk);
  out.modules->cost = divided.estimate.memoryOf(chunk, out.modules->modules);
  lower(divided, chunk, [&](ChunkCollectives& collectives) {
    const GatheredMessages gathered = gatheredMessages(plan, chunk);
    if (gathered.activations)
      out.before.add(1, totalsOf(divided.layers.of({.activations = true}, collectives)));
    for (const ChunkModule& module : out.modules->modules)
      if (module.computeKind == ir::ComputeKind::Layer)
        out.layers.push_back(
            {module.count, layerOf(divided, module, chunk.rank, collectives).each});
      else if (module.computeKind != ir::ComputeKind::None)
        (module.computeKind == ir::ComputeKind::Embedding ? out.before : out.after)
            .add(module.count, totalsOf(divided.layers.of(module, chunk.rank, collectives)));
    if (gathered.gradients)
      out.after.add(1, totalsOf(divided.layers.of({.gradients = true}, collectives)));
  });
  out.saved = ir::real(out.modules->cost.activationBytes);
  out.temporary = ir::real(out.modules->cost.temporaryBytes);
  out.contention = divided.layers.contentionOn(chunk.rank);
  return out;
}

const ChunkActionTimes& EstimateTables::writtenChunkOf(PlacedMesh& placed,
                                                       const LayoutCandidate& candidate,
                                                       DivisionEstimate& divided,
                                                       const DistinctChunk& of) {
  const ChunkActionTimes& out = chunkActionTimesOf(placed, candidate, divided, of);
  if (out.modules->segments)
    return out;
  enter(placed, candidate);
  const ir::Chunk& chunk = plan.chunks[of.first];
  lower(divided, chunk, [&](ChunkCollectives& collectives) {
    out.modules->segments = cost::chunkSegmentsOf(
        plan, out.modules->modules, divided.layers, chunk, collectives,
        [&](const ChunkModule& module) {
          return module.computeKind == ir::ComputeKind::Layer
                     ? layerOf(divided, module, chunk.rank, collectives).segments
                     : divided.layers.of(module, chunk.rank, collectives);
        });
  });
  return out;
}

const StateTimes& EstimateTables::stateOf(PlacedMesh& placed, const LayoutCandidate& candidate,
                                          DistinctChunk& chunk, const ir::ChunkCost& cost) {
  std::optional<StateTimes>& state = chunk.state[microBatches(candidate) > 1 ? 1 : 0];
  if (!state) {
    enter(placed, candidate);
    state.emplace();
    CollectiveTimer collectives(plan, plan.chunks[chunk.first], *state);
    state->collectives =
        stateCollectives(plan, plan.chunks[chunk.first], cost, placed.state, collectives);
    embeddingGradient(plan, plan.chunks[chunk.first], collectives);
    state->layer = LayerCollectiveTimes(state->collectives);
    state->updated = updatedState(plan, cost);
  }
  return *state;
}

std::uint64_t EstimateTables::messageOn(DivisionEstimate& divided, std::uint16_t link) {
  if (link == PlacedMessages::none)
    return 0;
  if (link >= divided.messages.size())
    divided.messages.resize(links.size(), DivisionEstimate::unknown);
  std::uint64_t& time = divided.messages[link];
  if (time == DivisionEstimate::unknown)
    time = ir::toPicoseconds(messageTime(divided.boundary, links[link]));
  return time;
}
