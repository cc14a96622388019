#pragma once
//===- Protocols.h - How NCCL moves the bytes of a message ------------------------------------===//
#include "cost/collectives/Algorithm.h"
#include <array>

namespace dpl::cost {

/// One protocol: what its tuner takes for latencies, by Hop, and what it reaches of the links.
struct Protocol {
  const char* name;
  std::array<double, 5> base;    ///< s, of a call; infinite where the algorithm does not have it
  std::array<double, 5> inside;  ///< s a hop over scale-up links
  std::array<double, 5> network; ///< s a hop through the network, without its own latency
  double insideShare = 1;        ///< of what large collectives reach
  double networkShare = 1;       ///< 0: it is not used there
};

/// LL, LL128 and Simple.
llvm::ArrayRef<Protocol> protocols();

} // namespace dpl::cost
