//===- Ring.cpp - Rings over the whole group in group order -----------------------------------===//
//
// A ring leaves a unit once. Libraries run as many rings in parallel as a unit has ranks, each
// through its own port, so a unit of r ranks sends through r ports.
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::uint64_t steps(std::uint64_t ranks) { return ranks - 1; }
std::uint64_t slices(std::uint64_t ranks) { return ranks; }
double sent(std::uint64_t ranks, double share) {
  return static_cast<double>(ranks - 1) * (share / static_cast<double>(ranks));
}

/// The share of hops that cross links of this level and of no outer one.
LevelLoad load(const GroupShape& shape, std::size_t level) {
  const std::uint64_t spanned = shape.spannedLevel();
  const double leaving = 1 / static_cast<double>(shape.below(level));
  const double further = level < spanned ? 1 / static_cast<double>(shape.inside[level]) : 0;
  // The ring is open: it crosses the outermost links once less than there are units.
  const double n = static_cast<double>(shape.ranks());
  const double crossings = n * (leaving - further) - (level == spanned ? 1 : 0);
  return {leaving - further, leaving, crossings / (n - 1)};
}

/// Rank i starts with slice i and ends with slice i + 1.
void reduceScatter(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  for (std::uint64_t i = 0; i < n; ++i)
    sink({i, (i + 1) % n, (i + n - step) % n, 1, true});
}

/// Rank i starts with slice i + 1.
void allGather(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  for (std::uint64_t i = 0; i < n; ++i)
    sink({i, (i + 1) % n, (i + 1 + n - step) % n, 1, false});
}

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (reduces(kind))
    out.add(wholeGroup(ringReduceScatter, shape));
  if (gathers(kind))
    out.add(wholeGroup(ringAllGather, shape));
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllGather};
} // namespace

const Pattern dpl::cost::ringReduceScatter{steps, sent, slices, reduceScatter, load, false, true};
const Pattern dpl::cost::ringAllGather{steps, sent, slices, allGather, load, false, true};
const AlgorithmInfo dpl::cost::ring{
    .kinds = kinds, .phases = phases, .closedForm = true, .nccl = true, .hop = HopKind::Ring};
