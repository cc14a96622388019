#pragma once
//===- PointRunner.h - Compiles and simulates one point of a study ----------------------------===//
#include "driver/study/StudyPoints.h"
#include "driver/workspace/Workspace.h"
#include <map>

namespace dpl::study {

/// Compilations of points in one workspace. It keeps the texts of all settings, so a new one is
/// made after this number.
constexpr unsigned mostOfOneWorkspace = 256;

/// A study, as the command line selects it.
struct StudyRequest {
  std::string path, study;
  std::string layout; ///< layout that the study varies
  /// The text of the file if it comes from standard input.
  std::optional<std::string> text;
  std::vector<Override> overrides; ///< command-line settings; they also override varied fields
};

/// The draws of one run at a point.
struct RunsOfPoint {
  std::string name;
  std::uint64_t count = 0;
  std::optional<double> halfWidth; ///< as StudyPoint::halfWidth
};

/// Scales the batch of a layout with its data ranks.
struct BatchScaling {
  std::uint64_t ranks = 0; ///< data ranks of the layout as written; 0 if its batch is not scaled
  std::uint64_t batch = 0; ///< batch of the layout as written; 0 if the study varies it
};

struct StudyPoint {
  std::uint64_t number = 0;
  std::string refused; ///< "DPL0304: …" if the plan is illegal or does not fit; otherwise empty
  std::vector<double> values; ///< outputs in base units; NaN without a value
  /// Figures that expressions over rows read, as `figuresOverRows`; NaN without a value.
  std::vector<double> figures;
  std::uint64_t steps = 0; ///< number of simulated steps
  /// Half-width of the 95 % confidence interval of the mean step, divided by the mean. It is 0 if
  /// nothing is random, and empty with too few steps.
  std::optional<double> halfWidth;
  bool drawn = false;            ///< whether steps vary at random
  bool unsettled = false;        ///< whether the mean does not converge
  bool farOff = false;           ///< whether the mean step or a mean run misses `target_half_width`
  bool byWorkers = false;        ///< whether data ranks have a synchronization mode
  std::vector<RunsOfPoint> runs; ///< drawn runs
  std::vector<std::string> broken; ///< assertions of the study that do not hold
  /// The diagram of each broken assertion that has a value, by its text: the values of its parts.
  std::map<std::string, std::string> diagrams;
  /// Why an output or an assertion of a point that ran has no value, by its text: "division by
  /// zero".
  std::map<std::string, std::string> unknown;
  bool ran() const { return refused.empty(); }
  /// Records the verdict of an assertion; `why` it has no value, if it has none.
  void judge(const std::string& assertion, const ir::Verdict& verdict, const std::string& why);
};

/// Runs points one after another, in one thread. A point compiles the file with
/// its candidates as settings, so that everything that depends on a field follows.
class PointRunner {
public:
  PointRunner(const StudyRequest& request, const ir::Space& space, BatchScaling held);
  /// `threads` simulate steps; their number does not change the result.
  StudyPoint run(std::uint64_t number, unsigned threads);

  /// The batch that the layout states with these candidates of the varied fields; empty if it
  /// does not compile.
  std::optional<std::uint64_t> statedBatch(llvm::ArrayRef<std::uint64_t> chosen);

private:
  std::unique_ptr<CompiledUnit> compile(llvm::ArrayRef<std::uint64_t> chosen,
                                        DiagnosticEngine& diags);
  std::vector<Override> settingsOf(llvm::ArrayRef<std::uint64_t> chosen) const;
  void measure(const ir::Plan& plan, llvm::ArrayRef<std::uint64_t> chosen, unsigned threads,
               StudyPoint& out) const;
  const StudyRequest& request;
  const ir::Space& space;
  const std::vector<std::string> figures; ///< those that expressions over rows read
  StudyPoints points;
  BatchScaling batchScaling;
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0;
};

/// Plans of the layouts that a study of the compiled file varies.
std::vector<ir::Plan*> plansOfStudy(CompiledFile& file, llvm::StringRef study);
/// The plan of a layout of the file, or of one that it imports; null if there is none.
ir::Plan* planOfLayout(CompiledFile& file, llvm::StringRef layout);
/// Data ranks of a plan before any pass; 0 if its mesh cannot be resolved.
std::uint64_t dataRanksOf(ir::Plan plan);

} // namespace dpl::study
