//===- Pairwise.cpp - An exchange with one peer after another ---------------------------------===//
//
// There are n−1 steps; in step i a rank sends to the rank i positions further. In every step some
// message crosses the outermost units, which limit the rate. The direct exchange posts all messages
// at once and is never slower, so a cluster has to ask for this one.
#include "cost/collectives/Algorithm.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
std::uint64_t steps(std::uint64_t n) { return n - 1; }
std::uint64_t slices(std::uint64_t n) { return n; }
double sent(std::uint64_t n, double share) { return share * real(n - 1) / real(n); }

/// Slice j of rank i is for rank j.
void exchange(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t to = (i + step + 1) % n;
    sink({i, to, to, 1, false});
  }
}

LevelLoad load(const GroupShape& shape, std::size_t level) {
  const double share = real(shape.inside[level] - shape.below(level)) / real(shape.ranks() - 1);
  const double outermost = level == shape.spannedLevel() ? 1 : 0;
  return {share, std::max(share, outermost), outermost};
}

void phases(CollectiveKind, const GroupShape& shape, Phases& out) {
  out.add(wholeGroup(exchangeOneByOne, shape));
}

constexpr CollectiveKind kinds[] = {CollectiveKind::AllToAll};
} // namespace

const Pattern dpl::cost::exchangeOneByOne{.steps = steps,
                                          .sent = sent,
                                          .slices = slices,
                                          .messages = exchange,
                                          .load = load,
                                          .farther = true};
const AlgorithmInfo dpl::cost::pairwise{.kinds = kinds, .phases = phases, .onlyStated = true};
