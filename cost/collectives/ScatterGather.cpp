//===- ScatterGather.cpp - A broadcast as a scatter and a ring all-gather ---------------------===//
//
// The scatter has ⌈log2 n⌉ steps and the all-gather n−1, each with (n−1)/n of the buffer (van de
// Geijn). The ranks of the group must be units of one level.
#include "cost/collectives/Algorithm.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The first of ranks first … first + count − 1 has the data of all of them and keeps that of the
/// first half. A ring starts with slice i + 1 on rank i.
void split(std::uint64_t n, std::uint64_t first, std::uint64_t count, std::uint64_t step,
           MessageSink sink) {
  if (count < 2)
    return;
  const std::uint64_t kept = halved(count), middle = first + kept, end = first + count;
  if (step > 0) {
    split(n, first, kept, step - 1, sink);
    split(n, middle, count - kept, step - 1, sink);
    return;
  }
  if (const std::uint64_t last = std::min(end, n - 1); last > middle)
    sink({first, middle, middle + 1, last - middle, false});
  if (end == n)
    sink({first, middle, 0, 1, false});
}
void scatter(std::uint64_t n, std::uint64_t step, MessageSink sink) { split(n, 0, n, step, sink); }

constexpr Pattern byHalves{halvings, otherSlices, oneOfEach, scatter, nullptr, false, false, true};

void phases(CollectiveKind, const GroupShape& shape, Phases& out) {
  const std::uint64_t level = shape.spannedLevel();
  if (shape.below(level) > 1)
    return;
  out.add({&byHalves, shape.ranks(), 1, level, 1, false});
  out.add({&ringAllGather, shape.ranks(), 1, level, 1, false});
}

constexpr CollectiveKind kinds[] = {CollectiveKind::Broadcast};
} // namespace

const AlgorithmInfo dpl::cost::scatterGather{
    .kinds = kinds,
    .phases = phases,
    .needs = "ranks each in a unit of its own, as many as the group has"};
