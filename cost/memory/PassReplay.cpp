//===- PassReplay.cpp - The tensors of a pass in the order in which they come and go ----------===//
#include "cost/memory/PassReplay.h"
#include "llvm/ADT/STLExtras.h"
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

void PassReplay::release(Blocks& blocks) {
  for (const Block block : blocks)
    allocator.release(block);
  blocks.clear();
}

void PassReplay::drop(Live& live) {
  for (Layer& layer : live) {
    for (Blocks& kept : layer.kept)
      release(kept);
    release(layer.inner);
    allocator.release(layer.input);
  }
}

/// What an operator keeps, with what is there before it and gone behind it.
Blocks PassReplay::keep(const OperatorTensors& t) {
  Blocks before;
  before.push_back(allocator.allocate(t.unordered));
  // Of the steps of a loss the fp32 logits, those less their maximum, and exponentials, which make
  // room for what is kept.
  for (unsigned i = 0; t.step > 0 && i < 2; ++i)
    before.push_back(allocator.allocate(t.step));
  touch(t.step);
  Blocks kept;
  for (const std::uint64_t size : t.kept)
    kept.push_back(allocator.allocate(size));
  release(before);
  return kept;
}

void PassReplay::forward(const PartTensors& part, Layer& layer, Block& stream) {
  Block output = CachingAllocator::none;
  const Block input = stream;
  for (const OperatorTensors& t : part.operators) {
    allocator.goOn();
    if (t.summed > 0 && !layer.kept.empty())
      for (const Block block : layer.kept.back())
        allocator.call(block); // gathered for the product
    touch(t.gathered);
    layer.kept.push_back(keep(t));
    const Block dropped = allocator.allocate(t.again);
    touch(t.working);
    if (t.adds) {
      const Block sum = allocator.allocate(streamBytes);
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
    stream = allocator.allocate(streamBytes);
  allocator.release(output);
}

PassReplay::Live PassReplay::forward(const ChunkTensors& parts) {
  Live live;
  Block stream = CachingAllocator::none;
  if (llvm::all_of(parts, [](const PartTensors& part) { return part.stream; }))
    stream = allocator.allocate(streamBytes); // from the stage before
  Block kept = CachingAllocator::none;        // by the last part that reads it
  std::uint64_t layers = 0;
  const auto add = [&](const PartTensors& part) {
    for (std::uint64_t i = 0; i < part.count; ++i) {
      Layer& layer = live.emplace_back();
      if (part.stream && stream != kept)
        layer.input = kept = stream;
      layer.away = part.layers && layers++ < offloaded;
      forward(part, layer, stream);
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

/// Of an operator's input. That of logits is taken by the steps of their loss: zeros with the
/// target's place, exponentials of what was kept, the sum of both, that times what comes, which is
/// cast.
PassReplay::Block PassReplay::gradientOf(const OperatorTensors& t) {
  if (t.step == 0)
    return allocator.allocate(t.gradient);
  Blocks steps;
  for (unsigned i = 0; i < 2; ++i)
    steps.push_back(allocator.allocate(t.step));
  const Block sum = allocator.allocate(t.step);
  allocator.release(steps.pop_back_val());
  const Block product = allocator.allocate(t.step);
  release(steps);
  allocator.release(sum);
  const Block gradient = allocator.allocate(t.gradient);
  allocator.release(product);
  return gradient;
}

void PassReplay::backward(const PartTensors& part, Layer& layer, OperationKind kind,
                          Blocks& gradients) {
  const bool frees = kind != OperationKind::BackwardInput;
  const bool input = kind != OperationKind::BackwardWeight;
  if (!layer.back)
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
      Block next = gradientOf(t);
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
      allocator.release(layer.again[i]);
    }
  }
  allocator.release(gradient);
  if (!frees)
    return;
  layer.again.clear();
  gradients.push_back(allocator.allocate(part.rest));
  release(layer.inner);
  allocator.release(layer.input);
}

void PassReplay::leave(const PartTensors& part, Layer& layer) {
  for (std::size_t i = 0; i < part.operators.size(); ++i)
    if (layer.away || part.operators[i].away)
      release(layer.kept[i]);
  if (!layer.away && !part.inputAway)
    return;
  layer.inputAway = layer.input != CachingAllocator::none;
  allocator.release(std::exchange(layer.input, CachingAllocator::none));
}

void PassReplay::comeBack(const PartTensors& part, Layer& layer) {
  layer.back = true;
  for (std::size_t i = 0; i < part.operators.size(); ++i)
    for (const std::uint64_t size : part.operators[i].kept)
      if (layer.away || part.operators[i].away)
        layer.kept[i].push_back(allocator.allocate(size));
  if (layer.inputAway)
    layer.input = allocator.allocate(streamBytes);
}

void PassReplay::bringBack(const PartTensors& part, Layer& layer, bool back) {
  for (const OperatorTensors& t : part.operators)
    layer.again.push_back(back ? allocator.allocate(t.again) : CachingAllocator::none);
}

/// In the order of `forward`.
void PassReplay::bringBack(const ChunkTensors& parts, Live& live) {
  std::size_t next = 0;
  for (const bool stream : {false, true})
    for (const PartTensors& part : parts)
      for (std::uint64_t i = 0; part.stream == stream && i < part.count; ++i)
        bringBack(part, live[next++], true);
}

void PassReplay::backward(const ChunkTensors& parts, Live& live, OperationKind kind) {
  Blocks gradients;
  const Block stream = allocator.allocate(streamBytes);
  const auto sub = [&](const PartTensors& part, std::size_t& behind) {
    const Block units = allocator.allocate(part.units);
    for (std::uint64_t i = 0; i < part.count; ++i)
      backward(part, live[--behind], kind, gradients);
    allocator.release(units);
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
