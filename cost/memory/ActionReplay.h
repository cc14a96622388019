#pragma once
//===- ActionReplay.h - Allocates and frees the tensors of one action -------------------------===//
#include "cost/memory/ActionTensors.h"
#include "cost/memory/PacedAllocator.h"
#include "ir/StageProgram.h"
#include <vector>

namespace dpl::cost {

using Blocks = llvm::SmallVector<CachingAllocator::BlockId, 4>;
using ChunkTensors = std::vector<ModuleTensors>;

/// Replays the allocations of actions on an allocator.
class ActionReplay {
public:
  using BlockId = CachingAllocator::BlockId;
  /// The blocks of one layer between its forward and its backward pass.
  struct ReplayedLayer {
    std::vector<Blocks> saved;
    BlockId input = CachingAllocator::none;
    Blocks inner;           ///< residual stream after each sum inside the layer
    Blocks recomputed;      ///< recomputed tensors by operator; empty before recomputation
    bool offloaded = false; ///< all saved tensors of the layer are offloaded to the host
    bool inputOffloaded = false;
    bool fetched = false; ///< offloaded tensors have been copied back
  };
  using Live = std::vector<ReplayedLayer>;

  /// `stream`: bytes of one residual-stream tensor; `offloaded`: offloaded layers per chunk.
  ActionReplay(PacedAllocator& allocator, std::uint64_t stream, std::uint64_t offloaded)
      : allocator(allocator), streamBytes(stream), offloaded(offloaded) {}

  Live forward(const ChunkTensors& parts);
  /// Replays a recomputation that the schedule lists as an action.
  void recompute(const ChunkTensors& parts, Live& live);
  void backward(const ChunkTensors& parts, Live& live, ir::ActionKind kind);
  /// Releases the tensors of a micro-batch whose backward pass is not in the schedule.
  void drop(Live& live);
  void release(Blocks& blocks);

private:
  void forward(const ModuleTensors& module, ReplayedLayer& layer, BlockId& stream);
  Blocks save(const OperatorTensors& t);
  void recompute(const ModuleTensors& module, ReplayedLayer& layer, bool back);
  void backward(const ModuleTensors& module, ReplayedLayer& layer, ir::ActionKind kind,
                Blocks& gradients);
  BlockId gradientOf(const OperatorTensors& t);
  /// Moves the saved tensors of a layer to the host (`offload`) or back (`fetch`).
  void offload(const ModuleTensors& module, ReplayedLayer& layer);
  void fetch(const ModuleTensors& module, ReplayedLayer& layer);
  /// Allocates a tensor and releases it at once.
  void touch(std::uint64_t bytes) { allocator.release(allocator.allocate(bytes)); }

  PacedAllocator& allocator;
  std::uint64_t streamBytes, offloaded;
};

} // namespace dpl::cost
