#pragma once
//===- StepRuns.h - Measured steps with their layouts -----------------------------------------===//
#include "driver/compare/Comparison.h"
#include "driver/score/Scores.h"

namespace dpl::score {

/// Measured values of one run. Values are 0 if they are not known.
struct MeasuredRun {
  std::string name;
  std::size_t plan = 0; ///< index into `StepRuns::plans`
  double seconds = 0;   ///< time of a step
  double mfu = 0;
  double reserved = 0; ///< bytes of the device in use, with the CUDA context
};

/// Runs of one machine, and their plans, which no pass has completed yet.
struct StepRuns {
  std::vector<MeasuredRun> runs;
  std::vector<ir::Plan> plans;
  std::string cluster; ///< base of the cluster: "clusters.dgx_h100"
  /// Lines of the fields in which all plans agree, of the cluster and of the framework.
  std::vector<std::pair<std::string, std::string>> clusterFields, frameworkFields;
};

/// Reads tables of runs (docs/reference/score.md). `cluster` replaces the cluster of the tables,
/// and is one of the .dpl file `file`, if that is not empty. Fails after a report.
FailureOr<StepRuns> readStepRuns(llvm::ArrayRef<std::string> tables, const std::string& cluster,
                                 const std::string& file, const ScoreOptions& options,
                                 SourceManager& sources, DiagnosticEngine& diags);

} // namespace dpl::score
