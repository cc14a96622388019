#pragma once
//===- SearchRun.h - Runs a `search` block ----------------------------------------------------===//
#include "backends/report/SearchTable.h"
#include "driver/search/CandidateRunner.h"

namespace dpl::search {

/// Limit on the candidates of a search.
constexpr std::uint64_t mostCandidates = 10'000'000;

struct RunOptions {
  SearchRequest request;
  std::uint64_t keep = 0;           ///< layouts to rank; 0: the number of the search
  std::vector<std::string> figures; ///< columns of the table; none: the usual ones
  unsigned threads = 1;
  /// Called with the number of finished candidates, the number of all, and the best first objective
  /// so far.
  std::function<void(std::uint64_t, std::uint64_t, std::optional<double>)> progress;
};

/// Runs a search. `plan` is that of its first candidate. The table does not depend on the number of
/// threads. If no layout gets a rank, one error is reported, and the certificate of the table has
/// the reasons. Fails after a report if the search cannot run.
FailureOr<report::SearchTable> run(const ir::Plan& plan, const NamedBlock& block,
                                   const RunOptions& options, DiagnosticEngine& diags);

} // namespace dpl::search
