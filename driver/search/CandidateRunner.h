#pragma once
//===- CandidateRunner.h - Compiles and executes the candidates of a search -------------------===//
#include "driver/search/FieldConditions.h"
#include "driver/workspace/Workspace.h"
#include "planner/PlanBound.h"
#include "planner/search/CandidateSearch.h"
#include <limits>
#include <map>
#include <mutex>

namespace dpl::search {

/// A search, as the command line selects it.
struct SearchRequest {
  std::string path, search; ///< name of the search, or of the layout whose open fields are searched
  bool ofLayout = false;    ///< whether the space is that of a layout without a `search` block
  /// Text of the file, if it comes from standard input.
  std::optional<std::string> text;
  /// Settings that are applied before the open fields: the mesh whose degrees are open.
  std::vector<Override> base;
  std::vector<Override> overrides; ///< settings of the command line; they also override open fields
  /// Whether a complete plan may be ranked; empty: every one may.
  std::function<bool(const ir::Plan&)> wanted;
};

/// A candidate after compilation by the front end, before any pass.
struct CompiledCandidate {
  std::optional<ir::Plan> plan;
  std::string rule; ///< reason if there is no plan: "DPL0304 batch-not-divisible"
  /// Open fields that expressions read, apart from `require` and objectives.
  std::set<std::string> reads;
};

/// Judges each candidate as `dplc check` would judge its layout. The file is compiled with the
/// values of the candidate as overrides, and all passes run.
class CandidateRunner final : public planner::CandidateJudge {
public:
  /// `request` and `space` must outlive the runner. Numbers of workers are below `workers`.
  CandidateRunner(const SearchRequest& request, const ir::Space& space, unsigned workers);

  planner::ScreenedCandidate screen(std::uint64_t candidate, unsigned worker) override;
  planner::JudgedCandidate judge(std::uint64_t candidate, unsigned worker) override;

  CompiledCandidate compiled(std::uint64_t candidate, unsigned worker);
  /// A candidate as all passes leave it.
  struct RunPlan {
    std::optional<ir::Plan> plan;   ///< empty if the candidate is illegal
    std::vector<std::string> worst; ///< values of the fields of `worst_of`
  };
  /// The plan of a candidate with the values of `worst_of` with which it cannot run or its first
  /// objective is worst. A plan that does not fit is also complete.
  RunPlan planOf(std::uint64_t candidate);
  /// The value of each open field, in the syntax of a file.
  std::vector<std::string> valuesOf(std::uint64_t candidate) const;
  /// How often the front end has compiled a candidate.
  std::uint64_t compilations() const;

private:
  struct Compiler {
    std::unique_ptr<Workspace> workspace;
    unsigned compiled = 0;
    std::uint64_t all = 0; ///< compilations in all workspaces
  };
  /// Keeps the plan of a candidate that can be ranked, if it is one of the best by the first
  /// objective.
  void keep(std::uint64_t candidate, double objective, ir::Plan&& plan);
  /// The plan of a candidate before any pass; none after a report. `setting` is the number of a
  /// combination of `worst_of`.
  std::optional<ir::Plan> compile(std::uint64_t candidate, std::uint64_t setting, unsigned worker,
                                  DiagnosticEngine& diags);
  planner::JudgedCandidate judgeWith(std::uint64_t candidate, std::uint64_t setting,
                                     unsigned worker);
  /// The number of a combination of `worst_of`, from 0 to `space.settings()`: the bounds' one
  /// first.
  std::uint64_t settingAt(std::uint64_t i) const { return i == 0 ? base : i <= base ? i - 1 : i; }
  void chooseBase();
  /// The first `require` over open fields alone that a candidate breaks; empty if there is none.
  std::string brokenByValues(std::uint64_t candidate) const;

  const SearchRequest& request;
  const ir::Space& space;
  /// The combination of `worst_of` whose bounds exclude candidates: an objective is no better with
  /// the worst of all. The one in which the first candidate is slowest excludes most.
  std::uint64_t base = 0;
  std::vector<Compiler> compilers;
  /// The complete plans of the best candidates so far, by their first objective and their number.
  std::map<std::pair<double, std::uint64_t>, ir::Plan> kept;
  std::mutex keeping; ///< of `kept`
};

/// The value of an objective; empty if it has none.
std::optional<ir::ResultValue> valueOf(const ir::Objective& objective, ir::FindResult results);
/// Whether a condition limits one figure that has a lower bound by an expression without figures.
bool isUpperLimit(const ir::Assertion& constraint);
/// The limits of these conditions, in base units.
std::vector<double> upperLimits(const ir::Space& space);
/// The `require` that a lower bound breaks, and the relative excess.
planner::ScreenedCandidate brokenByBound(const ir::Space& space, const planner::PlanBound& bound);

/// The same for many bounds of one search, whose limits are evaluated once.
class UpperLimits {
public:
  /// The space must outlive the limits.
  explicit UpperLimits(const ir::Space& space);
  bool empty() const { return !any; }
  planner::ScreenedCandidate brokenBy(const planner::PlanBound& bound) const;

private:
  const ir::Space& space;
  bool any = false;
  /// The smallest limits in bytes and seconds; 0 for a limit without a value.
  double memory = std::numeric_limits<double>::infinity(), step = memory;
};

} // namespace dpl::search
