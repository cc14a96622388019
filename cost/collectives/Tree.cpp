//===- Tree.cpp - Binomial trees, level by level ----------------------------------------------===//
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// ⌈log2 n⌉.
std::uint64_t depth(std::uint64_t n) {
  std::uint64_t steps = 0;
  while ((std::uint64_t{1} << steps) < n)
    ++steps;
  return steps;
}

/// A rank sends the whole part in every step, without segments.
double sent(std::uint64_t ranks, double share) { return static_cast<double>(depth(ranks)) * share; }
std::uint64_t slices(std::uint64_t) { return 1; }

/// Reduces to rank 0; partners are 1, 2, 4 … apart.
void reduce(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  const std::uint64_t reach = std::uint64_t{1} << step;
  for (std::uint64_t i = reach; i < n; i += 2 * reach)
    sink({i, i - reach, 0, 1, true});
}

/// The mirror of reduce.
void broadcast(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  const std::uint64_t reach = std::uint64_t{1} << (depth(n) - 1 - step);
  for (std::uint64_t i = reach; i < n; i += 2 * reach)
    sink({i - reach, i, 0, 1, false});
}

constexpr Pattern toRoot{depth, sent, slices, reduce, nullptr, false, false, true};
constexpr Pattern fromRoot{depth, sent, slices, broadcast, nullptr, false, false, true};

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (kind != CollectiveKind::Broadcast)
    addPerLevel(out, toRoot, shape, LevelOrder::Outward, false);
  if (kind != CollectiveKind::Reduce)
    addPerLevel(out, fromRoot, shape, LevelOrder::Inward, false);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::Broadcast,
                                    CollectiveKind::Reduce};
} // namespace

const AlgorithmInfo dpl::cost::tree{kinds, phases};
