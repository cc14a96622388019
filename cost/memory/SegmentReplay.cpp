//===- SegmentReplay.cpp - A rank's tensors in the order in which they come and go ------------===//
#include "cost/memory/SegmentReplay.h"
#include "cost/execution/RankSchedules.h"
#include "cost/memory/PassReplay.h"
#include "cost/memory/RankMemory.h"
#include "cost/programs/MergedPass.h"
#include "ir/Arithmetic.h"
#include "ir/Limits.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <map>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
using Block = CachingAllocator::Block;

/// Runs the steps of a rank.
class Replay {
public:
  Replay(const Plan& plan, const RankMemory& memory, std::uint64_t limit)
      : plan(plan), divider(plan), memory(memory), flat(stepsFromCopy(plan)),
        allocator(plan.layout.buffers.expandableSegments ? CachingAllocator::expandable()
                                                         : CachingAllocator(limit),
                  runsAhead(plan) ? std::optional(HostLead(plan, memory.rank)) : std::nullopt),
        pass(allocator, divider.stream(), plan.layout.away().layers) {
    const MemoryModel model(plan);
    const llvm::SmallVector<HeldChunk, 8> held = heldChunks(plan, memory.rank);
    for (const HeldChunk& chunk : held)
      chunks.push_back(divider.of(*chunk.chunk));
    sums = model.bytesOf(held).gradients;
    const GatheredBytes units = gatheredOf(plan, held);
    standing = tensorBytes(units.stays + units.written + bufferBytes(plan).experts);
    ways = real(plan.stateRanks());
  }

  Segments run(llvm::ArrayRef<ScheduledOperation> operations) {
    states();
    for (unsigned step = 0; step < steps; ++step) {
      passes(operations);
      update(step == 0);
    }
    return {allocator.mostHeld(), allocator.mostUsed(), allocator.passedLimit()};
  }
  /// Tensors of a pass.
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
    for (const PartTensors& part : parts)
      sum += part.count * part.operators.size();
    return sum;
  }

  void states();
  void passes(llvm::ArrayRef<ScheduledOperation> operations);
  void update(bool first);
  void beginGradients();
  void copyGradients();
  template <class Visit> void eachWeight(Visit visit) const {
    for (const ChunkTensors& chunk : chunks)
      for (const PartTensors& part : chunk)
        for (std::uint64_t i = 0; i < part.count; ++i)
          for (const double elements : part.weights)
            visit(elements);
  }

  const Plan& plan;
  TensorDivider divider;
  const RankMemory memory;
  std::vector<ChunkTensors> chunks;
  llvm::SmallVector<std::uint64_t, 16> sums; ///< gradients of each chunk that are summed whole
  std::uint64_t standing = 0;
  double ways = 1;
  bool flat; ///< the optimizer steps from a copy of the gradients of its part, in one piece
  Blocks stepGradients;
  PacedAllocator allocator;
  PassReplay pass;
};

/// Weights one by one; gradients, master weights and what is held for good in one piece each. The
/// moments come with the first update.
void Replay::states() {
  const Precision& p = plan.layout.precision;
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
  const unsigned moments = plan.layout.optimizer == OptimizerKind::Sgd ? 1 : 2;
  const double master = p.hasMaster ? real(bitsOf(p.master)) : 0;
  const double all = master + moments * real(bitsOf(p.moments));
  allocator.allocate(tensorBytes(real(memory.optimizer) * master / all));
  // The optimizer of a part in one piece steps once before training (initialize_optimizer_states).
  for (unsigned i = 0; flat && i < moments; ++i)
    allocator.allocate(tensorBytes(real(memory.optimizer) * real(bitsOf(p.moments)) / all));
  allocator.trim();
  const BufferBytes buffers = bufferBytes(plan);
  const std::uint64_t gathered = tensorBytes(buffers.gathered);
  allocator.allocate(memory.buffers - std::min(memory.buffers, gathered));
  for (std::uint64_t i = 0; i < plan.layout.buffers.gathered; ++i)
    allocator.allocate(gathered / plan.layout.buffers.gathered);
  allocator.allocate(standing);
}

void Replay::passes(llvm::ArrayRef<ScheduledOperation> operations) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, PassReplay::Live> live;
  Blocks summed;
  beginGradients();
  allocator.beginStep();
  for (const ScheduledOperation& op : operations) {
    if (!isPass(op.kind))
      continue;
    allocator.beginPass(operatorsOf(chunks[op.chunk]));
    const auto key = std::make_pair(std::uint64_t{op.chunk}, std::uint64_t{op.microBatch});
    if (op.forward()) {
      live[key] = pass.forward(chunks[op.chunk]);
      continue;
    }
    if (op.kind == OperationKind::Recomputation) {
      pass.bringBack(chunks[op.chunk], live[key]);
      continue;
    }
    pass.backward(chunks[op.chunk], live[key], op.kind);
    if (op.kind != OperationKind::BackwardInput)
      live.erase(key);
    if (summed.empty() && !sums.empty())
      for (const std::uint64_t size : sums)
        summed.push_back(allocator.allocate(size));
  }
  pass.release(summed);
  allocator.settle();
  for (auto& [key, layers] : live)
    pass.drop(layers);
}

/// Tensors that the first backward pass of a step makes.
void Replay::beginGradients() {
  if (!flat)
    return;
  double elements = 0;
  eachWeight([&](double n) { elements += n; });
  const double each = elements > 0 ? real(memory.gradients) / elements : 0;
  eachWeight([&](double n) { stepGradients.push_back(allocator.allocate(tensorBytes(n * each))); });
}

/// DeepSpeed reduces through a bucket of 500 million elements (reduce_bucket_size in
/// runtime/zero/config.py) into one tensor of its part, and before the step flattens that and
/// copies it into another type (reduce_gradients and step in runtime/zero/stage_1_and_2.py at
/// 022f2236).
void Replay::copyGradients() {
  if (!flat)
    return;
  constexpr double bucket = 500'000'000;
  const double type = real(bitsOf(plan.layout.precision.gradients)) / 8;
  const double copied = real(bitsOf(plan.layout.buffers.updateGradients)) / 8;
  const unsigned stage = plan.layout.shard.stage();
  const std::uint64_t own = tensorBytes(real(memory.gradients) / (stage == 1 ? ways : 1));
  const Block reduced = allocator.allocate(tensorBytes(bucket * type));
  const Block part = allocator.allocate(own);
  pass.release(stepGradients);
  allocator.release(reduced);
  const Block one = allocator.allocate(own);
  const Block other = allocator.allocate(tensorBytes(real(own) / type * copied));
  for (const Block block : {part, one, other})
    allocator.release(block);
}

void Replay::update(bool first) {
  const Precision& p = plan.layout.precision;
  copyGradients();
  if (first && !flat) {
    const unsigned moments = plan.layout.optimizer == OptimizerKind::Sgd ? 1 : 2;
    double elements = 0;
    eachWeight([&](double n) { elements += n; });
    const double master = p.hasMaster ? real(bitsOf(p.master)) : 0;
    const double all = master + moments * real(bitsOf(p.moments));
    const double each =
        elements > 0 ? real(memory.optimizer) * real(bitsOf(p.moments)) / all / elements : 0;
    eachWeight([&](double n) {
      for (unsigned i = 0; i < moments; ++i)
        allocator.allocate(tensorBytes(n * each));
    });
  }
  if (!gathersFlat(plan) || memory.update == 0)
    return;
  // What the rank gives, what each gives to it, and the library's one copy of all.
  const double part = real(memory.update) / (2 * ways + 1);
  Blocks copies;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(plan.stateRanks(), 4096) + 1; ++i)
    copies.push_back(allocator.allocate(tensorBytes(part)));
  copies.push_back(allocator.allocate(tensorBytes(part * ways)));
  pass.release(copies);
}

/// The list of the rank, with as few micro-batches as hold as much at once.
std::vector<ScheduledOperation> shortest(const Plan& plan, std::uint64_t rank) {
  const std::vector<ScheduledOperation>& own = plan.schedule[rank].operations;
  PipelineShape shape = pipelineOf(plan);
  const ScheduleInfo& info = scheduleInfo(plan.layout.schedule);
  const std::uint64_t few = 2 * shape.ranks + shape.microBatches % shape.ranks;
  if (shape.lists || info.generateAll || !info.flushed() || shape.turn() != shape.ranks ||
      few >= shape.microBatches)
    return own;
  const ChunkBytes each = MemoryModel(plan).bytesOf(heldChunks(plan, rank));
  shape.microBatches = few;
  OperationList list = listsOf(shape)[rank];
  return livePeak(list, each).bytes < livePeak(own, each).bytes ? own : list;
}
} // namespace

std::optional<Segments> dpl::cost::segmentsOf(const Plan& plan, const RankMemory& memory,
                                              std::uint64_t limit) {
  constexpr std::uint64_t mostTensors = 1'000'000; // a second on a slow machine
  std::uint64_t passes = 0;
  for (const RankSchedule& rank : plan.schedule)
    passes += rank.operations.size();
  if (mergesPairs(plan)) // whose allocations alternate
    return std::nullopt;
  if (memory.peak() >= std::uint64_t{1} << 60 || (runsAhead(plan) && passes > mostTensors))
    return std::nullopt;
  Replay replay(plan, memory, limit);
  const std::vector<ScheduledOperation> operations = shortest(plan, memory.rank);
  if (replay.tensors() * operations.size() > mostTensors)
    return std::nullopt;
  return replay.run(operations);
}
