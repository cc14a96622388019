#pragma once
//===- PassReplay.h - The tensors of a pass in the order in which they come and go ------------===//
#include "cost/memory/PacedAllocator.h"
#include "cost/memory/PassTensors.h"
#include "ir/Body.h"
#include <vector>

namespace dpl::cost {

using Blocks = llvm::SmallVector<CachingAllocator::Block, 4>;
using ChunkTensors = std::vector<PartTensors>;

/// Runs passes of chunks on an allocator.
class PassReplay {
public:
  using Block = CachingAllocator::Block;
  /// What a layer holds between its passes.
  struct Layer {
    std::vector<Blocks> kept;
    Block input = CachingAllocator::none;
    Blocks inner;      ///< points of the residual stream inside
    Blocks again;      ///< brought back, by operator; empty before a pass does it
    bool away = false; ///< what it keeps goes to the host and comes back
    bool inputAway = false;
    bool back = false; ///< what went away has come
  };
  using Live = std::vector<Layer>;

  /// `stream`: bytes of the residual stream at one point; `offloaded`: layers of each chunk.
  PassReplay(PacedAllocator& allocator, std::uint64_t stream, std::uint64_t offloaded)
      : allocator(allocator), streamBytes(stream), offloaded(offloaded) {}

  Live forward(const ChunkTensors& parts);
  /// Of a recomputation that is an operation of its own.
  void bringBack(const ChunkTensors& parts, Live& live);
  void backward(const ChunkTensors& parts, Live& live, ir::OperationKind kind);
  /// What no backward pass took.
  void drop(Live& live);
  void release(Blocks& blocks);

private:
  void forward(const PartTensors& part, Layer& layer, Block& stream);
  Blocks keep(const OperatorTensors& t);
  void bringBack(const PartTensors& part, Layer& layer, bool back);
  void backward(const PartTensors& part, Layer& layer, ir::OperationKind kind, Blocks& gradients);
  Block gradientOf(const OperatorTensors& t);
  /// What is kept of a layer goes to the host, or comes back.
  void leave(const PartTensors& part, Layer& layer);
  void comeBack(const PartTensors& part, Layer& layer);
  /// A tensor that is gone at once.
  void touch(std::uint64_t bytes) { allocator.release(allocator.allocate(bytes)); }

  PacedAllocator& allocator;
  std::uint64_t streamBytes, offloaded;
};

} // namespace dpl::cost
