#pragma once
//===- PointRunner.h - Compiles and simulates one point of a study ----------------------------===//
#include "driver/study/StudyPoints.h"
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include <map>

namespace dpl::study {

/// Compilations of points in one workspace. It keeps the texts of all settings, so a new one is
/// made after this number.
constexpr unsigned mostOfOneWorkspace = 256;

/// A study, as the command line selects it.
struct StudyRequest {
  std::string path, study;
  std::string layout; ///< name of the layout that the study varies
  /// Text of the file, if it comes from standard input.
  std::optional<std::string> text;
  std::vector<Override> overrides; ///< settings of the command line; they also override varied
                                   ///< fields
};

/// The times drawn for one run at a point.
struct RunsOfPoint {
  std::string name;
  std::uint64_t count = 0;
  std::optional<double> halfWidth; ///< as StudyPoint::halfWidth
};

/// How the batch of a layout is scaled with its data ranks.
struct BatchScaling {
  std::uint64_t ranks = 0; ///< data ranks of the layout in the file; 0 if its batch is not scaled
  std::uint64_t batch = 0; ///< batch of the layout in the file; 0 if the study varies it
};

struct StudyPoint {
  std::uint64_t number = 0;
  std::string refused; ///< reason if the plan is illegal or does not fit, "DPL0304: …"; otherwise
                       ///< empty
  std::vector<double> values; ///< values of the outputs in base units; NaN if there is none
  /// Values of the figures that expressions over several rows read, in the order of
  /// `figuresOverRows`; NaN if there is none.
  std::vector<double> figures;
  std::uint64_t steps = 0; ///< number of simulated steps
  /// Half-width of the 95 % confidence interval of the mean step, divided by the mean. 0 if nothing
  /// is random; empty if there are too few steps.
  std::optional<double> halfWidth;
  bool drawn = false;              ///< whether steps vary at random
  bool unsettled = false;          ///< whether the mean of steps does not converge
  bool farOff = false;             ///< whether the mean step, or that of a run, misses
                                   ///< `target_half_width`
  bool byWorkers = false;          ///< whether data ranks were simulated with their synchronization
                                   ///< mode
  std::vector<RunsOfPoint> runs;   ///< drawn runs of the point
  std::vector<std::string> broken; ///< assertions of the study that do not hold
  /// For each broken assertion with a value, by its text, a diagram of the values of its parts.
  std::map<std::string, std::string> diagrams;
  /// For each output or assertion without a value, by its text, the reason: "division by zero".
  std::map<std::string, std::string> unknown;
  bool ran() const { return refused.empty(); }
  /// Records whether an assertion holds. `why` is the reason if it has no value.
  void judge(const std::string& assertion, const ir::Verdict& verdict, const std::string& why);
};

/// Runs points, one after another, in one thread. For each point the file is compiled with the
/// point's candidates as overrides, so that everything that depends on a field is computed anew.
class PointRunner {
public:
  PointRunner(const StudyRequest& request, const ir::Space& space, BatchScaling held);
  /// Runs one point. `threads` is the number of threads that simulate steps; it does not change the
  /// result.
  StudyPoint run(std::uint64_t number, unsigned threads);
  /// Completes the plan of one point and calls `use` with it and the locator of its fields. Returns
  /// false if the point is refused.
  bool withPlan(std::uint64_t number,
                llvm::function_ref<void(const ir::Plan&, const figures::FieldLocator&)> use);

  /// The batch that the layout sets with these candidates of the varied fields; empty if it does
  /// not compile.
  std::optional<std::uint64_t> statedBatch(llvm::ArrayRef<std::uint64_t> chosen);

private:
  /// Compiles a point, with another batch of the layout if one is given.
  std::unique_ptr<CompiledUnit> compile(llvm::ArrayRef<std::uint64_t> chosen,
                                        DiagnosticEngine& diags, const std::string& batch = "");
  /// Scales the batch of the layout, and of the phases without a batch of their own, with the data
  /// ranks. Returns why the point does not run, or "".
  std::string scaleBatch(llvm::ArrayRef<std::uint64_t> chosen, std::unique_ptr<CompiledUnit>& unit,
                         ir::Plan*& plan, DiagnosticEngine& diags);
  std::vector<Override> settingsOf(llvm::ArrayRef<std::uint64_t> chosen) const;
  /// Compiles a point into `unit` and completes its plan; null if there is no plan. `refused` is
  /// the reason if the plan is illegal or does not fit.
  ir::Plan* complete(llvm::ArrayRef<std::uint64_t> chosen, std::unique_ptr<CompiledUnit>& unit,
                     DiagnosticEngine& diags, std::string& refused);
  void measure(const ir::Plan& plan, llvm::ArrayRef<std::uint64_t> chosen, unsigned threads,
               StudyPoint& out) const;
  const StudyRequest& request;
  const ir::Space& space;
  const std::vector<std::string> figures; ///< figures that expressions over several rows read
  StudyPoints points;
  BatchScaling batchScaling;
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0;
};

/// The plans of the layouts that a study varies.
std::vector<ir::Plan*> plansOfStudy(CompiledFile& file, llvm::StringRef study);
/// The plan of a layout of the file, or of a file that it imports; null if there is none.
ir::Plan* planOfLayout(CompiledFile& file, llvm::StringRef layout);
/// The data ranks of a plan before any pass; 0 if its mesh cannot be determined.
std::uint64_t dataRanksOf(ir::Plan plan);

} // namespace dpl::study
