//===- RankMemory.cpp - Peak memory of each pipeline rank from its schedule -------------------===//
#include "cost/memory/RankMemory.h"
#include "cost/compute/LayerCost.h"
#include "cost/compute/LayerSpans.h"
#include "cost/compute/OperatorTime.h"
#include "cost/compute/OptimizerRow.h"
#include "cost/execution/RankSchedules.h"
#include "cost/memory/LivePeak.h"
#include "cost/memory/OutsideTensors.h"
#include "cost/programs/Compression.h"
#include "cost/programs/MergedActions.h"
#include "cost/schedules/Schedule.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>
#include <tuple>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The numbers of devices that share the state of a dense parameter and of a routed expert.
struct StateWays {
  explicit StateWays(const Plan& plan)
      : dense(real(plan.stateRanks())),
        experts(plan.mesh.expertAxes.empty() ? dense : real(plan.expertStateRanks())) {}
  double dense, experts;
};

llvm::SmallVector<ShardedParameters, 2> shardedOver(const StateWays& ways, const Plan& plan,
                                                    const ChunkCost& cost) {
  const Layout& l = plan.layout;
  if (plan.mesh.expertAxes.empty())
    return {{real(cost.parameters + cost.expertParameters), ways.dense, allParameters(l, cost)}};
  return {{real(cost.parameters), ways.dense, usedParameters(l, cost, 0)},
          {real(cost.expertParameters), ways.experts, usedParameters(l, cost, 1)}};
}

/// Whether two chunks gather and scatter the same units.
bool hasSameUnits(const Model& m, const Chunk& a, const Chunk& b) {
  if (a.layers != b.layers || a.predictionLayers != b.predictionLayers ||
      a.embedding != b.embedding || a.head != b.head)
    return false;
  if (m.runs.size() == 1 || a.firstLayer == b.firstLayer)
    return true;
  llvm::SmallVector<std::pair<std::uint64_t, std::uint64_t>, 4> spans[2];
  for (const Chunk* chunk : {&a, &b})
    forEachSpan(m, chunk->firstLayer, chunk->layers, [&](const LayerSpan& span) {
      spans[chunk == &a ? 0 : 1].emplace_back(span.layerType, span.count);
    });
  return spans[0] == spans[1];
}

/// The unsharded units of each chunk of a rank.
llvm::SmallVector<GatheredBytes, 8> gatheredOfEach(const Plan& plan,
                                                   llvm::ArrayRef<RankChunk> chunks) {
  const Division division = divisionOf(plan);
  const GatheredParameters units(plan, division);
  llvm::SmallVector<GatheredBytes, 8> all;
  for (std::size_t c = 0; c < chunks.size(); ++c)
    all.push_back(c > 0 && hasSameUnits(plan.model, *chunks[c - 1].chunk, *chunks[c].chunk)
                      ? GatheredBytes(all.back())
                      : units.of(*chunks[c].chunk));
  return all;
}

GatheredBytes togetherOf(llvm::ArrayRef<GatheredBytes> chunks) {
  GatheredBytes all;
  for (const GatheredBytes& bytes : chunks) {
    all.persistent += bytes.persistent,
        all.writtenInPlace = std::max(all.writtenInPlace, bytes.writtenInPlace);
    all.layers = std::max(all.layers, bytes.layers), all.head = std::max(all.head, bytes.head);
    all.end = std::max(all.end, bytes.end);
  }
  return all;
}
} // namespace

MemoryModel::MemoryModel(const Plan& plan) : MemoryModel(plan, bufferBytes(plan)) {}

MemoryModel::MemoryModel(const Plan& plan, const BufferBytes& buffers)
    : plan(plan), buffers(buffers), communicators(communicatorBytes(plan)), pair(pairBytes(plan)),
      shape(pipelineOf(plan.layout, plan.mesh.size(Axis::Pipeline), plan.mesh.microBatches)),
      stage(plan.layout.shard.stage()) {
  const Precision& p = plan.layout.precision;
  const Offload offload = plan.layout.offloadSettings();
  if (!offload.parameters)
    weightBits = real(bitsOf(p.parameters) * weightOrders(plan));
  if (!offload.gradients)
    gradientBits = real(bitsOf(p.gradients));
  if (plan.layout.buffers.hasBuckets && stage < 1)
    bucketBits = real(bitsOf(plan.layout.buffers.buckets));
  masterBits = cost::masterBits(plan.layout), momentBits = cost::momentBits(plan.layout);
  optimizerShare = 1 - offload.optimizer;
}

RankMemory MemoryModel::idle(std::uint64_t rank, llvm::ArrayRef<RankChunk> chunks) const {
  RankMemory m;
  m.rank = rank;
  limit(m);
  double update = 0;
  const StateWays ways(plan);
  for (const RankChunk& chunk : chunks) {
    for (const ShardedParameters& part : shardedOver(ways, plan, *chunk.cost))
      addState(m, part), update += updateBytes(part);
    m.buffers += whole(compressionBytes(plan, *chunk.chunk, *chunk.cost)) +
                 whole(receivedBytes(plan, *chunk.chunk));
  }
  m.update = whole(std::max(0.0, update));
  m.temporary = whole(gatheredOf(plan, chunks).most() + buffers.messages());
  m.buffers += whole(buffers.gathered);
  return m;
}

RankMemory MemoryModel::of(std::uint64_t rank, llvm::ArrayRef<RankChunk> chunks,
                           PeakOf peakOf) const {
  RankMemory m = idle(rank, chunks);
  const ChunkBytes bytes = bytesOf(chunks);
  const LivePeak peak = peakOf(bytes);
  double held = 0, kept = 0, live = 0;
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    held += real(peak.live[c]) * real(bytes.saved[c]);
    kept += real(bytes.saved[c]);
    live += real(peak.live[c]);
  }
  m.activations = whole(held);
  // A micro-batch runs the chunks of one direction only.
  m.inFlight =
      (kept > 0 ? held / kept : live / real(chunks.size())) * real(plan.placement.directions());
  m.temporary += peak.bytes - m.activations;
  return m;
}

ChunkBytes MemoryModel::bytesOf(llvm::ArrayRef<RankChunk> chunks) const {
  ChunkBytes bytes;
  const bool sums = sumsWhole(plan);
  const auto others = gatheredByOthers(plan, chunks);
  const auto besides = [&](std::size_t chunk, std::uint64_t working) {
    return others.empty() ? working : working - std::min(working, others[chunk]);
  };
  for (std::size_t c = 0; c < chunks.size(); ++c) {
    const RankChunk& chunk = chunks[c];
    bytes.add(chunk.cost->activationBytes, besides(c, chunk.cost->temporaryBytes));
    if (holdsRestored(plan.layout.schedule, plan.layout.recompute))
      bytes.restored.push_back(chunk.cost->restoredBytes);
    if (restoresBothWays(plan.layout.schedule, plan.layout.recompute))
      bytes.splitTemporary.push_back(besides(c, chunk.cost->splitTemporaryBytes));
    if (!sums)
      continue;
    double whole = 0; // gradients of parameters that are not sharded are summed in place
    for (const ShardedParameters& part : shardedParametersOf(plan, *chunk.cost))
      whole += part.ways > 1 ? part.use.trained : 0;
    bytes.gradients.push_back(
        ir::whole(whole * real(bitsOf(plan.layout.buffers.wholeGradients)) / 8));
  }
  const std::size_t paired = mergesPairs(plan) ? chunks.size() : 0;
  for (std::uint16_t c = 0; c < paired; ++c)
    bytes.mergedPairs.push_back((bytes.splitTemporary.empty()
                                     ? chunks[c].cost->temporaryBytes
                                     : chunks[c].cost->splitTemporaryBytes) +
                                chunks[paired - 1 - c].cost->temporaryBytes);
  return bytes;
}

const Device& dpl::cost::deviceOf(const Plan& plan, const RankMemory& memory) {
  return plan.cluster.nodeTypes[memory.nodeType].device;
}

void MemoryModel::limit(RankMemory& m) const {
  const auto classes =
      llvm::makeArrayRef(plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(m.rank)].nodeTypes);
  placeOn(m, classes.front());
  for (const std::uint64_t c : classes.drop_front())
    if (const RankMemory other = on(m, c); other.headroom() < m.headroom())
      m = other;
}

void MemoryModel::placeOn(RankMemory& m, std::uint64_t nodeType) const {
  const Device& device = plan.cluster.nodeTypes[nodeType].device;
  m.nodeType = nodeType, m.usable = device.memory;
  m.reserved =
      std::max(device.reserved, device.context + communicators + neighboursOf(plan, m.rank) * pair);
  m.buffers += device.workspace;
}

RankMemory MemoryModel::on(RankMemory m, std::uint64_t nodeType) const {
  m.buffers -= deviceOf(plan, m).workspace;
  placeOn(m, nodeType);
  return m;
}

std::vector<RankMemory> MemoryModel::onEach(const RankMemory& m) const {
  const auto room = [](const Device& d) {
    return std::tie(d.memory, d.reserved, d.context, d.workspace);
  };
  std::vector<RankMemory> all = {m};
  for (const std::uint64_t c :
       plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(m.rank)].nodeTypes)
    if (llvm::none_of(all, [&](const RankMemory& one) {
          return room(deviceOf(plan, one)) == room(plan.cluster.nodeTypes[c].device);
        }))
      all.push_back(on(m, c));
  return all;
}

llvm::SmallVector<ShardedParameters, 2> dpl::cost::shardedParametersOf(const Plan& plan,
                                                                       const ChunkCost& cost) {
  return shardedOver(StateWays(plan), plan, cost);
}

void MemoryModel::addState(RankMemory& m, const ShardedParameters& part) const {
  const UsedParameters& use = part.use;
  const auto bytes = [&](double bits, unsigned from) {
    return whole(bits / 8 / (stage >= from ? part.ways : 1));
  };
  if (weightBits > 0)
    m.parameters +=
        bytes(use.weightBits(plan.layout, real(weightVersions(shape, m.rank)) * weightBits), 3);
  m.gradients += bytes(use.trained * gradientBits, 2);
  if (part.ways > 1)
    m.gradients += bytes(use.trained * bucketBits, 4);
  m.optimizer += bytes(use.trained * (optimizerShare * stateBitsEach(use)), 1);
}

/// Bits of optimizer state per trained parameter, in the mean.
double MemoryModel::stateBitsEach(const UsedParameters& use) const {
  return use.trained > 0 ? masterBits + use.moments / use.trained * momentBits : 0;
}

bool dpl::cost::gathersFlat(const Plan& plan) {
  const unsigned stage = plan.layout.shard.stage();
  return plan.layout.buffers.flatUpdate && (stage == 1 || stage == 2);
}

bool dpl::cost::stepsFromCopy(const Plan& plan) {
  return plan.layout.buffers.hasUpdateGradients && plan.layout.shard.stage() >= 1 &&
         !plan.layout.offloadSettings().gradients;
}

/// Extra bytes of the optimizer step. The all-gather of flat parameters needs the rank's own shard,
/// the shards of all ranks and the library's copy of all of them. A step from copied gradients
/// needs the shard in two types, after the gradients of other shards are freed.
double MemoryModel::updateBytes(const ShardedParameters& part) const {
  const Precision& p = plan.layout.precision;
  const Buffers& held = plan.layout.buffers;
  double bytes = 0;
  if (gathersFlat(plan) && part.ways > 1)
    bytes += real(bitsOf(p.parameters)) / 8 * (2 + 1 / part.ways);
  if (stepsFromCopy(plan)) {
    const double gradient = real(bitsOf(p.gradients)) / 8;
    bytes += (real(bitsOf(held.updateGradients)) / 8 + gradient) / part.ways;
    bytes -= stage == 1 ? gradient * (1 - 1 / part.ways) : 0;
  }
  return bytes * part.use.trained;
}

void dpl::cost::forEachInFlightSchedule(
    const Plan& plan,
    llvm::function_ref<void(std::uint64_t, llvm::ArrayRef<ScheduledAction>)> see) {
  const PipelineShape shape = inFlightShape(pipelineOf(plan));
  const PerRankSchedules longer =
      shape.microBatches > plan.mesh.microBatches ? perRankSchedules(shape) : PerRankSchedules();
  for (const RankSchedule& rank : plan.schedule)
    see(rank.rank, longer.empty() ? rank.actions : longer[rank.rank]);
}

std::vector<RankMemory> dpl::cost::memoryOf(const Plan& plan) {
  const MemoryModel model(plan);
  std::vector<RankMemory> memory;
  forEachInFlightSchedule(plan, [&](std::uint64_t rank, llvm::ArrayRef<ScheduledAction> schedule) {
    memory.push_back(model.of(rank, rankChunks(plan, rank),
                              [&](const ChunkBytes& bytes) { return livePeak(schedule, bytes); }));
  });
  addFreeBlocks(plan, model, memory);
  return memory;
}

llvm::SmallVector<RankChunk, 8> dpl::cost::rankChunks(const Plan& plan, std::uint64_t rank) {
  llvm::SmallVector<RankChunk, 8> chunks;
  for (std::uint64_t chunk = 0; chunk < plan.placement.chunks; ++chunk) {
    const ChunkId i = plan.placement.indexOf(rank, chunk);
    chunks.push_back({&plan.costs[i], &plan.chunks[i]});
  }
  return chunks;
}

/// Transformer Engine at d0067d0d keeps the transpose of a weight from the first micro-batch on
/// (pytorch/module/linear.py, tensor/float8_tensor.py), unless the device multiplies 8-bit operands
/// in any order (is_non_tn_fp8_gemm_supported). Devices with block formats do. Block formats are
/// scaled along both dimensions (mxfp8_tensor.py).
unsigned dpl::cost::weightOrders(const Plan& plan) {
  const Precision& p = plan.layout.precision;
  if (bitsOf(p.parameters) > 8 || plan.layout.shard.stage() == 3)
    return 1;
  const bool anyOrder =
      p.parameters == DataType::FP8 && llvm::all_of(plan.cluster.nodeTypes, [](const auto& c) {
        return c.device.peak.count(DataType::MXFP8) > 0;
      });
  return anyOrder ? 1 : 2;
}

static LivePeak peakOf(const Plan& plan, std::uint64_t rank) {
  return livePeak(plan.schedule[rank].actions, MemoryModel(plan).bytesOf(rankChunks(plan, rank)));
}

std::uint64_t dpl::cost::wholeGradientsAtPeak(const Plan& plan, std::uint64_t rank) {
  return sumsWhole(plan) ? peakOf(plan, rank).gradients : 0;
}

std::uint64_t dpl::cost::restoredAtPeak(const Plan& plan, std::uint64_t rank) {
  return holdsRestored(plan.layout.schedule, plan.layout.recompute) ? peakOf(plan, rank).restored
                                                                    : 0;
}

GatheredBytes dpl::cost::gatheredOf(const Plan& plan, llvm::ArrayRef<RankChunk> chunks) {
  return plan.layout.shard.stage() < 2 ? GatheredBytes() : togetherOf(gatheredOfEach(plan, chunks));
}

llvm::SmallVector<std::uint64_t, 8> dpl::cost::gatheredByOthers(const Plan& plan,
                                                                llvm::ArrayRef<RankChunk> chunks) {
  if (plan.layout.shard.stage() < 2 || chunks.size() < 2)
    return {};
  const llvm::SmallVector<GatheredBytes, 8> own = gatheredOfEach(plan, chunks);
  const double most = togetherOf(own).passing();
  llvm::SmallVector<std::uint64_t, 8> others;
  for (const GatheredBytes& bytes : own)
    others.push_back(whole(most - bytes.passing()));
  return others;
}

double dpl::cost::gatheredBytes(const Plan& plan, std::uint64_t rank) {
  return gatheredOf(plan, rankChunks(plan, rank)).most();
}

double dpl::cost::receivedBytes(const Plan& plan, const Chunk& chunk) {
  if (!plan.layout.buffers.keepMessages || plan.mesh.size(Axis::Pipeline) == 1)
    return 0;
  const double neighbours = (chunk.embedding ? 0 : 1) + (chunk.head ? 0 : 1);
  return neighbours * real(plan.mesh.microBatches) * residualBytes(plan.model, divisionOf(plan));
}

/// The pipeline has two messages in each direction, and one gathered tensor per direction if
/// messages are scattered. Experts have one buffer for sent tokens and one for received tokens.
BufferBytes dpl::cost::bufferBytes(const Plan& plan, const Division& division) {
  BufferBytes bytes;
  if (division.sequenceParallel)
    bytes.gathered = real(plan.layout.buffers.gathered) * division.tokens *
                     real(plan.model.hidden) * activationBytes(division.compute);
  if (plan.mesh.size(Axis::Pipeline) > 1)
    bytes.pipeline = residualBytes(plan.model, division) *
                     (4 * division.residualSplit() / division.messageSplit() +
                      (division.scattersMessages ? 2 : 0));
  double rows = 0;
  for (const LayerType& c : plan.model.layerTypes)
    if (c.feedForward.kind == FeedForwardKind::Experts)
      rows = std::max(rows, expertRows(c.feedForward, division));
  if (plan.mesh.size(Axis::Expert) > 1)
    bytes.experts = 2 * rows * real(plan.model.hidden) * 2;
  return bytes;
}
