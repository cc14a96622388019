//===- RankMemory.cpp - Memory of the pipeline ranks from their schedule ----------------------===//
#include "cost/memory/RankMemory.h"
#include "cost/CostModel.h"
#include "cost/memory/LivePeak.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

MemoryModel::MemoryModel(const Plan& plan) : MemoryModel(plan, bufferBytes(plan)) {}

RankMemory MemoryModel::idle(std::uint64_t rank, llvm::ArrayRef<HeldChunk> chunks) const {
  RankMemory m;
  m.rank = rank;
  limit(m);
  double transient = 0;
  for (const HeldChunk& chunk : chunks)
    for (const Part& part : partsOf(*chunk.cost)) {
      addState(m, part);
      transient = std::max(transient, gathered(part, chunk.layers));
    }
  m.transient = whole(transient + buffers.messages());
  m.buffers += whole(buffers.gathered);
  return m;
}

RankMemory MemoryModel::of(std::uint64_t rank, llvm::ArrayRef<HeldChunk> chunks,
                           PeakOf peakOf) const {
  RankMemory m = idle(rank, chunks);
  llvm::SmallVector<std::uint64_t, 16> bytes, working;
  for (const HeldChunk& chunk : chunks) {
    bytes.push_back(chunk.cost->activationBytes);
    working.push_back(chunk.cost->workingBytes);
  }
  const LivePeak peak = peakOf(bytes, working);
  double held = 0, kept = 0, live = 0;
  for (std::size_t c = 0; c < bytes.size(); ++c) {
    held += real(peak.live[c]) * real(bytes[c]);
    kept += real(bytes[c]);
    live += real(peak.live[c]);
  }
  m.activations = whole(held);
  // A micro-batch runs the chunks of one direction.
  m.inFlight =
      (kept > 0 ? held / kept : live / real(bytes.size())) * real(plan.placement.directions());
  m.transient += peak.bytes - m.activations;
  return m;
}

double MemoryModel::gathered(std::uint64_t rank) const {
  double most = 0;
  if (plan.layout.shard.stage() < 2)
    return most;
  for (std::size_t i = 0; i < plan.costs.size(); ++i)
    if (plan.costs[i].rank == rank)
      for (const Part& part : partsOf(plan.costs[i]))
        most = std::max(most, gathered(part, plan.chunks[i].layers));
  return most;
}

/// Of the devices that hold the rank the one that has the least left after what it reserves.
void MemoryModel::limit(RankMemory& m) const {
  const auto left = [](const Device& d) {
    return static_cast<std::int64_t>(d.memory) - static_cast<std::int64_t>(d.reserved);
  };
  const Device* least = nullptr;
  for (const std::uint64_t c : plan.mesh.held[plan.mesh.heldIndex(m.rank)].classes)
    if (const Device& d = plan.cluster.classes[c].device; !least || left(d) < left(*least))
      least = &d;
  m.usable = least->memory;
  m.reserved = least->reserved;
  m.buffers = least->workspace;
}

llvm::SmallVector<MemoryModel::Part, 2> MemoryModel::partsOf(const ChunkCost& cost) const {
  const double ways = real(plan.stateRanks());
  if (plan.mesh.expertAxes.empty())
    return {Part{real(cost.parameters + cost.expertParameters), ways}};
  return {Part{real(cost.parameters), ways},
          Part{real(cost.expertParameters), real(plan.expertStateRanks())}};
}

void MemoryModel::addState(RankMemory& m, const Part& part) const {
  const Precision& p = plan.layout.precision;
  const unsigned stage = plan.layout.shard.stage();
  const auto add = [&](std::uint64_t& to, double bits, unsigned from) {
    to += whole(part.parameters * bits / 8 / (stage >= from ? part.ways : 1));
  };
  const double moments = plan.layout.optimizer == OptimizerKind::Sgd ? 1 : 2;
  const PipelineShape shape =
      pipelineOf(plan.layout, plan.mesh.size(Axis::Pipeline), plan.mesh.microBatches);
  add(m.parameters, real(weightVersions(shape, m.rank) * bitsOf(p.parameters)), 3);
  add(m.gradients, real(bitsOf(p.gradients)), 2);
  const Buffers& held = plan.layout.buffers;
  if (held.hasBuckets && stage < 2 && part.ways > 1)
    add(m.gradients, real(bitsOf(held.buckets)), 4);
  // What a rank gives and what all of them give, each in one piece.
  if (held.flatUpdate && stage == 1 && part.ways > 1)
    m.update += whole(part.parameters * real(bitsOf(p.parameters)) / 8 * (1 + 1 / part.ways));
  add(m.optimizer, (p.hasMaster ? real(bitsOf(p.master)) : 0) + moments * real(bitsOf(p.moments)),
      1);
}

/// Whole layers that exist only while they are used: under stage 3 the gathered parameters of the
/// layer that runs and of the one prefetched (of all layers without reshard), and the gradients
/// of a layer before they are scattered.
double MemoryModel::gathered(const Part& part, std::uint64_t layers) const {
  const Precision& p = plan.layout.precision;
  const unsigned stage = plan.layout.shard.stage();
  if (stage < 2 || part.ways < 2)
    return 0;
  const double layer = part.parameters / std::max<double>(1, real(layers));
  const double gradient = layer * real(bitsOf(p.reduce)) / 8;
  if (stage == 2)
    return 2 * gradient;
  const double width = activationBytes(p.compute);
  const double parameters = (plan.layout.shard.reshard ? 2 * layer : part.parameters) * width;
  return parameters + 2 * gradient;
}

std::vector<RankMemory> dpl::cost::memoryOf(const Plan& plan) {
  const MemoryModel model(plan);
  std::vector<RankMemory> memory;
  std::vector<HeldChunk> all(plan.schedule.size() * plan.placement.chunks); // by rank
  for (std::size_t i = 0; i < plan.costs.size(); ++i)
    all[plan.costs[i].rank * plan.placement.chunks + plan.costs[i].chunk] = {&plan.costs[i],
                                                                             plan.chunks[i].layers};
  const PipelineShape shape = heldShape(pipelineOf(plan));
  const OperationLists longer =
      shape.microBatches > plan.mesh.microBatches ? listsOf(shape) : OperationLists();
  for (const RankSchedule& rank : plan.schedule) {
    const llvm::ArrayRef<HeldChunk> chunks =
        llvm::makeArrayRef(all).slice(rank.rank * plan.placement.chunks, plan.placement.chunks);
    memory.push_back(model.of(rank.rank, chunks, [&](auto bytes, auto working) {
      return livePeak(longer.empty() ? rank.operations : longer[rank.rank], bytes, working);
    }));
  }
  return memory;
}

double dpl::cost::gatheredBytes(const Plan& plan, std::uint64_t rank) {
  return MemoryModel(plan).gathered(rank);
}

/// Of the pipeline one message each way and twice, and what is gathered of each way's; of experts
/// what an exchange sends and receives.
BufferBytes dpl::cost::bufferBytes(const Plan& plan) {
  const Division division = divisionOf(plan);
  BufferBytes bytes;
  if (division.sequenceParallel)
    bytes.gathered = real(plan.layout.buffers.gathered) * division.tokens *
                     real(plan.model.hidden) * activationBytes(division.compute);
  if (plan.mesh.size(Axis::Pipeline) > 1)
    bytes.pipeline = residualBytes(plan.model, division) *
                     (4 * division.residualSplit() / division.messageSplit() +
                      (division.scattersMessages ? 2 : 0));
  double rows = 0;
  for (const LayerClass& c : plan.model.classes)
    if (c.feedForward.kind == FeedForwardKind::Experts)
      rows = std::max(rows, expertRows(c.feedForward, division));
  if (plan.mesh.size(Axis::Expert) > 1)
    bytes.experts = 2 * rows * real(plan.model.hidden) * 2;
  return bytes;
}
