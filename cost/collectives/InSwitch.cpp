//===- InSwitch.cpp - Sums made by the switches of a scale-up domain --------------------------===//
//
// NVLink SHARP: a rank reads its shard of the sum, for which the switch reads that shard of every
// rank and adds, and writes it once, which the switch copies to all. A port carries the buffer and
// a shard of it, whatever the number of ranks (NCCL's `NVLS`, and `NVLSTree` with trees between
// domains).
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
double shard(std::uint64_t ranks, double share) { return share / static_cast<double>(ranks); }

/// Its own piece passes the switch as well.
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
