//===- InNetwork.cpp - Sums in network switches -----------------------------------------------===//
//
// InfiniBand SHARP: each rank of a domain reduces a shard of the domain's sum from all other ranks
// at once, sends it through its port once, and receives the sum of all domains, whatever their
// number (NCCL's `CollNetDirect`).
#include "cost/collectives/Algorithm.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
double toOthers(std::uint64_t ranks, double share) { return share * real(ranks - 1) / real(ranks); }

/// Calls `pair` with each ordered pair of different ranks.
template <class Pair> void pairs(std::uint64_t n, Pair pair) {
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t j = 0; j < n; ++j)
      if (i != j)
        pair(i, j);
}
void scatter(std::uint64_t n, std::uint64_t, MessageSink sink) {
  pairs(n, [&](std::uint64_t from, std::uint64_t to) { sink({from, to, to, 1, true}); });
}
void gather(std::uint64_t n, std::uint64_t, MessageSink sink) {
  pairs(n, [&](std::uint64_t from, std::uint64_t to) { sink({from, to, from, 1, false}); });
}
/// Each rank sends one message; switches send the sum to all.
void sum(std::uint64_t n, std::uint64_t, MessageSink sink) {
  pairs(n, [&](std::uint64_t from, std::uint64_t to) { sink({from, to, 0, 1, true, true}); });
}

constexpr Pattern scattered{once, toOthers, oneOfEach, scatter, nullptr};
constexpr Pattern summed{once, wholeShare, once, sum, nullptr, true};
constexpr Pattern gathered{once, toOthers, oneOfEach, gather, nullptr};

void phases(CollectiveKind, const GroupShape& shape, Phases& out) {
  const std::uint64_t inside = shape.inside.front(), domains = shape.ranks() / inside;
  if (domains < 2)
    return;
  if (inside > 1)
    out.add({&scattered, inside, 1, 0, 1, false});
  out.add({&summed, domains, inside, shape.spannedLevel(), 1 / real(inside), false});
  if (inside > 1)
    out.add({&gathered, inside, 1, 0, 1, false});
}

/// Seconds that NCCL's tuner adds for each peer in the node, in both directions.
double serial(const GroupShape& shape) { return 2 * 0.4e-6 * real(shape.inside.front() - 1); }

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce};
} // namespace

const AlgorithmInfo dpl::cost::inNetwork{
    .kinds = kinds,
    .phases = phases,
    .closedForm = false,
    .nccl = true,
    .hop = HopKind::Network,
    .serial = serial,
    .needs = "ranks in several domains and `network.sharp_efficiency` above 0"};
