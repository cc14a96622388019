//===- SegmentReplay.cpp - Replays the allocations of a rank ----------------------------------===//
#include "cost/memory/SegmentReplay.h"
#include "cost/compute/OptimizerRow.h"
#include "cost/execution/RankSchedules.h"
#include "cost/memory/ActionReplay.h"
#include "cost/memory/RankMemory.h"
#include "cost/programs/MergedActions.h"
#include "ir/Arithmetic.h"
#include "ir/Limits.h"
#include <algorithm>
#include <map>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
using BlockId = CachingAllocator::BlockId;

/// Replays the steps of a rank.
class StepReplay {
public:
  StepReplay(const Plan& plan, const RankMemory& memory, std::uint64_t limit)
      : plan(plan), divider(plan), memory(memory), flat(stepsFromCopy(plan)),
        allocator(plan.layout.buffers.expandableSegments ? CachingAllocator::expandable()
                                                         : CachingAllocator(limit),
                  runsAhead(plan) ? std::optional(HostLead(plan, memory.rank)) : std::nullopt),
        replay(allocator, divider.stream(), plan.layout.offloadSettings().layers) {
    const MemoryModel model(plan);
    const llvm::SmallVector<RankChunk, 8> held = rankChunks(plan, memory.rank);
    for (const RankChunk& chunk : held)
      chunks.push_back(divider.of(*chunk.chunk));
    sums = model.bytesOf(held).gradients;
    const GatheredBytes units = gatheredOf(plan, held);
    persistent = tensorBytes(units.persistent + units.writtenInPlace + bufferBytes(plan).experts);
    ways = real(plan.stateRanks());
  }

  SegmentBytes run(llvm::ArrayRef<ScheduledAction> actions) {
    states();
    for (unsigned step = 0; step < steps; ++step) {
      replayActions(actions);
      update(step == 0);
    }
    return {allocator.mostReserved(), allocator.mostAllocated(), allocator.passedLimit()};
  }
  /// Largest number of operators in an action.
  std::uint64_t tensors() const {
    std::uint64_t most = 0;
    for (const ChunkTensors& chunk : chunks)
      most = std::max(most, operatorsOf(chunk));
    return most;
  }

private:
  static constexpr unsigned steps = 2;
  static std::uint64_t operatorsOf(const ChunkTensors& parts) {
    std::uint64_t sum = 0;
    for (const ModuleTensors& module : parts)
      sum += module.count * module.operators.size();
    return sum;
  }

  double momentShare() const;
  /// Tensors of moments per weight, at least one.
  unsigned momentTensors() const {
    return static_cast<unsigned>(std::max(1.0, momentsOf(plan.layout)));
  }
  void states();
  void replayActions(llvm::ArrayRef<ScheduledAction> actions);
  void update(bool first);
  void beginGradients();
  void copyGradients();
  template <class Visit> void eachWeight(Visit visit) const {
    for (const ChunkTensors& chunk : chunks)
      for (const ModuleTensors& module : chunk)
        for (std::uint64_t i = 0; i < module.count; ++i)
          for (const double elements : module.weights)
            visit(elements);
  }

  const Plan& plan;
  TensorDivider divider;
  const RankMemory memory;
  std::vector<ChunkTensors> chunks;
  llvm::SmallVector<std::uint64_t, 16> sums; ///< unsharded gradients of each chunk
  std::uint64_t persistent = 0;
  double ways = 1;
  bool flat; ///< the optimizer steps from a flat copy of its gradients
  Blocks stepGradients;
  PacedAllocator allocator;
  ActionReplay replay;
};

/// The share of the moments in the optimizer state.
double StepReplay::momentShare() const {
  double trained = 0, moments = 0;
  for (const RankChunk& chunk : rankChunks(plan, memory.rank)) {
    const UsedParameters of = allParameters(plan.layout, *chunk.cost);
    trained += of.trained, moments += of.moments;
  }
  const double bits = moments * momentBits(plan.layout),
               all = trained * masterBits(plan.layout) + bits;
  return all > 0 ? bits / all : 0;
}

/// Allocates weights one by one, and gradients, master weights and permanent buffers in one block
/// each. Moments are allocated in the first update.
void StepReplay::states() {
  double elements = 0;
  eachWeight([&](double n) { elements += n; });
  const double each = elements > 0 ? real(memory.parameters) / elements : 0;
  if (flat)
    allocator.allocate(memory.parameters);
  else
    eachWeight([&](double n) { allocator.allocate(tensorBytes(n * each)); });
  double buckets = 0;
  if (plan.layout.buffers.hasBuckets && plan.layout.shard.stage() < 1 && ways > 1)
    buckets = elements * real(bitsOf(plan.layout.buffers.buckets)) / 8;
  const std::uint64_t bucket = plan.layout.gradientBucket >= leastBucket
                                   ? plan.layout.gradientBucket
                                   : std::uint64_t{25} << 20;
  if (!flat)
    allocator.allocate(memory.gradients - std::min(memory.gradients, tensorBytes(buckets)));
  for (double left = buckets; left >= 1; left -= std::max(real(bucket), buckets / 4096))
    allocator.allocate(tensorBytes(std::min(left, std::max(real(bucket), buckets / 4096))));
  const unsigned tensors = momentTensors();
  allocator.allocate(tensorBytes(real(memory.optimizer) * (1 - momentShare())));
  // DeepSpeed's flat optimizer steps once before training (initialize_optimizer_states).
  for (unsigned i = 0; flat && i < tensors; ++i)
    allocator.allocate(tensorBytes(real(memory.optimizer) * momentShare() / tensors));
  allocator.trim();
  const BufferBytes buffers = bufferBytes(plan);
  const std::uint64_t gathered = tensorBytes(buffers.gathered);
  allocator.allocate(memory.buffers - std::min(memory.buffers, gathered));
  for (std::uint64_t i = 0; i < plan.layout.buffers.gathered; ++i)
    allocator.allocate(gathered / plan.layout.buffers.gathered);
  allocator.allocate(persistent);
}

void StepReplay::replayActions(llvm::ArrayRef<ScheduledAction> actions) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, ActionReplay::Live> live;
  Blocks summed;
  beginGradients();
  allocator.beginStep();
  for (const ScheduledAction& op : actions) {
    if (!isChunkAction(op.kind))
      continue;
    allocator.beginAction(operatorsOf(chunks[op.chunk]));
    const auto key = std::make_pair(std::uint64_t{op.chunk}, std::uint64_t{op.microBatch});
    if (op.forward()) {
      live[key] = replay.forward(chunks[op.chunk]);
      continue;
    }
    if (op.kind == ActionKind::Recomputation) {
      replay.recompute(chunks[op.chunk], live[key]);
      continue;
    }
    replay.backward(chunks[op.chunk], live[key], op.kind);
    if (op.kind != ActionKind::BackwardInput)
      live.erase(key);
    if (summed.empty() && !sums.empty())
      for (const std::uint64_t size : sums)
        summed.push_back(allocator.allocate(size));
  }
  replay.release(summed);
  allocator.settle();
  for (auto& [key, layers] : live)
    replay.drop(layers);
}

/// Allocates the gradients of a step before its first action.
void StepReplay::beginGradients() {
  if (!flat)
    return;
  double elements = 0;
  eachWeight([&](double n) { elements += n; });
  const double each = elements > 0 ? real(memory.gradients) / elements : 0;
  eachWeight([&](double n) { stepGradients.push_back(allocator.allocate(tensorBytes(n * each))); });
}

/// DeepSpeed reduces gradients through a bucket of 500 million elements (reduce_bucket_size in
/// runtime/zero/config.py) into one tensor of the rank's shard. Before the step it flattens this
/// tensor and copies it into another type (reduce_gradients and step in
/// runtime/zero/stage_1_and_2.py at 022f2236).
void StepReplay::copyGradients() {
  if (!flat)
    return;
  constexpr double bucket = 500'000'000;
  const double type = real(bitsOf(plan.layout.precision.gradients)) / 8;
  const double copied = real(bitsOf(plan.layout.buffers.updateGradients)) / 8;
  const unsigned stage = plan.layout.shard.stage();
  const std::uint64_t own = tensorBytes(real(memory.gradients) / (stage == 1 ? ways : 1));
  const BlockId reduced = allocator.allocate(tensorBytes(bucket * type));
  const BlockId part = allocator.allocate(own);
  replay.release(stepGradients);
  allocator.release(reduced);
  const BlockId one = allocator.allocate(own);
  const BlockId other = allocator.allocate(tensorBytes(real(own) / type * copied));
  for (const BlockId block : {part, one, other})
    allocator.release(block);
}

void StepReplay::update(bool first) {
  copyGradients();
  if (first && !flat) {
    const unsigned tensors = momentTensors();
    double elements = 0;
    eachWeight([&](double n) { elements += n; });
    const double each =
        elements > 0 ? real(memory.optimizer) * momentShare() / tensors / elements : 0;
    eachWeight([&](double n) {
      for (unsigned i = 0; i < tensors; ++i)
        allocator.allocate(tensorBytes(n * each));
    });
  }
  if (!gathersFlat(plan) || memory.update == 0)
    return;
  // The rank's own shard, one shard from each rank, and the library's copy of all of them.
  const double part = real(memory.update) / (2 * ways + 1);
  Blocks copies;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(plan.stateRanks(), 4096) + 1; ++i)
    copies.push_back(allocator.allocate(tensorBytes(part)));
  copies.push_back(allocator.allocate(tensorBytes(part * ways)));
  replay.release(copies);
}

/// A schedule of the rank with fewer micro-batches and the same peak; otherwise its own schedule.
std::vector<ScheduledAction> shortest(const Plan& plan, std::uint64_t rank) {
  const std::vector<ScheduledAction>& own = plan.schedule[rank].actions;
  PipelineShape shape = pipelineOf(plan);
  const ScheduleInfo& info = scheduleInfo(plan.layout.schedule);
  const std::uint64_t few = 2 * shape.ranks + shape.microBatches % shape.ranks;
  if (shape.customSchedule || info.generateAll || !info.flushed() ||
      shape.microBatchGroupSize() != shape.ranks || few >= shape.microBatches)
    return own;
  const ChunkBytes each = MemoryModel(plan).bytesOf(rankChunks(plan, rank));
  shape.microBatches = few;
  ActionList schedule = perRankSchedules(shape)[rank];
  return livePeak(schedule, each).bytes < livePeak(own, each).bytes ? own : schedule;
}
} // namespace

std::optional<SegmentBytes> dpl::cost::segmentsOf(const Plan& plan, const RankMemory& memory,
                                                  std::uint64_t limit) {
  constexpr std::uint64_t mostTensors = 1'000'000; // a replay of one second on a slow machine
  std::uint64_t passes = 0;
  for (const RankSchedule& rank : plan.schedule)
    passes += rank.actions.size();
  if (mergesPairs(plan)) // the allocations of the two actions of a pair alternate
    return std::nullopt;
  if (memory.peak() >= std::uint64_t{1} << 60 || (runsAhead(plan) && passes > mostTensors))
    return std::nullopt;
  StepReplay replay(plan, memory, limit);
  const std::vector<ScheduledAction> actions = shortest(plan, memory.rank);
  if (replay.tensors() * actions.size() > mostTensors)
    return std::nullopt;
  return replay.run(actions);
}
