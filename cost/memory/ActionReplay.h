#pragma once
//===- ActionReplay.h - The tensors of a pass in the order in which they come and go
//-----------===//
#include "cost/memory/ActionTensors.h"
#include "cost/memory/PacedAllocator.h"
#include "ir/StageProgram.h"
#include <vector>

namespace dpl::cost {

using Blocks = llvm::SmallVector<CachingAllocator::BlockId, 4>;
using ChunkTensors = std::vector<ModuleTensors>;

/// Runs passes of chunks on an allocator.
class ActionReplay {
public:
  using BlockId = CachingAllocator::BlockId;
  /// What a layer holds between its passes.
  struct ReplayedLayer {
    std::vector<Blocks> saved;
    BlockId input = CachingAllocator::none;
    Blocks inner;           ///< points of the residual stream inside
    Blocks recomputed;      ///< brought back, by operator; empty before a pass does it
    bool offloaded = false; ///< what it keeps goes to the host and comes back
    bool inputOffloaded = false;
    bool fetched = false; ///< what went away has come
  };
  using Live = std::vector<ReplayedLayer>;

  /// `stream`: bytes of the residual stream at one point; `offloaded`: layers of each chunk.
  ActionReplay(PacedAllocator& allocator, std::uint64_t stream, std::uint64_t offloaded)
      : allocator(allocator), streamBytes(stream), offloaded(offloaded) {}

  Live forward(const ChunkTensors& parts);
  /// Of a recomputation that is an operation of its own.
  void recompute(const ChunkTensors& parts, Live& live);
  void backward(const ChunkTensors& parts, Live& live, ir::ActionKind kind);
  /// What no backward pass took.
  void drop(Live& live);
  void release(Blocks& blocks);

private:
  void forward(const ModuleTensors& module, ReplayedLayer& layer, BlockId& stream);
  Blocks save(const OperatorTensors& t);
  void recompute(const ModuleTensors& module, ReplayedLayer& layer, bool back);
  void backward(const ModuleTensors& module, ReplayedLayer& layer, ir::ActionKind kind,
                Blocks& gradients);
  BlockId gradientOf(const OperatorTensors& t);
  /// What is kept of a layer goes to the host, or comes back.
  void offload(const ModuleTensors& module, ReplayedLayer& layer);
  void fetch(const ModuleTensors& module, ReplayedLayer& layer);
  /// A tensor that is gone at once.
  void touch(std::uint64_t bytes) { allocator.release(allocator.allocate(bytes)); }

  PacedAllocator& allocator;
  std::uint64_t streamBytes, offloaded;
};

} // namespace dpl::cost
