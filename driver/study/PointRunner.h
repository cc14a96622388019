#pragma once
//===- PointRunner.h - What the compiler and the simulator say of one point of a study --------===//
#include "driver/study/StudyPoints.h"
#include "driver/workspace/Workspace.h"
#include <map>

namespace dpl::study {

/// A study of a file as the command line asks for it.
struct StudyRequest {
  std::string path, study;
  std::string layout; ///< that the study is about
  /// The file's text where it is none on disk: standard input.
  std::optional<std::string> text;
  std::vector<Override> overrides; ///< the last word, over what the study varies too
};

/// What was drawn of a run at a point.
struct RunsOfPoint {
  std::string name;
  std::uint64_t count = 0;
  std::optional<double> halfWidth; ///< as of steps
};

/// Scales the batch of a layout with its data ranks.
struct BatchScaling {
  std::uint64_t ranks = 0; ///< data ranks of the layout as written; 0 if its batch is not scaled
  std::uint64_t batch = 0; ///< batch of the layout as written; 0 if the study varies it
};

struct StudyPoint {
  std::uint64_t number = 0;
  std::string refused;        ///< "DPL0304: …" where the plan is not legal or does not fit
  std::vector<double> values; ///< of the outputs, base units; not a number where there is none
  std::uint64_t steps = 0;    ///< simulated
  /// Of the mean step over it, 95 % confidence; 0 where nothing is drawn. Nothing where too few
  /// tell.
  std::optional<double> halfWidth;
  bool drawn = false;     ///< steps differ from seed to seed, though these may be alike by chance
  bool unsettled = false; ///< their mean comes no nearer to anything with more of them
  bool farOff = false;    ///< that mean, or that of a run, misses `target_half_width`
  bool byWorkers = false; ///< steps are those of data ranks that wait in a way of their own
  std::vector<RunsOfPoint> runs;   ///< that were drawn
  std::vector<std::string> broken; ///< assertions of the study that do not hold
  /// For each broken assertion that has a value: the values of its parts, by its text.
  std::map<std::string, std::string> diagrams;
  /// Why an output or an assertion of a point that ran has no value, by its text: "division by
  /// zero".
  std::map<std::string, std::string> unknown;
  bool ran() const { return refused.empty(); }
};

/// Runs points one after another. Not for several threads at once. A point compiles the file with
/// its candidates as settings, so that everything that depends on a field follows.
class PointRunner {
public:
  PointRunner(const StudyRequest& request, const ir::Space& space, BatchScaling held)
      : request(request), space(space), points(space), batchScaling(held) {}
  /// `threads` are for simulated steps and change nothing but how long it takes.
  StudyPoint run(std::uint64_t number, unsigned threads);

  /// The batch that the layout states with these candidates of the varied fields; nothing if it
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
  StudyPoints points;
  BatchScaling batchScaling;
  std::unique_ptr<Workspace> workspace;
  unsigned compiled = 0;
};

/// Plans of the layouts that a study of the compiled file is about.
std::vector<ir::Plan*> plansOfStudy(CompiledFile& file, llvm::StringRef study);
/// The plan of a layout of the file, or of one that it imports; null where it has none.
ir::Plan* planOfLayout(CompiledFile& file, llvm::StringRef layout);
/// Data ranks of a plan before any pass; 0 where its mesh cannot be resolved.
std::uint64_t dataRanksOf(ir::Plan plan);

} // namespace dpl::study
