//===- Hierarchical.cpp - Reduce-scatter inside, all-reduce of the shards outside -------------===//
//
// An all-to-all goes level by level as well, with one peer after the other: what is for a place in
// any unit goes to the rank with that place in one's own, and from there to its unit. Σ(w − 1)
// messages instead of n − 1; of a group inside one level the pairwise exchange.
#include "cost/collectives/Algorithm.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::uint64_t steps(std::uint64_t n) { return n - 1; }
std::uint64_t pieces(std::uint64_t n) { return n; }
double sent(std::uint64_t n, double share) { return share * real(n - 1) / real(n); }

/// Piece j of a rank is for peer j.
void exchange(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t to = (i + step + 1) % n;
    sink({i, to, to, 1, false});
  }
}

constexpr Pattern oneByOne{steps, sent, pieces, exchange, nullptr};

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (kind == CollectiveKind::AllToAll)
    addPerLevel(out, oneByOne, shape, Sweep::Outward, false);
  if (reduces(kind))
    addPerLevel(out, ringReduceScatter, shape, Sweep::Outward, true);
  if (gathers(kind))
    addPerLevel(out, ringAllGather, shape, Sweep::Inward, true);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllGather, CollectiveKind::AllToAll};
} // namespace

const AlgorithmInfo dpl::cost::hierarchical{kinds, phases};
