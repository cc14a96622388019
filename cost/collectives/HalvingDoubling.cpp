//===- HalvingDoubling.cpp - Recursive halving and doubling -----------------------------------===//
//
// This needs ⌈log2 n⌉ steps in each direction and the bytes of a ring, for every n: partners are
// n/2, n/4 … 1 apart, rounded up (Träff, Optimal, non-pipelined reduce-scatter and allreduce
// algorithms, arXiv 2410.14234). For powers of two these are the steps of Rabenseifner's recursive
// halving and doubling. No modelled library uses this algorithm; a cluster has to ask for it.
#include "cost/collectives/Algorithm.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Sends `count` slices from `first` on, with wrap-around.
void send(std::uint64_t n, std::uint64_t from, std::uint64_t to, std::uint64_t first,
          std::uint64_t count, bool adds, MessageSink sink) {
  const std::uint64_t straight = std::min(count, n - first);
  sink({from, to, first, straight, adds});
  if (straight < count)
    sink({from, to, 0, count - straight, adds});
}

/// Before a step a rank is responsible for `reach` slices from its own on. It sends the second half
/// to the rank where that half begins.
struct Halves {
  std::uint64_t reach, remaining;
};
Halves halvesOf(std::uint64_t n, std::uint64_t step) {
  for (; step > 0; --step)
    n = halved(n);
  return {n, halved(n)};
}

void reduceScatter(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  const Halves h = halvesOf(n, step);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t to = (i + h.remaining) % n;
    send(n, i, to, to, h.reach - h.remaining, true, sink);
  }
}

/// The mirror of reduceScatter.
void allGather(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  const Halves h = halvesOf(n, halvings(n) - 1 - step);
  for (std::uint64_t i = 0; i < n; ++i)
    send(n, i, (i + n - h.remaining) % n, i, h.reach - h.remaining, false, sink);
}

constexpr Pattern halving{.steps = halvings,
                          .sent = otherSlices,
                          .slices = oneOfEach,
                          .messages = reduceScatter,
                          .load = nullptr,
                          .farther = true};
constexpr Pattern doubling{.steps = halvings,
                           .sent = otherSlices,
                           .slices = oneOfEach,
                           .messages = allGather,
                           .load = nullptr,
                           .farther = true};

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (reduces(kind))
    addPerLevel(out, halving, shape, LevelOrder::Outward, true);
  if (gathers(kind))
    addPerLevel(out, doubling, shape, LevelOrder::Inward, true);
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllReduce, CollectiveKind::ReduceScatter,
                                    CollectiveKind::AllGather};
} // namespace

const AlgorithmInfo dpl::cost::halvingDoubling{
    .kinds = kinds, .phases = phases, .onlyStated = true};
