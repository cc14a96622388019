//===- Algorithm.cpp - Collectives as phases of messages --------------------------------------===//
#include "cost/collectives/Algorithm.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

std::uint64_t GroupShape::spannedLevel() const {
  std::uint64_t spanned = 0;
  for (std::size_t l = 0; l < inside.size(); ++l)
    if (inside[l] > below(l))
      spanned = l;
  return spanned;
}

bool dpl::cost::reduces(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::ReduceScatter;
}

bool dpl::cost::gathers(CollectiveKind kind) {
  return kind == CollectiveKind::AllReduce || kind == CollectiveKind::AllGather;
}

AlgorithmPhase dpl::cost::wholeGroup(const Pattern& pattern, const GroupShape& shape) {
  return {&pattern, shape.ranks(), 1, shape.spannedLevel(), 1, true};
}

void dpl::cost::addPerLevel(Phases& out, const Pattern& pattern, const GroupShape& shape,
                            LevelOrder sweep, bool scatter) {
  const std::size_t levels = shape.inside.size();
  for (std::size_t i = 0; i < levels; ++i) {
    const std::size_t l = sweep == LevelOrder::Outward ? i : levels - 1 - i;
    const std::uint64_t below = shape.below(l), width = shape.widthAt(l);
    if (width > 1)
      out.add({&pattern, width, below, l, scatter ? 1.0 / static_cast<double>(below) : 1.0, false});
  }
}

void dpl::cost::addTreesOfShards(Phases& out, const Pattern& reduce, const Pattern& gather,
                                 const GroupShape& shape) {
  const std::uint64_t inside = shape.inside.front(), domains = shape.ranks() / inside;
  const double share = 1 / static_cast<double>(inside);
  if (inside > 1)
    out.add({&reduce, inside, 1, 0, 1, false});
  if (domains > 1)
    for (const Pattern* pattern : {&doubleTreeReduce, &doubleTreeBroadcast})
      out.add({pattern, domains, inside, shape.spannedLevel(), share, false});
  if (inside > 1)
    out.add({&gather, inside, 1, 0, 1, false});
}

llvm::ArrayRef<const AlgorithmInfo*> dpl::cost::algorithms() {
  static constexpr const AlgorithmInfo* all[] = {
#define ALGORITHM(ENUMERATOR, SPELLING, ROW) &ROW,
#include "ir/Algorithms.def"
  };
  return all;
}

Phases dpl::cost::phasesOf(CollectiveKind kind, ir::Algorithm algorithm, const GroupShape& shape) {
  Phases phases;
  const AlgorithmInfo& row = *algorithms()[static_cast<std::size_t>(algorithm)];
  if (row.does(kind) && shape.ranks() > 1)
    row.phases(kind, shape, phases);
  return phases;
}
