#pragma once
//===- StateCalls.h - Gradients and sharded parameters over the data axes ---------------------===//
#include "cost/bodies/Track.h"

namespace dpl::cost {

/// The data calls of one layer's share of a chunk's state, for the dense part or the experts: what
/// is gathered before it is used, and what is reduced when its gradient is there.
struct StateCalls {
  struct At {
    Call call;
    ir::When when = ir::When::Every;
    bool blocks = false, prefetch = false;
    std::uint64_t pieces = 1; ///< how many such calls follow one another
    std::uint64_t time() const { return pieces * call.time; }
  };
  std::optional<At> gather, gatherAgain; ///< before a forward, before a backward
  std::optional<At> reduce, reduceReplicas;
};

/// Groups of a plan that hold the same parameters: those of the dense part and of the experts over
/// what gathers and reduces them, and replicas of what is sharded. Nothing where it has one rank.
struct StateGroups {
  std::optional<std::uint64_t> dense, experts, replica;
};
StateGroups stateGroups(const ir::Plan& plan);

/// Of both parts of a chunk's state; what runs at the end of the step is given to `calls` alone.
llvm::SmallVector<StateCalls, 2> stateCalls(const ir::Plan& plan, const ir::Chunk& chunk,
                                            const ir::ChunkCost& cost, const StateGroups& groups,
                                            CallMaker& calls);
/// A tied table has a copy on the first and on the last stage, whose gradients are added.
void embeddingGradient(const ir::Plan& plan, const ir::Chunk& chunk, CallMaker& calls);

} // namespace dpl::cost
