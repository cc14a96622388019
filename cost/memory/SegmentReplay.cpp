//===- SegmentReplay.cpp - A rank's tensors in the order in which they come and go ------------===//
#include "cost/memory/SegmentReplay.h"
#include "cost/memory/PacedAllocator.h"
#include "cost/memory/PassTensors.h"
#include "cost/memory/RankMemory.h"
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
using Blocks = llvm::SmallVector<Block, 4>;

/// Runs the passes of a rank.
class Replay {
public:
  Replay(const Plan& plan, const RankMemory& memory, std::uint64_t limit)
      : plan(plan), divider(plan), memory(memory),
        flat(plan.layout.buffers.hasUpdateGradients && plan.layout.shard.stage() >= 1),
        allocator(plan.layout.buffers.expandableSegments ? CachingAllocator::expandable()
                                                         : CachingAllocator(limit),
                  runsAhead(plan) ? std::optional(HostLead(plan, memory.rank)) : std::nullopt) {
    const MemoryModel model(plan);
    const llvm::SmallVector<HeldChunk, 8> held = heldChunks(plan, memory.rank);
    for (const HeldChunk& chunk : held)
      chunks.push_back(divider.of(*chunk.chunk));
    sums = model.bytesOf(held).gradients;
    standing = tensorBytes(model.gathered(memory.rank) + bufferBytes(plan).experts);
    ways = real(plan.stateRanks());
    if (!plan.layout.offload.empty())
      offloaded = plan.layout.offload.front().layers;
  }

  Segments run(llvm::ArrayRef<ScheduledOperation> operations) {
    states();
    for (unsigned step = 0; step < steps; ++step) {
      passes(operations);
      update(step == 0);
    }
    return {allocator.mostHeld(), allocator.mostUsed()};
  }
  /// Tensors of a pass.
  std::uint64_t tensors() const {
    std::uint64_t most = 0;
    for (const std::vector<PartTensors>& chunk : chunks)
      most = std::max(most, operatorsOf(chunk));
    return most;
  }

private:
  static constexpr unsigned steps = 2;
  static std::uint64_t operatorsOf(const std::vector<PartTensors>& parts) {
    std::uint64_t sum = 0;
    for (const PartTensors& part : parts)
      sum += part.count * part.operators.size();
    return sum;
  }
  struct Layer {
    std::vector<Blocks> kept;
    Block input = CachingAllocator::none;
    Blocks inner;      ///< points of the residual stream inside
    Blocks again;      ///< brought back, by operator; empty before a pass does it
    bool away = false; ///< what it keeps goes to the host and comes back
  };
  using Live = std::vector<Layer>;

  void states();
  void passes(llvm::ArrayRef<ScheduledOperation> operations);
  Live forward(const std::vector<PartTensors>& parts);
  void forward(const PartTensors& part, Layer& layer, Block& stream);
  void bringBack(const PartTensors& part, Layer& layer, bool back) {
    for (const OperatorTensors& t : part.operators)
      layer.again.push_back(back ? allocator.allocate(t.again) : CachingAllocator::none);
  }
  void bringBack(const std::vector<PartTensors>& parts, Live& live);
  void backward(const std::vector<PartTensors>& parts, Live& live, OperationKind kind);
  void backward(const PartTensors& part, Layer& layer, OperationKind kind, Blocks& gradients);
  void update(bool first);
  void beginGradients();
  void copyGradients();
  template <class Visit> void eachWeight(Visit visit) const {
    for (const std::vector<PartTensors>& chunk : chunks)
      for (const PartTensors& part : chunk)
        for (std::uint64_t i = 0; i < part.count; ++i)
          for (const double elements : part.weights)
            visit(elements);
  }
  /// What is kept of a layer goes to the host, or comes back.
  void leave(const PartTensors& part, Layer& layer);
  void comeBack(const PartTensors& part, Layer& layer);
  void release(Blocks& blocks) {
    for (const Block block : blocks)
      allocator.release(block);
    blocks.clear();
  }
  /// A tensor that is gone at once.
  void touch(std::uint64_t bytes) { allocator.release(allocator.allocate(bytes)); }

  const Plan& plan;
  TensorDivider divider;
  const RankMemory memory;
  std::vector<std::vector<PartTensors>> chunks;
  llvm::SmallVector<std::uint64_t, 16> sums; ///< gradients of each chunk that are summed whole
  std::uint64_t standing = 0;
  std::uint64_t offloaded = 0; ///< layers of each chunk
  double ways = 1;
  bool flat; ///< the optimizer steps from a copy of the gradients of its part, in one piece
  Blocks stepGradients;
  PacedAllocator allocator;
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

void Replay::forward(const PartTensors& part, Layer& layer, Block& stream) {
  Block output = CachingAllocator::none;
  const Block input = stream;
  for (const OperatorTensors& t : part.operators) {
    allocator.goOn();
    if (t.summed > 0 && !layer.kept.empty())
      for (const Block block : layer.kept.back())
        allocator.call(block); // gathered for the product
    touch(t.gathered);
    Blocks kept;
    for (const std::uint64_t size : t.kept)
      kept.push_back(allocator.allocate(size));
    layer.kept.push_back(kept);
    const Block dropped = allocator.allocate(t.again);
    touch(t.working);
    if (t.adds) {
      const Block sum = allocator.allocate(divider.stream());
      if (part.whole && stream != input)
        allocator.release(stream);
      else if (stream != input)
        layer.inner.push_back(stream);
      stream = sum;
    }
    Block next = allocator.allocate(t.output);
    if (t.scattered > 0) {
      const Block scattered = allocator.allocate(t.scattered);
      allocator.call(next), allocator.call(scattered);
      allocator.release(next);
      next = scattered;
    }
    allocator.release(dropped);
    allocator.release(output);
    output = next;
  }
  if (!part.stream)
    stream = allocator.allocate(divider.stream());
  allocator.release(output);
}

Replay::Live Replay::forward(const std::vector<PartTensors>& parts) {
  Live live;
  Block stream = CachingAllocator::none;
  if (llvm::all_of(parts, [](const PartTensors& part) { return part.stream; }))
    stream = allocator.allocate(divider.stream()); // from the stage before
  Block kept = CachingAllocator::none;             // by the last part that reads it
  std::uint64_t layers = 0;
  const auto add = [&](const PartTensors& part) {
    for (std::uint64_t i = 0; i < part.count; ++i) {
      Layer& layer = live.emplace_back();
      if (part.stream && stream != kept)
        layer.input = kept = stream;
      layer.away = part.stream && layers++ < offloaded;
      forward(part, layer, stream);
      if (layer.away)
        leave(part, layer);
    }
  };
  for (const PartTensors& part : parts)
    if (!part.stream)
      add(part);
  for (const PartTensors& part : parts)
    if (part.stream)
      add(part);
  if (stream != kept)
    allocator.release(stream); // to the stage behind
  return live;
}

void Replay::backward(const PartTensors& part, Layer& layer, OperationKind kind,
                      Blocks& gradients) {
  const bool frees = kind != OperationKind::BackwardInput;
  const bool input = kind != OperationKind::BackwardWeight;
  if (layer.away)
    comeBack(part, layer);
  if (layer.again.empty())
    bringBack(part, layer, input);
  const bool scatters =
      llvm::any_of(part.operators, [](const OperatorTensors& t) { return t.summed > 0; });
  Block gradient = CachingAllocator::none;
  for (std::size_t i = part.operators.size(); i-- > 0;) {
    const OperatorTensors& t = part.operators[i];
    allocator.goOn();
    if (input) {
      touch(t.gathered);
      Block next = allocator.allocate(t.gradient);
      touch(t.backwardWorking);
      if (t.summed > 0) {
        const Block sum = allocator.allocate(t.summed);
        allocator.call(next), allocator.call(sum);
        allocator.release(next);
        next = sum;
      }
      if (t.gradient > 0) {
        allocator.release(gradient);
        gradient = next;
      }
      if (t.begins) {
        if (scatters)
          allocator.call(gradient);
        allocator.release(gradient);
        gradient = CachingAllocator::none;
      }
    }
    if (frees) {
      gradients.push_back(allocator.allocate(t.weights));
      release(layer.kept[i]);
      if (t.begins && !layer.inner.empty())
        allocator.release(layer.inner.pop_back_val());
    }
    if (frees)
      allocator.release(layer.again[i]);
  }
  allocator.release(gradient);
  if (!frees)
    return;
  layer.again.clear();
  gradients.push_back(allocator.allocate(part.rest));
  release(layer.inner);
  allocator.release(layer.input);
}

void Replay::leave(const PartTensors& part, Layer& layer) {
  for (std::size_t i = 0; i < part.operators.size(); ++i)
    release(layer.kept[i]);
}

void Replay::comeBack(const PartTensors& part, Layer& layer) {
  layer.away = false;
  for (std::size_t i = 0; i < part.operators.size(); ++i)
    for (const std::uint64_t size : part.operators[i].kept)
      layer.kept[i].push_back(allocator.allocate(size));
}

/// In the order of `forward`.
void Replay::bringBack(const std::vector<PartTensors>& parts, Live& live) {
  std::size_t next = 0;
  for (const bool stream : {false, true})
    for (const PartTensors& part : parts)
      for (std::uint64_t i = 0; part.stream == stream && i < part.count; ++i)
        bringBack(part, live[next++], true);
}

void Replay::backward(const std::vector<PartTensors>& parts, Live& live, OperationKind kind) {
  Blocks gradients;
  const Block stream = allocator.allocate(divider.stream());
  const auto sub = [&](const PartTensors& part, std::size_t& behind) {
    for (std::uint64_t i = 0; i < part.count; ++i)
      backward(part, live[--behind], kind, gradients);
  };
  std::size_t behind = live.size();
  for (const PartTensors& part : llvm::reverse(parts))
    if (part.stream)
      sub(part, behind);
  for (const PartTensors& part : llvm::reverse(parts))
    if (!part.stream)
      sub(part, behind);
  allocator.release(stream);
  release(gradients);
}

void Replay::passes(llvm::ArrayRef<ScheduledOperation> operations) {
  std::map<std::pair<std::uint64_t, std::uint64_t>, Live> live;
  Blocks summed;
  beginGradients();
  allocator.beginStep();
  for (const ScheduledOperation& op : operations) {
    if (!isPass(op.kind))
      continue;
    allocator.beginPass(operatorsOf(chunks[op.chunk]));
    const auto key = std::make_pair(std::uint64_t{op.chunk}, std::uint64_t{op.microBatch});
    if (op.forward()) {
      live[key] = forward(chunks[op.chunk]);
      continue;
    }
    if (op.kind == OperationKind::Recomputation) {
      bringBack(chunks[op.chunk], live[key]);
      continue;
    }
    backward(chunks[op.chunk], live[key], op.kind);
    if (op.kind != OperationKind::BackwardInput)
      live.erase(key);
    if (summed.empty() && !sums.empty())
      for (const std::uint64_t size : sums)
        summed.push_back(allocator.allocate(size));
  }
  release(summed);
  allocator.settle();
  for (auto& [key, layers] : live)
    for (Layer& layer : layers) {
      for (Blocks& kept : layer.kept)
        release(kept);
      release(layer.inner);
      allocator.release(layer.input);
    }
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
  release(stepGradients);
  allocator.release(reduced);
  const Block one = allocator.allocate(own);
  const Block other = allocator.allocate(tensorBytes(real(own) / type * copied));
  for (const Block block : {part, one, other})
    allocator.release(block);
}

void Replay::update(bool first) {
  const Precision& p = plan.layout.precision;
  const unsigned stage = plan.layout.shard.stage();
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
  if (!plan.layout.buffers.flatUpdate || memory.update == 0 || stage < 1)
    return;
  // What the rank gives, what each gives to it, and the library's one copy of all.
  const double part = real(memory.update) / (2 * ways + 1);
  Blocks copies;
  for (std::uint64_t i = 0; i < std::min<std::uint64_t>(plan.stateRanks(), 4096) + 1; ++i)
    copies.push_back(allocator.allocate(tensorBytes(part)));
  copies.push_back(allocator.allocate(tensorBytes(part * ways)));
  release(copies);
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
  if (memory.peak() >= std::uint64_t{1} << 60 || (runsAhead(plan) && passes > mostTensors))
    return std::nullopt;
  Replay replay(plan, memory, limit);
  const std::vector<ScheduledOperation> operations = shortest(plan, memory.rank);
  if (replay.tensors() * operations.size() > mostTensors)
    return std::nullopt;
  return replay.run(operations);
}
