#pragma once
//===- Study.h - Runs a `study` block ---------------------------------------------------------===//
#include "backends/report/PlotPicture.h"
#include "driver/study/PointRunner.h"
#include "support/Json.h"
#include "llvm/ADT/STLExtras.h"

namespace dpl::study {

struct RunOptions {
  StudyRequest request;
  std::string folder;                  ///< folder for points and results; empty if none are written
  std::vector<std::string> merge;      ///< folders whose points are merged; no points are run then
  std::vector<std::string> figures;    ///< figures that are the outputs; if empty, the outputs of
                                       ///< the study
  std::uint64_t shard = 1, shards = 1; ///< shard to run: the points shard, shard + shards, …,
                                       ///< counted from 1
  unsigned threads = 1;
  /// Called with the number of finished points and the number of all points.
  std::function<void(std::uint64_t, std::uint64_t)> progress;
};

struct Results {
  std::string layout;
  ir::Space space;                   ///< the study, with the y axis of its plot among the outputs
  std::vector<Dimension> dimensions; ///< dimensions of the outputs
  std::vector<StudyPoint> points;    ///< points in the order of their numbers; a shard has only
                                     ///< some
  BatchScaling scaling;              ///< how the points scale the batch
  /// Whether at least one point ran.
  bool ran() const {
    return llvm::any_of(points, [](const StudyPoint& point) { return point.ran(); });
  }
  /// Whether all points are there. A shard has only some.
  bool whole() const { return points.size() == space.points(); }
  /// Whether an output is a truth value, not a number.
  bool isTruth(std::size_t output) const {
    const ir::DerivedOutput* derived = space.derivedNamed(space.outputs[output]);
    return derived && derived->dimension == "Bool";
  }
};

/// The dimension of an output, which is a figure or a `let` of the study.
Dimension dimensionOfOutput(const ir::Space& space, const std::string& output);

/// Runs the points of a study. Relies on: the file compiles. The results are equal to the bit for
/// every number of threads and shards, and after interruptions. Fails after an error was reported.
/// If an assertion of the study does not hold, this is reported, but the results are returned.
FailureOr<Results> run(CompiledFile& file, const RunOptions& options, const SourceManager& sources,
                       DiagnosticEngine& diags);

/// The values of the varied fields at a point: "nodes = 8, cv = 0.1".
std::string placeOf(const Results& results, const StudyPoint& point);
/// The results as a table for the terminal, followed by the points that did not run.
std::string screen(const Results& results, unsigned width);
std::string csv(const Results& results);
Json json(const Results& results);
Json json(const std::vector<RunsOfPoint>& runs);
/// The plot of the study.
report::PlotPicture picture(const Results& results);
/// Writes results.csv and results.json into the folder, and plot.svg if the study has a plot.
LogicalResult writeResults(const Results& results, const std::string& folder,
                           DiagnosticEngine& diags);

} // namespace dpl::study
