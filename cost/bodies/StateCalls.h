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
  };
  std::optional<At> gather, gatherAgain; ///< before a forward, before a backward
  std::optional<At> reduce, reduceReplicas;
};

/// Of both parts of the chunk's state; what runs at the end of the step is added to `calls` alone.
std::vector<StateCalls> stateCalls(const ir::Plan& plan, std::size_t chunk, Calls& calls);

} // namespace dpl::cost
