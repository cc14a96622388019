#pragma once
//===- Combinations.h - Compiles each combination of a search's fields once -------------------===//
#include "driver/search/CandidateRunner.h"
#include "planner/search/LayoutSearch.h"

namespace dpl::search {

/// The candidates of a space for planner::searchPart. Open degrees, micro-batches and sequence
/// sharding stay numbers if no expression of the file reads them; the front end compiles each
/// combination of the other open fields once. Null if the fields that a `require` reads are unknown
/// or the first candidate has no plan, so that each candidate must be compiled. The space and the
/// runner must outlive the result.
std::unique_ptr<planner::LayoutSearch>
orderedCandidates(const ir::Space& space, CandidateRunner& runner,
                  const planner::CandidateSearchOptions& options);

} // namespace dpl::search
