#pragma once
//===- CandidateRunner.h - Compiles and executes the candidates of a search -------------------===//
#include "driver/search/FieldConditions.h"
#include "driver/workspace/Workspace.h"
#include "planner/search/CandidateSearch.h"
#include "planner/search/PlanBound.h"

namespace dpl::search {

/// A search, as the command line selects it.
struct SearchRequest {
  std::string path, search; ///< name of the search, or of a layout whose open fields are searched
  bool ofLayout = false;    ///< the space is that of a layout without a `search` block
  /// The text of the file if it comes from standard input.
  std::optional<std::string> text;
  /// Settings below those of the open fields: the mesh whose degrees are open.
  std::vector<Override> base;
  std::vector<Override> overrides; ///< settings of the command line; they also override open fields
};

/// A candidate as the front end leaves it.
struct CompiledCandidate {
  std::optional<ir::Plan> plan;
  std::string rule; ///< the reason without a plan: "DPL0304 batch-not-divisible"
  /// Open fields that expressions read, other than `require` and objectives.
  std::set<std::string> reads;
};

/// Judges each candidate as `dplc check` would judge its layout: the file is compiled with the
/// values of the candidate as settings, and all passes run.
class CandidateRunner final : public planner::CandidateJudge {
public:
  /// `request` and `space` must outlive the runner. Numbers of workers are below `workers`.
  CandidateRunner(const SearchRequest& request, const ir::Space& space, unsigned workers)
      : request(request), space(space), compilers(workers) {}

  planner::ScreenedCandidate screen(std::uint64_t candidate, unsigned worker) override;
  planner::JudgedCandidate judge(std::uint64_t candidate, unsigned worker) override;

  CompiledCandidate compiled(std::uint64_t candidate, unsigned worker);
  /// The completed plan of a candidate; empty if the candidate is illegal. A plan that does not fit
  /// is also complete.
  std::optional<ir::Plan> planOf(std::uint64_t candidate);
  /// The value of each open field, in the syntax of a file.
  std::vector<std::string> valuesOf(std::uint64_t candidate) const;

private:
  struct Compiler {
    std::unique_ptr<Workspace> workspace;
    unsigned compiled = 0;
  };
  /// The plan of a candidate before any pass; none after a report.
  std::optional<ir::Plan> compile(std::uint64_t candidate, unsigned worker,
                                  DiagnosticEngine& diags);
  /// The first `require` over open fields alone that a candidate breaks; empty if there is none.
  std::string brokenByValues(std::uint64_t candidate) const;

  const SearchRequest& request;
  const ir::Space& space;
  std::vector<Compiler> compilers;
};

/// Whether a condition limits one figure that has a lower bound by an expression without figures.
bool isUpperLimit(const ir::Assertion& constraint);
/// The `require` that a lower bound breaks, and the relative excess.
planner::ScreenedCandidate brokenByBound(const ir::Space& space, const planner::PlanBound& bound);

} // namespace dpl::search
