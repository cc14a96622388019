//===- DoubleTree.cpp - Two binary trees at once, each for half of the buffer -----------------===//
//
// A rank with children in one tree is a leaf of the other, so that no rank sends more than twice
// the part (Sanders, Speck, Traeff, Parallel Computing 35, 2009; NCCL's src/graph/trees.cc builds
// these). The distance of a rank to its parent is its lowest bit.
#include "cost/collectives/Algorithm.h"
#include "llvm/Support/MathExtras.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Nodes with lowest bit 2^k send in step k, after all nodes below them have sent.
std::uint64_t steps(std::uint64_t ranks) { return llvm::Log2_64_Ceil(ranks); }
std::uint64_t slices(std::uint64_t) { return 2; }

/// Upwards, a rank that is not a root sends a half in each tree. Downwards, a rank with two
/// children sends a half to each. With two ranks each one is a root.
double sent(std::uint64_t ranks, double share) { return ranks < 3 ? share / 2 : share; }

/// The parent in a tree over ranks 0 to n−1 whose root is 0.
std::uint64_t parent(std::uint64_t n, std::uint64_t rank) {
  const std::uint64_t bit = rank & (~rank + 1), above = (rank ^ bit) | (bit << 1);
  return above < n ? above : rank ^ bit;
}

/// The other tree is the first one mirrored, or with an odd number of ranks shifted by one.
std::uint64_t inOther(std::uint64_t n, std::uint64_t rank) {
  return n % 2 == 0 ? n - 1 - rank : (rank + 1) % n;
}

void eachEdge(
    std::uint64_t n, std::uint64_t bit,
    llvm::function_ref<void(std::uint64_t child, std::uint64_t parent, std::uint64_t piece)> sink) {
  for (std::uint64_t rank = bit; rank < n; rank += 2 * bit) {
    const std::uint64_t up = parent(n, rank);
    sink(rank, up, 0);
    sink(inOther(n, rank), inOther(n, up), 1);
  }
}

void reduce(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  eachEdge(n, std::uint64_t{1} << step,
           [&](std::uint64_t child, std::uint64_t up, std::uint64_t piece) {
             sink({child, up, piece, 1, true});
           });
}

void broadcast(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  eachEdge(n, std::uint64_t{1} << (steps(n) - 1 - step),
           [&](std::uint64_t child, std::uint64_t up, std::uint64_t piece) {
             sink({up, child, piece, 1, false});
           });
}

/// Inside one domain NCCL's tree is a chain, which the ring covers.
void phases(CollectiveKind, const GroupShape& shape, Phases& out) {
  if (shape.ranks() > shape.inside.front())
    addTreesOfShards(out, ringReduceScatter, ringAllGather, shape);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce};
} // namespace

const Pattern dpl::cost::doubleTreeReduce{steps, sent, slices, reduce, nullptr};
const Pattern dpl::cost::doubleTreeBroadcast{steps, sent, slices, broadcast, nullptr};
const AlgorithmInfo dpl::cost::doubleTree{.kinds = kinds,
                                          .phases = phases,
                                          .closedForm = false,
                                          .nccl = true,
                                          .hop = HopKind::Tree,
                                          .needs = "ranks in several domains"};
