//===- Pat.cpp - Parallel aggregated trees ----------------------------------------------------===//
//
// NCCL has these from 2.23 on (Jeaugey, arXiv 2506.20252). This is Bruck's all-gather with distant
// messages first, when a rank has one slice, and near messages last, with all slices: ⌈log2 n⌉
// steps for any number of ranks. Slice p goes down a binomial tree from rank p, all trees at once;
// a reduce-scatter goes up the trees. Groups must have one rank per domain.
#include "cost/collectives/Algorithm.h"
#include "ir/Arithmetic.h"
#include "llvm/Support/MathExtras.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::uint64_t steps(std::uint64_t n) { return llvm::Log2_64_Ceil(n); }
std::uint64_t slices(std::uint64_t n) { return n; }
double sent(std::uint64_t n, double share) { return share * real(n - 1) / real(n); }

/// Calls `hop` with the upper and the lower rank of each edge of this distance, and the tree's
/// root.
template <class Hop> void edges(std::uint64_t n, std::uint64_t distance, Hop hop) {
  for (std::uint64_t upper = 0; upper < n; ++upper)
    for (std::uint64_t below = 0; below + distance < n; below += 2 * distance)
      hop(upper, (upper + distance) % n, (upper + n - below) % n);
}
void allGather(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  edges(n, std::uint64_t{1} << (steps(n) - 1 - step),
        [&](std::uint64_t upper, std::uint64_t lower, std::uint64_t root) {
          sink({upper, lower, root, 1, false});
        });
}
void reduceScatter(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  edges(n, std::uint64_t{1} << step,
        [&](std::uint64_t upper, std::uint64_t lower, std::uint64_t root) {
          sink({lower, upper, root, 1, true});
        });
}

constexpr Pattern down{steps, sent, slices, allGather, nullptr};
constexpr Pattern up{steps, sent, slices, reduceScatter, nullptr};

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (shape.inside.front() == 1)
    out.add({kind == CollectiveKind::AllGather ? &down : &up, shape.ranks(), 1,
             shape.spannedLevel(), 1, false});
}

/// Seconds that NCCL's tuner adds to the logarithmic part of the latency.
double serial(const GroupShape& shape) { return 2.8e-6 * real(shape.ranks()); }

constexpr CollectiveKind kinds[] = {CollectiveKind::ReduceScatter, CollectiveKind::AllGather};
} // namespace

const AlgorithmInfo dpl::cost::pat{.kinds = kinds,
                                   .phases = phases,
                                   .closedForm = false,
                                   .nccl = true,
                                   .hop = HopKind::Pat,
                                   .reached = 0.75,
                                   .serial = serial,
                                   .needs = "one rank in each domain"};
