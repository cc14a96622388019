#pragma once
//===- SearchRun.h - A `search` block, run ----------------------------------------------------===//
#include "backends/report/SearchTable.h"
#include "driver/search/CandidateRunner.h"

namespace dpl::search {

/// The most candidates that a search may have.
constexpr std::uint64_t mostCandidates = 10'000'000;

struct RunOptions {
  SearchRequest request;
  std::uint64_t keep = 0;           ///< layouts to rank; 0: as many as the search keeps
  std::vector<std::string> figures; ///< columns of the table; none: the usual ones
  unsigned threads = 1;
  /// Hears how many of how many candidates are done, and the best first objective so far.
  std::function<void(std::uint64_t, std::uint64_t, std::optional<double>)> progress;
};

/// Runs a search, whose plan is that of its first candidate. The same table comes out for any
/// number of threads. If nothing is found there is one error in addition to the table, whose
/// certificate says why. Fails after a report where the search cannot run.
FailureOr<report::SearchTable> run(const ir::Plan& plan, const NamedBlock& block,
                                   const RunOptions& options, DiagnosticEngine& diags);

} // namespace dpl::search
