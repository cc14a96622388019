#pragma once
//===- Protocols.h - NCCL's protocols ---------------------------------------------------------===//
#include "cost/collectives/Algorithm.h"
#include <array>

namespace dpl::cost {

/// One protocol: latencies of NCCL's tuner, by HopKind, and its shares of the link bandwidth.
struct Protocol {
  const char* name;
  /// Seconds per collective; infinite if the algorithm does not have the protocol.
  std::array<double, 5> base;
  std::array<double, 5> inside;  ///< s per hop over scale-up links
  std::array<double, 5> network; ///< s per hop through the network, without the network's latency
  double insideShare = 1;        ///< share of the rate of large collectives on scale-up links
  double networkShare = 1;       ///< the same share on the network; 0: not used there
};

/// LL, LL128 and Simple.
llvm::ArrayRef<Protocol> protocols();

} // namespace dpl::cost
