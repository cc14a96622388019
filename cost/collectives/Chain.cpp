//===- Chain.cpp - Broadcast and reduce along a chain of ranks --------------------------------===//
//
// With latency a and bandwidth B, a chain of c hops for d bytes in j segments takes (c + j − 1)(a +
// d/(jB)). The closed form has `segments` segments and goes level by level. NCCL's broadcast and
// reduce are pipelined rings, as many in parallel as a unit has ranks.
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr std::uint64_t segments = 32;

std::uint64_t steps(std::uint64_t n) { return n - 1 + segments - 1; }
std::uint64_t slices(std::uint64_t) { return segments; }
double sent(std::uint64_t n, double share) {
  return static_cast<double>(steps(n)) * share / static_cast<double>(segments);
}

/// Calls `hop` with each rank that sends in a step, by its distance from the start of the chain,
/// and with the segment that it sends.
template <class Hop> void eachHop(std::uint64_t n, std::uint64_t step, Hop hop) {
  for (std::uint64_t i = 0; i + 1 < n; ++i)
    if (step >= i && step - i < segments)
      hop(i, step - i);
}
void outward(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  eachHop(n, step, [&](std::uint64_t i, std::uint64_t segment) {
    sink({i, i + 1, segment, 1, false});
  });
}
void inward(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  eachHop(n, step, [&](std::uint64_t i, std::uint64_t segment) {
    sink({n - 1 - i, n - 2 - i, segment, 1, true});
  });
}

constexpr Pattern fromRoot{steps, sent, slices, outward, nullptr, false, false, true};
constexpr Pattern toRoot{steps, sent, slices, inward, nullptr, false, false, true};

void phases(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  if (kind == CollectiveKind::Broadcast)
    addPerLevel(out, fromRoot, shape, LevelOrder::Inward, false);
  else
    addPerLevel(out, toRoot, shape, LevelOrder::Outward, false);
}

// ---- pipelined

std::uint64_t hops(std::uint64_t n) { return n - 1; }
void wholeOutward(std::uint64_t, std::uint64_t step, MessageSink sink) {
  sink({step, step + 1, 0, 1, false});
}
void wholeInward(std::uint64_t n, std::uint64_t step, MessageSink sink) {
  sink({n - 1 - step, n - 2 - step, 0, 1, true});
}

/// Counts hops that cross links of this level and of no outer one.
LevelLoad load(const GroupShape& shape, std::size_t level) {
  const double n = static_cast<double>(shape.ranks()),
               leaving = 1 / static_cast<double>(shape.below(level)),
               units = n / static_cast<double>(shape.inside[level]),
               crossings = n * leaving - units;
  return {crossings / n, crossings > 0 ? leaving : 0, crossings / (n - 1)};
}

constexpr Pattern pipeFromRoot{hops, wholeShare, once, wholeOutward, load, false, true};
constexpr Pattern pipeToRoot{hops, wholeShare, once, wholeInward, load, false, true};

void pipes(CollectiveKind kind, const GroupShape& shape, Phases& out) {
  out.add(wholeGroup(kind == CollectiveKind::Broadcast ? pipeFromRoot : pipeToRoot, shape));
}

constexpr CollectiveKind kinds[] = {CollectiveKind::Broadcast, CollectiveKind::Reduce};
} // namespace

const AlgorithmInfo dpl::cost::chain{kinds, phases};
const AlgorithmInfo dpl::cost::pipe{
    .kinds = kinds, .phases = pipes, .closedForm = false, .nccl = true, .hop = HopKind::Ring};
