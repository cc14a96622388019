//===- Protocols.cpp - NCCL's protocols -------------------------------------------------------===//
//
// Latencies are those of NCCL's tuner (github.com/NVIDIA/nccl, src/graph/tuning.cc at 5067397c:
// baseLatencies, hwLatencies). LL sends a flag with every 4 bytes. Its share of scale-up links is
// llMaxBws of one node divided by the bandwidth of rings (0.37 for A100, 0.39 for H100, 0.41 for
// B200), its share of the network that of two or more nodes over eight ports (0.09 to 0.11). LL128
// sends 120 of 128 bytes. It is not used over the network, because few transports keep its stores
// in order.
#include "cost/collectives/Protocols.h"
#include <limits>

using namespace dpl::cost;

namespace {
constexpr double us = 1e-6, never = std::numeric_limits<double>::infinity();
constexpr Protocol all[] = {
    {.name = "LL",
     .base = {6.6 * us, 6.8 * us, never, never, never},
     .inside = {0.6 * us, 0.6 * us, 0, 0, 0},
     .network = {2.7 * us, 5.0 * us, 0, 0, 0},
     .insideShare = 0.39,
     .networkShare = 0.11},
    {.name = "LL128",
     .base = {14.0 * us, 14.0 * us, never, never, never},
     .inside = {1.9 * us, 1.25 * us, 0, 0, 0},
     .network = {0, 0, 0, 0, 0},
     .insideShare = 0.92,
     .networkShare = 0},
    {.name = "Simple",
     .base = {8.4 * us, 8.4 * us, 0, 0, 8 * us},
     .inside = {3.4 * us, 4.0 * us, 12.5 * us, 3.7 * us, 0}, // NVLS: 25 us for a read and a write
     .network = {14.0 * us, 14.0 * us, 20.9 * us, 31 * us, 4.0 * us}},
};
} // namespace

llvm::ArrayRef<Protocol> dpl::cost::protocols() { return all; }
