//===- CollectiveAlgorithm.cpp - Collectives as the steps they are made of --------------------===//
#include "cost/collectives/CollectiveAlgorithm.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// ⌈log2 n⌉.
std::uint64_t treeDepth(std::uint64_t n) {
  std::uint64_t depth = 0;
  while ((std::uint64_t{1} << depth) < n)
    ++depth;
  return depth;
}

/// Ranks that peer directly at each level: inside[l] / inside[l−1].
std::uint64_t widthAt(const std::vector<std::uint64_t>& inside, std::size_t level) {
  const std::uint64_t below = level == 0 ? 1 : inside[level - 1];
  return below == 0 ? 1 : inside[level] / below;
}

/// The outermost level that the group crosses.
std::uint64_t spannedLevel(const std::vector<std::uint64_t>& inside) {
  std::uint64_t spanned = 0;
  for (std::size_t l = 0; l < inside.size(); ++l)
    if (widthAt(inside, l) > 1)
      spanned = l;
  return spanned;
}

/// One phase a level, inner first; the share falls to 1/w of it at each level when `scatters`.
std::vector<Phase> perLevel(PhaseKind kind, const std::vector<std::uint64_t>& inside,
                            bool scatters) {
  std::vector<Phase> phases;
  std::uint64_t below = 1;
  for (std::size_t l = 0; l < inside.size(); ++l) {
    const std::uint64_t w = widthAt(inside, l);
    if (w > 1)
      phases.push_back(
          {kind, w, below, l, scatters ? 1.0 / static_cast<double>(below) : 1.0, false});
    below *= w;
  }
  return phases;
}

void append(std::vector<Phase>& phases, const std::vector<Phase>& more) {
  phases.insert(phases.end(), more.begin(), more.end());
}

std::vector<Phase> reversed(std::vector<Phase> phases) {
  std::reverse(phases.begin(), phases.end());
  return phases;
}
} // namespace

std::uint64_t Phase::steps() const {
  if (ranks < 2)
    return 0;
  switch (kind) {
  case PhaseKind::RingReduceScatter:
  case PhaseKind::RingAllGather:
  case PhaseKind::Pairwise:
    return ranks - 1;
  case PhaseKind::TreeReduce:
  case PhaseKind::TreeBroadcast:
    return treeDepth(ranks);
  case PhaseKind::Exchange:
  case PhaseKind::Direct:
    return 1;
  }
  return 0;
}

double Phase::sentInStep() const {
  const double w = static_cast<double>(ranks);
  switch (kind) {
  case PhaseKind::RingReduceScatter:
  case PhaseKind::RingAllGather:
  case PhaseKind::Pairwise:
    return share / w;
  case PhaseKind::TreeReduce:
  case PhaseKind::TreeBroadcast:
  case PhaseKind::Direct:
    return share;
  case PhaseKind::Exchange:
    return share * (w - 1) / w;
  }
  return 0;
}

double Phase::sent() const { return static_cast<double>(steps()) * sentInStep(); }

std::uint64_t dpl::cost::piecesOf(const Phase& phase) {
  switch (phase.kind) {
  case PhaseKind::TreeReduce:
  case PhaseKind::TreeBroadcast:
  case PhaseKind::Direct:
    return 1;
  case PhaseKind::RingReduceScatter:
  case PhaseKind::RingAllGather:
  case PhaseKind::Pairwise:
  case PhaseKind::Exchange:
    return phase.ranks;
  }
  return 1;
}

std::vector<Message> dpl::cost::messagesOf(const Phase& phase, std::uint64_t step) {
  std::vector<Message> messages;
  const std::uint64_t n = phase.ranks;
  switch (phase.kind) {
  case PhaseKind::RingReduceScatter: // rank i starts with piece i and ends owning piece (i + 1) mod
                                     // n
    for (std::uint64_t i = 0; i < n; ++i)
      messages.push_back({i, (i + 1) % n, (i + n - step) % n, 1, true});
    break;
  case PhaseKind::RingAllGather: // rank i starts with piece (i + 1) mod n
    for (std::uint64_t i = 0; i < n; ++i)
      messages.push_back({i, (i + 1) % n, (i + 1 + n - step) % n, 1, false});
    break;
  case PhaseKind::TreeReduce:
    for (std::uint64_t i = std::uint64_t{1} << step; i < n; i += std::uint64_t{2} << step)
      messages.push_back({i, i - (std::uint64_t{1} << step), 0, 1, true});
    break;
  case PhaseKind::TreeBroadcast: {
    const std::uint64_t reach = std::uint64_t{1} << (treeDepth(n) - 1 - step);
    for (std::uint64_t i = reach; i < n; i += 2 * reach)
      messages.push_back({i - reach, i, 0, 1, false});
    break;
  }
  case PhaseKind::Pairwise: // piece j of rank i is for rank j
    for (std::uint64_t i = 0; i < n; ++i)
      messages.push_back({i, (i + step + 1) % n, (i + step + 1) % n, 1, false});
    break;
  case PhaseKind::Exchange:
    for (std::uint64_t i = 0; i < n; ++i)
      for (std::uint64_t j = 0; j < n; ++j)
        if (i != j)
          messages.push_back({i, j, j, 1, false});
    break;
  case PhaseKind::Direct:
    messages.push_back({0, 1, 0, 1, false});
    break;
  }
  return messages;
}

std::vector<Phase> dpl::cost::phasesOf(CollectiveKind kind, Algorithm algorithm,
                                       const std::vector<std::uint64_t>& inside) {
  std::vector<Phase> phases;
  const std::uint64_t n = inside.empty() ? 1 : inside.back(), level = spannedLevel(inside);
  const bool reduces = kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter;
  const bool gathers = kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather;
  switch (algorithm) {
  case Algorithm::Ring:
    if (reduces)
      phases.push_back({PhaseKind::RingReduceScatter, n, 1, level, 1, true});
    if (gathers)
      phases.push_back({PhaseKind::RingAllGather, n, 1, level, 1, true});
    break;
  case Algorithm::Hierarchical:
    if (reduces)
      append(phases, perLevel(PhaseKind::RingReduceScatter, inside, true));
    if (gathers)
      append(phases, reversed(perLevel(PhaseKind::RingAllGather, inside, true)));
    break;
  case Algorithm::Tree:
    if (kind == CollectiveKind::AllReduce)
      append(phases, perLevel(PhaseKind::TreeReduce, inside, false));
    if (kind == CollectiveKind::AllReduce || kind == CollectiveKind::Broadcast)
      append(phases, reversed(perLevel(PhaseKind::TreeBroadcast, inside, false)));
    break;
  case Algorithm::Pairwise:
    if (kind == CollectiveKind::AllToAll)
      phases.push_back({PhaseKind::Pairwise, n, 1, level, 1, true});
    break;
  case Algorithm::Direct:
    if (kind == CollectiveKind::AllToAll)
      phases.push_back({PhaseKind::Exchange, n, 1, level, 1, true});
    else if (kind == CollectiveKind::SendReceive)
      phases.push_back({PhaseKind::Direct, 2, 1, level, 1, false});
    break;
  }
  return phases;
}
