//===- TokenDispatch.cpp - Bytes and rates of token dispatchers -------------------------------===//
//
// An all-to-all of a library sends one copy of a token per expert. DeepEP and Hybrid-EP send a
// token once per domain, to the rank with the sender's position, which forwards it to each rank of
// the domain with one of its experts. Both directions of links are busy at once.
//
// The rates are from benchmarks of DeepEP and Hybrid-EP with 4,096 tokens of 7,168 elements for 8
// of 256 experts. The published bandwidths also count data that stays on the device or in the node:
// github.com/deepseek-ai/DeepEP, docs/legacy.md at dd758caf (20 SMs of H800, 8 ranks: 153 and 158
// GB/s of 160; 32 and 64 ranks: 57 and 50 GB/s of 50), docs/README_Hybrid-EP.md at 94a9f8f6 (DeepEP
// on B200 at 16 and 24 SMs; Hybrid-EP on H100, B200 and GB200). The shares are the bandwidth of
// data that leaves the device over each level, divided by that of rings. `overhead` is the time of
// small sizes beyond that of their bytes. On B200 the SMs of DeepEP limit the rate.
#include "cost/collectives/TokenDispatch.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <limits>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
struct Dispatcher {
  DispatchKind kind;
  double scaleUpShare, networkShare; ///< relative to the bandwidth of rings
  double fastest;  ///< bytes/s over scale-up links that the dispatcher's SMs can move
  double overhead; ///< s in addition to the bytes
};
constexpr Dispatcher dispatchers[] = {
    {DispatchKind::DeepEp, 0.9, 0.92, 370e9, 60e-6},
    {DispatchKind::HybridEp, 0.9, 0.8, std::numeric_limits<double>::infinity(), 170e-6},
};
const Dispatcher& dispatcherOf(DispatchKind kind) {
  return *llvm::find_if(dispatchers, [&](const Dispatcher& d) { return d.kind == kind; });
}

/// Bytes per element: 8 bits with a 32-bit scale per 128 elements, or 16 bits.
double elementBytes(const Kernels& kernels, TokenWay way) {
  return kernels.dispatchFp8 && way == TokenWay::Dispatch ? 1 + 4.0 / 128 : 2;
}
} // namespace

bool dpl::cost::isOfLibrary(const Plan& plan, const Collective& c) {
  return c.purpose != CollectivePurpose::ExpertTokens ||
         plan.layout.kernels.dispatch == DispatchKind::AllToAll ||
         plan.layout.kernels.dispatch == DispatchKind::AllGather;
}

CollectiveCost dpl::cost::dispatchCost(DispatchKind kind, llvm::ArrayRef<double> bytesPerLevel,
                                       const GroupShape& shape, llvm::ArrayRef<LinkLevel> levels) {
  const Dispatcher& d = dispatcherOf(kind);
  CollectiveCost cost;
  cost.algorithm = Algorithm::Direct;
  if (shape.ranks() < 2)
    return cost;
  cost.latency = d.overhead;
  double slowest = 0, beyond = 0;
  for (std::size_t l = levels.size(); l-- > 0;) {
    if (bytesPerLevel[l] <= 0)
      continue;
    // Data for outer levels leaves through the same ports.
    beyond += levels[l].isScaleUp() ? 0 : bytesPerLevel[l];
    const double bytes = levels[l].isScaleUp() ? bytesPerLevel[l] : beyond;
    // The in-step efficiency of library collectives does not apply to kernels that were timed in a
    // step.
    LinkLevel level = levels[l];
    level.inStep = 1;
    const bool inside = level.isScaleUp();
    double rate = sustainedBandwidth(level, shape, l) * moreToAll(level, shape, l) *
                  (inside ? d.scaleUpShare : d.networkShare);
    if (inside)
      rate = std::min(rate, d.fastest);
    cost.bytesPerLevel[l] = bytesPerLevel[l];
    cost.secondsPerLevel[l] = bytes / rate;
    slowest = std::max(slowest, cost.secondsPerLevel[l]);
    cost.latency = std::max(cost.latency, d.overhead + toSeconds(level.latency));
  }
  cost.seconds = cost.latency + slowest;
  return cost;
}

TokenRows dpl::cost::tokenRowsOf(const FeedForward& f, const Division& d) {
  return {routedTokens(d), expertRows(f, d) / real(d.expertTensor)};
}

TokenCollective dpl::cost::exchangeOf(const Kernels& kernels, const FeedForward& f, TokenWay way,
                                      TokenRows rows, double width, const GroupShape& shape,
                                      llvm::ArrayRef<LinkLevel> levels) {
  TokenCollective out;
  const double element = width * elementBytes(kernels, way), copies = rows.copies * element,
               ranks = real(shape.ranks());
  if (kernels.dispatch == DispatchKind::AllToAll || kernels.dispatch == DispatchKind::AllGather) {
    const bool gathers = kernels.dispatch == DispatchKind::AllGather;
    out.kind = !gathers                    ? CollectiveKind::AllToAll
               : way == TokenWay::Dispatch ? CollectiveKind::AllGather
                                           : CollectiveKind::ReduceScatter;
    out.bytes = gathers ? rows.tokens * element * ranks : copies;
    out.cost = collectiveCost(out.kind, out.bytes, shape, levels);
    return out;
  }
  const double inner = real(shape.inside.front()), domains = ranks / inner,
               once = copies / std::max(1.0, real(f.active));
  out.bytes = once * distinctUnits(f, ranks);
  std::array<double, linkLevelCount> sent{};
  // The rank that forwards a token may be its destination.
  sent[0] = out.bytes * (1 - 1 / inner);
  const double leaves = once * distinctUnits(f, domains); // the sender's domain is one of them
  for (std::size_t l = 1; l < shape.inside.size(); ++l)
    sent[l] = leaves * std::max(0.0, real(shape.inside[l]) - real(shape.inside[l - 1])) / ranks;
  out.cost = dispatchCost(kernels.dispatch, sent, shape, levels);
  return out;
}
