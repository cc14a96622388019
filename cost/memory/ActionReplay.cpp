//===- ActionReplay.cpp - Allocates and frees the tensors of one action -----------------------===//
#include "cost/memory/ActionReplay.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void ActionReplay::release(Blocks& blocks) {
  for (const BlockId block : blocks)
    allocator.release(block);
  blocks.clear();
}

void ActionReplay::drop(Live& live) {
  for (ReplayedLayer& layer : live) {
    for (Blocks& kept : layer.saved)
      release(kept);
    release(layer.inner);
    allocator.release(layer.input);
  }
}

/// Allocates the saved tensors of an operator. The tensors that the operator frees right afterwards
/// are allocated before them.
Blocks ActionReplay::save(const OperatorTensors& t) {
  Blocks before;
  before.push_back(allocator.allocate(t.unordered));
  // An eager loss allocates fp32 logits, logits minus their maximum, and exponentials. They are
  // freed after the saved tensors are allocated.
  for (unsigned i = 0; t.step > 0 && i < 2; ++i)
    before.push_back(allocator.allocate(t.step));
  touch(t.step);
  Blocks kept;
  for (const std::uint64_t size : t.saved)
    kept.push_back(allocator.allocate(size));
  release(before);
  return kept;
}

void ActionReplay::forward(const ModuleTensors& module, ReplayedLayer& layer, BlockId& stream) {
  BlockId output = CachingAllocator::none;
  const BlockId input = stream;
  for (const OperatorTensors& t : module.operators) {
    allocator.nextOperator();
    if (t.summed > 0 && !layer.saved.empty())
      for (const BlockId block : layer.saved.back())
        allocator.useInCollective(block); // the all-gather before the GEMM reads it
    touch(t.gathered);
    layer.saved.push_back(save(t));
    const BlockId dropped = allocator.allocate(t.recomputed);
    touch(t.temporary);
    if (t.adds) {
      const BlockId sum = allocator.allocate(streamBytes);
      if (module.recomputed && stream != input)
        allocator.release(stream);
      else if (stream != input)
        layer.inner.push_back(stream);
      stream = sum;
    }
    BlockId next = allocator.allocate(t.output);
    if (t.scattered > 0) {
      const BlockId scattered = allocator.allocate(t.scattered);
      allocator.useInCollective(next), allocator.useInCollective(scattered);
      allocator.release(next);
      next = scattered;
    }
    allocator.release(dropped);
    allocator.release(output);
    output = next;
  }
  if (!module.stream)
    stream = allocator.allocate(streamBytes);
  allocator.release(output);
}

ActionReplay::Live ActionReplay::forward(const ChunkTensors& parts) {
  Live live;
  BlockId stream = CachingAllocator::none;
  if (llvm::all_of(parts, [](const ModuleTensors& module) { return module.stream; }))
    stream = allocator.allocate(streamBytes); // received from the previous stage
  BlockId kept = CachingAllocator::none;      // residual stream that a layer saved as its input
  std::uint64_t layers = 0;
  const auto add = [&](const ModuleTensors& module) {
    for (std::uint64_t i = 0; i < module.count; ++i) {
      ReplayedLayer& layer = live.emplace_back();
      if (module.stream && stream != kept)
        layer.input = kept = stream;
      layer.offloaded = module.layers && layers++ < offloaded;
      forward(module, layer, stream);
      offload(module, layer);
    }
  };
  for (const ModuleTensors& module : parts)
    if (!module.stream)
      add(module);
  for (const ModuleTensors& module : parts)
    if (module.stream)
      add(module);
  if (stream != kept)
    allocator.release(stream); // sent to the next stage
  return live;
}

/// Allocates the gradient of an operator's input. The gradient of logits runs through the kernels
/// of the loss: zeros with the target set, exponentials of the saved tensor, their sum, its product
/// with the incoming gradient, and a cast.
ActionReplay::BlockId ActionReplay::gradientOf(const OperatorTensors& t) {
  if (t.step == 0)
    return allocator.allocate(t.gradient);
  Blocks steps;
  for (unsigned i = 0; i < 2; ++i)
    steps.push_back(allocator.allocate(t.step));
  const BlockId sum = allocator.allocate(t.step);
  allocator.release(steps.pop_back_val());
  const BlockId product = allocator.allocate(t.step);
  release(steps);
  allocator.release(sum);
  const BlockId gradient = allocator.allocate(t.gradient);
  allocator.release(product);
  return gradient;
}

void ActionReplay::backward(const ModuleTensors& module, ReplayedLayer& layer, ActionKind kind,
                            Blocks& gradients) {
  const bool frees = kind != ActionKind::BackwardInput;
  const bool input = kind != ActionKind::BackwardWeight;
  if (!layer.fetched)
    fetch(module, layer);
  if (layer.recomputed.empty())
    recompute(module, layer, input);
  const bool scatters =
      llvm::any_of(module.operators, [](const OperatorTensors& t) { return t.summed > 0; });
  BlockId gradient = CachingAllocator::none;
  for (std::size_t i = module.operators.size(); i-- > 0;) {
    const OperatorTensors& t = module.operators[i];
    allocator.nextOperator();
    if (input) {
      touch(t.gathered);
      BlockId next = gradientOf(t);
      touch(t.backwardTemporary);
      if (t.summed > 0) {
        const BlockId sum = allocator.allocate(t.summed);
        allocator.useInCollective(next), allocator.useInCollective(sum);
        allocator.release(next);
        next = sum;
      }
      if (t.gradient > 0) {
        allocator.release(gradient);
        gradient = next;
      }
      if (t.begins) {
        if (scatters)
          allocator.useInCollective(gradient);
        allocator.release(gradient);
        gradient = CachingAllocator::none;
      }
    }
    if (frees) {
      gradients.push_back(allocator.allocate(t.weights));
      release(layer.saved[i]);
      if (t.begins && !layer.inner.empty())
        allocator.release(layer.inner.pop_back_val());
      allocator.release(layer.recomputed[i]);
    }
  }
  allocator.release(gradient);
  if (!frees)
    return;
  layer.recomputed.clear();
  gradients.push_back(allocator.allocate(module.rest));
  release(layer.inner);
  allocator.release(layer.input);
}

void ActionReplay::offload(const ModuleTensors& module, ReplayedLayer& layer) {
  for (std::size_t i = 0; i < module.operators.size(); ++i)
    if (layer.offloaded || module.operators[i].offloaded)
      release(layer.saved[i]);
  if (!layer.offloaded && !module.inputOffloaded)
    return;
  layer.inputOffloaded = layer.input != CachingAllocator::none;
  allocator.release(std::exchange(layer.input, CachingAllocator::none));
}

void ActionReplay::fetch(const ModuleTensors& module, ReplayedLayer& layer) {
  layer.fetched = true;
  for (std::size_t i = 0; i < module.operators.size(); ++i)
    for (const std::uint64_t size : module.operators[i].saved)
      if (layer.offloaded || module.operators[i].offloaded)
        layer.saved[i].push_back(allocator.allocate(size));
  if (layer.inputOffloaded)
    layer.input = allocator.allocate(streamBytes);
}

void ActionReplay::recompute(const ModuleTensors& module, ReplayedLayer& layer, bool back) {
  for (const OperatorTensors& t : module.operators)
    layer.recomputed.push_back(back ? allocator.allocate(t.recomputed) : CachingAllocator::none);
}

/// Visits the layers in the order in which `forward` added them to `live`.
void ActionReplay::recompute(const ChunkTensors& parts, Live& live) {
  std::size_t next = 0;
  for (const bool stream : {false, true})
    for (const ModuleTensors& module : parts)
      for (std::uint64_t i = 0; module.stream == stream && i < module.count; ++i)
        recompute(module, live[next++], true);
}

void ActionReplay::backward(const ChunkTensors& parts, Live& live, ActionKind kind) {
  Blocks gradients;
  const BlockId stream = allocator.allocate(streamBytes);
  const auto sub = [&](const ModuleTensors& module, std::size_t& behind) {
    const BlockId units = allocator.allocate(module.gatheredParameters);
    for (std::uint64_t i = 0; i < module.count; ++i)
      backward(module, live[--behind], kind, gradients);
    allocator.release(units);
  };
  std::size_t behind = live.size();
  for (const ModuleTensors& module : llvm::reverse(parts))
    if (module.stream)
      sub(module, behind);
  for (const ModuleTensors& module : llvm::reverse(parts))
    if (!module.stream)
      sub(module, behind);
  allocator.release(stream);
  release(gradients);
}
