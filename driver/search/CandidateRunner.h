#pragma once
//===- CandidateRunner.h - What the compiler says of the candidates of a search ---------------===//
#include "driver/workspace/Workspace.h"
#include "planner/search/CandidateSearch.h"

namespace dpl::search {

/// A search of a file as the command line asks for it.
struct SearchRequest {
  std::string path, search;
  /// The file's text where it is none on disk: standard input.
  std::optional<std::string> text;
  std::vector<Override> overrides; ///< the last word, over what the search varies too
};

/// Judges each candidate as `dplc check` judges the layout that it is: the file is compiled with
/// the candidate's values as settings, so that all that depends on a field follows, and every pass
/// runs.
class CandidateRunner final : public planner::CandidateJudge {
public:
  /// Borrows both. Workers are numbered below `workers`.
  CandidateRunner(const SearchRequest& request, const ir::Space& space, unsigned workers)
      : request(request), space(space), compilers(workers) {}

  planner::ScreenedCandidate screen(std::uint64_t candidate, unsigned worker) override;
  planner::JudgedCandidate judge(std::uint64_t candidate, unsigned worker) override;

  /// The completed plan of a candidate; none if the candidate is illegal. A plan that does not fit
  /// is complete too.
  std::optional<ir::Plan> planOf(std::uint64_t candidate);
  /// The value of each open field, as a file writes it.
  std::vector<std::string> valuesOf(std::uint64_t candidate) const;

private:
  struct Compiler {
    std::unique_ptr<Workspace> workspace;
    unsigned compiled = 0;
  };
  /// The plan of a candidate before any pass; none after a report.
  std::optional<ir::Plan> compile(std::uint64_t candidate, unsigned worker,
                                  DiagnosticEngine& diags);
  /// The `require` that removes a candidate and needs nothing but its open fields.
  std::string brokenByValues(std::uint64_t candidate) const;

  const SearchRequest& request;
  const ir::Space& space;
  std::vector<Compiler> compilers;
};

/// Whether an expression reads a figure.
bool readsFigures(const ir::Assertion& expression);

} // namespace dpl::search
