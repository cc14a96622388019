#pragma once
//===- PlanResult.h - What the passes find about one plan, without the plan -------------------===//
#include "driver/workspace/Workspace.h"
#include "tools/dplc/RunSums.h"

namespace dpl::tool {

/// A value that the compiler chose for a field: `data = rest` is 4.
struct ChosenValue {
  SourceRange at; ///< of the written value
  std::string value;
};

/// The figures of a plan next to the name of its layout; none if it has no predicted step.
struct PlanSummary {
  double step = 0;   ///< s
  double mfu = 0;    ///< share of the peak FLOP/s
  double memory = 0; ///< peak bytes of a device
};

/// The results of the passes for one plan. They are kept while a file is edited, so that the passes
/// of an unchanged plan are not run again.
struct PlanResult {
  /// Messages in the phases in which `dplc check` reports them; those of the last one are sorted
  /// with the first phase of the next plan.
  std::vector<std::vector<Diagnostic>> phases;
  std::vector<Diagnostic> openPhase;
  bool failed = false; ///< whether there is an error
  bool judged = false; ///< whether the passes came far enough for `check` to show the plan
  std::uint64_t actions = 0, actionsOfRuns = 0; ///< of the schedules, as `check` limits them
  std::vector<RunShare> shares;
  std::optional<PlanSummary> summary;
  std::vector<ChosenValue> chosen;
  /// All figures, by path, if another process judged the plan, which would take too long again.
  std::map<std::string, double> figures;
  std::vector<SourceRange> ranges; ///< of the plan that was judged (ir::visitRanges)
};

/// The ranges of a plan before the passes, as messages about it may contain them.
std::vector<SourceRange> rangesOf(const ir::Plan& plan);

/// Runs the passes on a plan as `dplc check` does. The plan is complete afterwards. Without
/// `advise` an error may lack advice, which takes much longer to find than the error.
PlanResult resultOf(ir::Plan& plan, const CompiledUnit& unit, const SourceManager& sources,
                    bool advise);

/// Whether the passes may take much longer than a user waits for an answer to a key: a mesh,
/// schedule or split is searched, or a step has very many actions.
bool isSlow(const ir::Plan& plan);

/// All figures of a complete plan by path; empty if its memory is not known.
std::map<std::string, double> figuresOf(const ir::Plan& plan);

/// A result as JSON, for the process that computed it and the one that asked. Ranges refer to the
/// same sources.
Json asJson(const PlanResult& result);
PlanResult planResultOf(const Json& json);

} // namespace dpl::tool
