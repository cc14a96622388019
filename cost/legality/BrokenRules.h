#pragma once
//===- BrokenRules.h - All rules of legality that a candidate breaks --------------------------===//
#include "cost/legality/Legality.h"

namespace dpl::cost {

/// The rules of `brokenRule` that a candidate breaks, as a set of bits: 0 if and only if
/// `brokenRule` is None. Candidates of one layout with the same set get the same first error from
/// check-layout. A mesh of another size breaks this rule alone, as in check-layout.
std::uint64_t brokenRules(const LegalityInputs& facts, const LayoutCandidate& candidate);

} // namespace dpl::cost
