#pragma once
//===- SearchRun.h - Runs a `search` block ----------------------------------------------------===//
#include "backends/report/SearchTable.h"
#include "driver/search/CandidateRunner.h"

namespace dpl::search {

/// Limits on the candidates of a `search` block, and of the open fields of a layout.
constexpr std::uint64_t mostCandidates = 10'000'000, mostOfLayout = 1'000'000'000;

struct RunOptions {
  SearchRequest request;
  std::uint64_t keep = 0; ///< number of layouts to rank, or to list of a front; 0: as the search
                          ///< says
  std::vector<std::string> figures; ///< figures in the columns of the table; if empty, the usual
                                    ///< ones
  unsigned threads = 1;
  std::uint64_t shard = 1, shards = 1; ///< searches only this part, as CandidateSearchOptions
  std::string folder;                  ///< where the parts of shards are; empty for one process
  std::vector<std::string> merge;      ///< ranks the parts in these folders and searches nothing
  std::function<void(const planner::SearchProgress&)> progress;
  std::function<bool()> stop; ///< whether the search has to end now
};

/// Searches one shard and writes its part to the folder, unless the folder has it: a search that
/// was killed continues with the missing shards. `sources` are those of the file, on which the key
/// of the part depends. Returns the number of candidates that it executed; fails after a report.
FailureOr<std::uint64_t> runShard(const ir::Plan& plan, const NamedBlock& block,
                                  const RunOptions& options, const SourceManager& sources,
                                  DiagnosticEngine& diags);
/// Waits until the folder has the parts of all shards. Fails after a report if one is missing after
/// this number of seconds.
LogicalResult waitForShards(const ir::Plan& plan, const RunOptions& options,
                            const SourceManager& sources, std::uint64_t seconds,
                            DiagnosticEngine& diags);

/// Runs a search, or ranks what its shards found. `plan` is that of its first candidate. The table
/// does not depend on the number of threads. If no layout gets a rank, one error is reported, and
/// the certificate of the table has the reasons. A search that is stopped reports nothing. Fails
/// after a report if the search cannot run.
FailureOr<report::SearchTable> run(const ir::Plan& plan, const NamedBlock& block,
                                   const RunOptions& options, const SourceManager& sources,
                                   DiagnosticEngine& diags);

} // namespace dpl::search
