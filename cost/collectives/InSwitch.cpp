//===- InSwitch.cpp - Sums in the switches of a scale-up domain -------------------------------===//
//
// NVLink SHARP: a rank reads its shard of the sum, for which the switch reads this shard from every
// rank and adds. It then writes the shard once, and the switch copies it to all ranks. A port
// carries the buffer and one shard of it, whatever the number of ranks (NCCL's `NVLS`, and
// `NVLSTree` with trees between domains).
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
double shard(std::uint64_t ranks, double share) { return share / static_cast<double>(ranks); }

/// A rank's own slice also passes the switch.
void reduce(std::uint64_t n, std::uint64_t, MessageSink sink) {
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t j = 0; j < n; ++j)
      sink({i, j, j, 1, true});
}
void copy(std::uint64_t n, std::uint64_t, MessageSink sink) {
  for (std::uint64_t i = 0; i < n; ++i)
    for (std::uint64_t j = 0; j < n; ++j)
      sink({i, j, i, 1, false, true});
}

constexpr Pattern reads{once, wholeShare, oneOfEach, reduce, nullptr, true};
constexpr Pattern writes{once, shard, oneOfEach, copy, nullptr, true};

void phases(CollectiveKind, const GroupShape& shape, Phases& out) {
  if (shape.inside.front() > 1)
    addTreesOfShards(out, reads, writes, shape);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce};
} // namespace

const AlgorithmInfo dpl::cost::inSwitch{
    .kinds = kinds,
    .phases = phases,
    .closedForm = false,
    .nccl = true,
    .hop = HopKind::Switch,
    .needs = "several ranks in a domain and `domain.sharp_efficiency` above 0"};
