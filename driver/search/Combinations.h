#pragma once
//===- Combinations.h - Compiles each combination of a search's fields once -------------------===//
#include "driver/search/CandidateRunner.h"
#include "planner/search/LayoutSearch.h"

namespace dpl::search {

/// The candidates of a space, for planner::searchPart. Open degrees, micro-batches and sequence
/// sharding are written into the plan as numbers, if no expression of the file reads them. The
/// front end compiles each combination of the other open fields once. Null if each candidate must
/// be compiled, because it is not known which fields a `require` reads, or because the first
/// candidate has no plan. The space and the runner must outlive the result.
std::unique_ptr<planner::LayoutSearch>
orderedCandidates(const ir::Space& space, CandidateRunner& runner,
                  const planner::CandidateSearchOptions& options);

} // namespace dpl::search
