//===- Channels.cpp - The rate of NCCL's channels in tree algorithms --------------------------===//
//
// NCCL makes one channel per port of the ranks in a domain, and one thread block moves the bytes of
// a channel. Trees add in every node, so that thread blocks instead of ports may limit the rate:
// four ports of 25 GB/s carry 100 GB/s, but four channels of A100 over two nodes carry 94.4 GB/s up
// and down together (nChannels in src/graph/search.cc and the limits in src/graph/tuning.cc of
// github.com/NVIDIA/nccl at 5067397c).
#include "cost/collectives/Channels.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using ir::real;

namespace {
/// GB/s per channel, over two domains and over more.
struct ChannelRate {
  double from; ///< lowest compute capability
  double two, more;
};
constexpr ChannelRate rates[] = {
#define CHANNEL_RATE(GENERATION, FROM, TWO, MORE) {FROM, TWO, MORE},
#include "cost/collectives/ChannelRates.def"
};

/// The row of a device; null before the first generation or without a compute capability.
const ChannelRate* rateOf(double computeCapability) {
  const ChannelRate* found = nullptr;
  for (const ChannelRate& row : rates)
    if (computeCapability >= row.from)
      found = &row;
  return found;
}

/// NCCL's search for channels finds at most half of MAXCHANNELS.
constexpr double mostChannels = 32;

/// ncclTopoDupChannels: from Hopper on two channels share a port of 28 GB/s or more where there
/// are at most 4; from Blackwell on also where the port has 80 GB/s. These are the bandwidths at
/// which the search finds 25 and 50 GB/s for a channel. PCIe 4 keeps earlier devices below.
bool areDoubled(double computeCapability, double port, double channels) {
  if (computeCapability < 9 || port < 28e9)
    return false;
  return channels <= 4 || (computeCapability >= 10 && port >= 80e9);
}
} // namespace

double dpl::cost::channelTime(HopKind hop, double bytes, const GroupShape& shape,
                              llvm::ArrayRef<ir::LinkLevel> levels) {
  const ir::LinkLevel& level = levels[shape.spannedLevel()];
  const ChannelRate* row = rateOf(level.computeCapability);
  const std::uint64_t inside = shape.inside.front(), domains = shape.ranks() / inside;
  if (!row || level.channels <= 0 || domains < 2 || hop != HopKind::Tree)
    return 0;
  double channels = std::min(mostChannels, std::ceil(real(inside) * level.channels - 1e-9));
  const double port = real(level.bandwidth) / 8 / level.channels;
  if (areDoubled(level.computeCapability, port, channels))
    channels *= 2;
  return 2 * bytes / (channels * (domains > 2 ? row->more : row->two) * 1e9);
}
