#pragma once
//===- BrokenRules.h - All rules of legality that a candidate breaks --------------------------===//
#include "cost/legality/Legality.h"

namespace dpl::cost {

/// The rules of `brokenRule` that a candidate breaks, as a set of bits: 0 if and only if
/// `brokenRule` is None. Candidates of one layout with the same set get the same first error from
/// check-layout. If the mesh has another size than the cluster, only MeshSize counts, as in
/// check-layout.
std::uint64_t brokenRules(const LegalityInputs& facts, const LayoutCandidate& candidate);

/// The part of these rules that does not depend on schedule and split.
struct BrokenByDegrees {
  std::uint64_t rules = 0;
  bool alone = false;             ///< the mesh has another size, and no other rule counts
  std::uint64_t microBatches = 0; ///< most per data rank and step
};
BrokenByDegrees brokenByDegrees(const LegalityInputs& facts, const LayoutCandidate& candidate);
/// The other part, for a number of pipeline stages and of micro-batches.
std::uint64_t brokenByStages(const LegalityInputs& facts, std::uint64_t stages,
                             std::uint64_t microBatches);

} // namespace dpl::cost
