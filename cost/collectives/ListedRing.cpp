//===- ListedRing.cpp - A ring through ranks in a given order ---------------------------------===//
//
// The order covers as many ranks as it has entries, and repeats for the next ones. The links of
// each hop follow from it: a unit that the ring leaves c times sends c times as much through its
// ports as one that it leaves once.
#include "cost/collectives/Algorithm.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::size_t levelBetween(const GroupShape& shape, std::uint64_t a, std::uint64_t b) {
  std::size_t level = 0;
  while (a / shape.inside[level] != b / shape.inside[level])
    ++level;
  return level;
}

/// The hops of one ring through a group, block after block of ordered ranks.
class RingHops {
public:
  explicit RingHops(const GroupShape& shape)
      : shape(shape), block(shape.order.size()), blocks(shape.ranks() / block) {}

  /// Hops that cross links of a level and of no outer one.
  std::uint64_t across(std::size_t level) const {
    std::uint64_t count = 0;
    eachInside([&](std::uint64_t from, std::uint64_t to) {
      count += levelBetween(shape, from, to) == level ? blocks : 0;
    });
    return count + betweenBlocks(level);
  }

  /// The largest number of hops that leave one unit below a level.
  std::uint64_t fromAUnit(std::size_t level) const {
    const std::uint64_t below = shape.below(level);
    if (below >= block)
      return 1;
    llvm::SmallVector<std::uint64_t, 16> leaving(ceilDiv(block, below), 0);
    eachInside([&](std::uint64_t from, std::uint64_t to) {
      leaving[from / below] += from / below != to / below;
    });
    leaving[shape.order.back() / below] +=
        blocks > 1 || shape.order.back() / below != shape.order.front() / below;
    return *std::max_element(leaving.begin(), leaving.end());
  }

private:
  template <class Visit> void eachInside(Visit visit) const {
    for (std::size_t i = 0; i + 1 < block; ++i)
      visit(shape.order[i], shape.order[i + 1]);
  }
  /// Hops from the last rank of a block to the first of the next one, and from the last block to
  /// the first.
  std::uint64_t betweenBlocks(std::size_t level) const {
    if (blocks == 1)
      return levelBetween(shape, shape.order.back(), shape.order.front()) == level;
    const auto further = [&](std::size_t l) { // hops beyond the level
      return l == shape.spannedLevel() ? 0 : shape.ranks() / std::max(block, shape.inside[l]);
    };
    return (level == 0 ? blocks : further(level - 1)) - further(level);
  }

  const GroupShape& shape;
  const std::uint64_t block, blocks;
};

LevelLoad load(const GroupShape& shape, std::size_t level) {
  const RingHops hops(shape);
  const double n = real(shape.ranks()), across = real(hops.across(level));
  // The ring is open: it crosses the outermost links once less.
  const double steps = across - (level == shape.spannedLevel() ? 1 : 0);
  return {across / n, real(hops.fromAUnit(level)) / real(shape.below(level)), steps / (n - 1)};
}

Pattern listed(const Pattern& ring) {
  Pattern pattern = ring;
  pattern.load = load, pattern.farther = true;
  return pattern;
}

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  static const Pattern reduceScatter = listed(ringReduceScatter), allGather = listed(ringAllGather);
  const auto add = [&](const Pattern& byRank, const Pattern& byOrder) {
    AlgorithmPhase phase = wholeGroup(shape.order.empty() ? byRank : byOrder, shape);
    phase.order = shape.order;
    out.add(phase);
  };
  if (reduces(kind))
    add(ringReduceScatter, reduceScatter);
  if (gathers(kind))
    add(ringAllGather, allGather);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllGather};
} // namespace

const AlgorithmInfo dpl::cost::listedRing{.kinds = kinds,
                                          .phases = phases,
                                          .closedForm = true,
                                          .nccl = true,
                                          .hop = HopKind::Ring,
                                          .onlyStated = true,
                                          .needs = "the order of `ring_order = custom { order }`"};
