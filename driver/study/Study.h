#pragma once
//===- Study.h - A `study` block, run ---------------------------------------------------------===//
#include "backends/report/PlotPicture.h"
#include "driver/study/PointRunner.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::study {

struct RunOptions {
  StudyRequest request;
  std::string folder;                  ///< where points and results are kept; empty: nowhere
  std::vector<std::string> merge;      ///< folders whose points are taken; nothing is run then
  std::vector<std::string> figures;    ///< outputs in place of the study's; none: its own
  std::uint64_t shard = 1, shards = 1; ///< every `shards`-th point, from `shard` on
  unsigned threads = 1;
  /// Hears how many of how many points are done.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

struct Results {
  std::string layout;
  ir::Space space;                   ///< with what the plot shows among the outputs
  std::vector<Dimension> dimensions; ///< of the outputs
  std::vector<StudyPoint> points;    ///< in their order; of one shard not all
  /// Whether some point did.
  bool ran() const {
    return llvm::any_of(points, [](const StudyPoint& point) { return point.ran(); });
  }
};

/// Runs the points of a study of a file that compiles. The same points come out, bit for bit,
/// whatever `threads`, shards and interruptions were. Fails after a report; an assertion of the
/// study that does not hold is a report beside the results.
FailureOr<Results> run(CompiledFile& file, const RunOptions& options, const SourceManager& sources,
                       DiagnosticEngine& diags);

/// "nodes = 8, cv = 0.1".
std::string placeOf(const Results& results, const StudyPoint& point);
/// A table for the terminal, with what could not be run below it.
std::string screen(const Results& results, unsigned width);
std::string csv(const Results& results);
Json json(const Results& results);
Json json(const std::vector<RunsOfPoint>& runs);
/// The plot that the study asks for.
report::PlotPicture picture(const Results& results);
/// Writes results.csv, results.json and, with a plot, plot.svg into the folder.
LogicalResult writeResults(const Results& results, const std::string& folder,
                           DiagnosticEngine& diags);

} // namespace dpl::study
