//===- ChunkPrograms.cpp - The collectives and stage programs of a chunk ----------------------===//
#include "cost/programs/ChunkPrograms.h"
#include "cost/programs/MergedActions.h"
#include "cost/programs/ProgramTime.h"
#include "cost/programs/UnmergedPrograms.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Builds a stage program from the segments of an action.
struct StageProgramBuilder {
  void open(std::uint64_t count) {
    program.loops.push_back({count, {}});
    program.loops.back().segments.reserve(8); // enough for most layers
  }
  void segment(const Segment& s) { program.loops.back().segments.push_back(s); }
  void close() {}
  StageProgram program;
};
/// ps in which the offloaded tensors of a chunk cross the host link in one direction.
std::uint64_t crossingOf(const Plan& plan, llvm::ArrayRef<ChunkModule> modules,
                         const Chunk& chunk) {
  double bytes = 0;
  for (const ChunkModule& module : modules)
    bytes += module.computeKind == ComputeKind::None ? std::max(0.0, -module.saved)
                                                     : 0; // offloaded bytes are negative
  return toPicoseconds(bytes * 8 / real(hostLinkOf(plan, chunk.rank).bandwidth));
}

std::size_t hashOf(const StageProgram& body) {
  llvm::hash_code hash = llvm::hash_value(body.kind);
  for (const SegmentLoop& block : body.loops) {
    hash = llvm::hash_combine(hash, block.count, block.segments.size());
    for (const Segment& segment : block.segments)
      hash = llvm::hash_combine(hash, segment.kind(), segment.backward,
                                segment.collective().value_or(ChunkCollectiveId()).index(),
                                segment.time());
  }
  return hash;
}
} // namespace

ChunkSegments
dpl::cost::chunkSegmentsOf(const Plan& plan, llvm::ArrayRef<ChunkModule> modules,
                           const LayerLowering& layers, const Chunk& chunk,
                           ChunkCollectives& collectives,
                           llvm::function_ref<ActionSegments(const ChunkModule&)> segmentsOf) {
  ChunkSegments segments;
  const GatheredMessages gathered = gatheredMessages(plan, chunk);
  if (gathered.activations)
    segments.before.push_back({layers.of({.activations = true}, collectives)});
  for (const ChunkModule& module : modules) {
    if (module.computeKind == ComputeKind::None)
      continue;
    std::vector<ModuleSegments>& to = module.computeKind == ComputeKind::Embedding ? segments.before
                                      : module.computeKind == ComputeKind::Layer   ? segments.layers
                                                                                   : segments.after;
    // Modules list the head before the MTP layers, which run before it.
    to.insert(module.computeKind == ComputeKind::Prediction ? to.begin() : to.end(),
              {segmentsOf(module), static_cast<std::uint64_t>(module.count)});
  }
  if (plan.layout.offloads())
    segments.crossing = crossingOf(plan, modules, chunk);
  if (gathered.gradients)
    segments.after.push_back({layers.of({.gradients = true}, collectives)});
  return segments;
}

StageProgramId ChunkLowering::idOf(StageProgram program) {
  const std::size_t hash = hashOf(program);
  for (auto [same, end] = known.equal_range(hash); same != end; ++same)
    if (plan.stagePrograms[same->second] == program)
      return same->second;
  known.emplace(hash, plan.stagePrograms.nextId());
  plan.stagePrograms.push_back(std::move(program));
  return plan.stagePrograms.lastId();
}

void ChunkLowering::lower(std::size_t index) {
  const Chunk& chunk = plan.chunks[index];
  ChunkCollectives collectives(plan, chunk);
  const ChunkSegments segments = chunkSegmentsOf(
      plan, estimate.modules(chunk), layers, chunk, collectives,
      [&](const ChunkModule& module) { return layers.of(module, chunk.rank, collectives); });
  const auto state = stateCollectives(plan, chunk, plan.costs[index], groups, collectives);
  const auto written = [&](ActionKind kind, auto&& write) {
    StageProgramBuilder program{{kind, {}}};
    StageProgramWriter<StageProgramBuilder> writer(program, segments, state,
                                                   layers.contentionOn(chunk.rank));
    write(writer);
    return std::move(program.program);
  };
  std::vector<StageProgram> programs{written(ActionKind::Forward, [](auto& w) { w.forward(); })};
  const BackwardSplit passes = scheduleInfo(plan.layout.schedule).backward;
  const auto whole = [&](auto segments) {
    programs.push_back(
        written(ActionKind::Backward, [&](auto& w) { w.reversed(segments, true, true); }));
  };
  if (passes == BackwardSplit::Whole)
    whole(&ActionSegments::backward);
  if (passes == BackwardSplit::Mixed)
    whole(&ActionSegments::whole);
  if (passes != BackwardSplit::Whole) {
    programs.push_back(written(ActionKind::BackwardInput, [](auto& w) {
      w.reversed(&ActionSegments::backward, true, false);
    }));
    programs.push_back(written(ActionKind::BackwardWeight,
                               [](auto& w) { w.reversed(&ActionSegments::weight, false, true); }));
  }
  if (plan.layout.recompute.inAdvance)
    programs.push_back(written(ActionKind::Recomputation, [](auto& w) { w.recomputed(); }));
  // A whole backward pass has the same collectives as a split one, and a micro-batch runs one or
  // the other, so that only the split one is counted.
  for (const StageProgram& body : programs)
    if (passes != BackwardSplit::Mixed || body.kind != ActionKind::Backward)
      collectives.count(body, plan.microBatchesOfChunk());
  embeddingGradient(plan, chunk, collectives);
  lowerMessages(chunk, collectives);

  ChunkPrograms program{
      chunk.rank, chunk.chunk, plan.collectives.nextId(), collectives.all.size(), {}};
  llvm::move(collectives.all, std::back_inserter(plan.collectives));
  for (StageProgram& body : programs)
    program.stagePrograms.push_back(idOf(std::move(body)));
  plan.chunkPrograms.push_back(std::move(program));
}

void ChunkLowering::repeat(std::size_t index, std::size_t earlier) {
  const Chunk& chunk = plan.chunks[index];
  ChunkPrograms programs = plan.chunkPrograms[earlier];
  const std::uint64_t from = programs.firstCollective.index(), end = from + programs.collectives;
  programs.rank = chunk.rank, programs.chunk = chunk.chunk;
  programs.firstCollective = plan.collectives.nextId();
  for (std::uint64_t i = from; i < end; ++i)
    if (plan.collectives[i].kind != CollectiveKind::SendReceive) {
      Collective copy = plan.collectives[i];
      copy.rank = chunk.rank, copy.chunk = chunk.chunk;
      plan.collectives.push_back(std::move(copy));
    }
  ChunkCollectives collectives(plan, chunk); // the receiver depends on the chunk's rank
  lowerMessages(chunk, collectives);
  llvm::move(collectives.all, std::back_inserter(plan.collectives));
  programs.collectives = plan.collectives.size() - programs.firstCollective.index();
  plan.chunkPrograms.push_back(std::move(programs));
}

void ChunkLowering::mergePairs() {
  if (!mergesPairs(plan))
    return;
  const MicroBatchCosts costs(plan.layout.microBatchCosts);
  WrittenProgram merged;
  for (ChunkPrograms& programs : plan.chunkPrograms) {
    const auto blocksOf = [&](const ChunkPrograms& of, ActionKind kind) {
      return llvm::makeArrayRef(plan.stagePrograms[*stageProgramOf(plan, of, kind)].loops);
    };
    merge(blocksOf(programs, ActionKind::Forward),
          blocksOf(pairedWith(plan, programs), ActionKind::Backward),
          layers.contentionOn(programs.rank), costs, merged);
    programs.stagePrograms.push_back(
        idOf({ActionKind::PairedForward, {merged.blocks().begin(), merged.blocks().end()}}));
  }
  for (Collective& c : plan.collectives)
    c.overlapped = c.overlapped || c.purpose == CollectivePurpose::ExpertTokens;
}

/// Adds the messages of a chunk: activations to the next chunk and gradients to the previous one.
void ChunkLowering::lowerMessages(const Chunk& chunk, ChunkCollectives& collectives) {
  if (!pipeline)
    return;
  const Placement::ChunkLocation at{chunk.rank, chunk.chunk};
  const auto next = plan.placement.next(at), previous = plan.placement.previous(at);
  const double runs = real(plan.microBatchesOfChunk());
  for (const auto& to : {next, previous})
    if (to && to->rank != chunk.rank)
      collectives.messages(*pipeline, boundary, runs, messageBetween(chunk.rank, to->rank));
}

const CollectiveCost& ChunkLowering::messageBetween(std::uint64_t from, std::uint64_t to) {
  const MessageKind kind = messageKind(plan, from, to);
  for (const auto& [of, cost] : messages)
    if (of == kind)
      return cost;
  return messages.emplace_back(kind, messageCost(plan, boundary, from, to)).second;
}

EqualChunks::EqualChunks(const Plan& plan)
    : plan(plan), replicated(plan.placement.directions() > 1),
      mixed(plan.mesh.rankNodeTypes.size() > 1),
      gathers(plan.layout.shard.scattersMessages(plan.mesh.size(Axis::Tensor))) {
  for (const LayerRun& run : plan.model.runs)
    ends.push_back((ends.empty() ? 0 : ends.back()) + run.count);
}

std::uint64_t EqualChunks::layerTypeOf(std::uint64_t layer) const {
  const auto run = static_cast<std::size_t>(llvm::upper_bound(ends, layer) - ends.begin());
  return plan.model.runs[run].layerType;
}

bool EqualChunks::equal(const Chunk& a, const Chunk& b) const {
  const auto alike = [&](std::uint64_t one, std::uint64_t other) {
    return !mixed || plan.mesh.rankNodeTypesIndex(one) == plan.mesh.rankNodeTypesIndex(other);
  };
  const std::uint64_t last = plan.placement.ranks - 1;
  if (a.layers != b.layers || a.predictionLayers != b.predictionLayers ||
      a.embedding != b.embedding || a.head != b.head || !alike(a.rank, b.rank) ||
      (replicated && !alike(last - a.rank, last - b.rank)) ||
      (gathers && gatheredMessages(plan, a) != gatheredMessages(plan, b)))
    return false;
  for (std::uint64_t i = 0; ends.size() > 1 && i < a.layers; ++i)
    if (layerTypeOf(a.firstLayer + i) != layerTypeOf(b.firstLayer + i))
      return false;
  return true;
}

std::size_t EqualChunks::firstOf(std::size_t chunk) {
  for (const std::size_t first : llvm::reverse(firsts)) // the latest kind repeats most often
    if (equal(plan.chunks[first], plan.chunks[chunk]))
      return first;
  firsts.push_back(chunk);
  return chunk;
}

void dpl::cost::lowerChunks(Plan& plan, const ChunkEstimate& estimate) {
  plan.collectives.clear(), plan.stagePrograms.clear(), plan.chunkPrograms.clear();
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

void dpl::cost::timeActions(Plan& plan) {
  IdVector<std::uint64_t, StageProgram> alone;
  for (const StageProgram& body : plan.stagePrograms)
    alone.push_back(timeOf(body, {}, [](const Segment&) { return true; }).durationAlone());
  for (ChunkPrograms& programs : plan.chunkPrograms) {
    programs.forward = programs.backward = 0;
    visitUnmergedPrograms(plan, programs, [&](StageProgramId body) {
      const bool forward = plan.stagePrograms[body].kind == ActionKind::Forward;
      (forward ? programs.forward : programs.backward) += alone[body];
    });
  }
}
