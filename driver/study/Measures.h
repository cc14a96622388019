#pragma once
//===- Measures.h - Figures of a plan, and drawn values of its steps and runs -----------------===//
#include "driver/study/Convergence.h"
#include "driver/study/DrawnTimes.h"
#include "figures/Variation.h"
#include "ir/DrawnFigures.h"
#include <memory>

namespace dpl::study {

/// The values of a study's outputs at one point. Steps and runs are simulated when a path needs
/// them for the first time.
class Measures {
public:
  Measures(const ir::Plan& plan, const ir::Space& study, unsigned threads);

  /// The value of a figure, or of a statistic of drawn steps or runs. Empty if the plan does not
  /// have such a figure.
  std::optional<ir::ResultValue> result(const std::string& path);
  /// The simulated steps; empty if no path needed them.
  const std::optional<DrawnTimes>& steps() const { return simulated ? simulated : workers; }
  /// The drawn runs, by name.
  const std::map<std::string, DrawnTimes>& runs() const { return drawnRuns; }
  /// Why the result of a path has no value, as words.
  std::string whyMissing(const std::string& path) const;
  /// Why steps or runs that a path needs cannot be drawn, as a sentence; empty if all can.
  std::string refused() const;
  /// Whether the confidence interval of some mean is wider than the study's `target_half_width`.
  bool farOff() const;

private:
  const DrawnTimes& ofSteps();
  const WorkerFigures* ofWorkers();
  std::optional<ir::ResultValue> statistic(const ir::DrawnFigure& asked, const DrawnTimes& of,
                                           const std::string& whole, double unit);
  /// The descent of a run with a problem; null for other runs.
  Convergence* convergenceOf(const std::string& run);
  std::optional<ir::ResultValue> ofProblem(const ir::DrawnFigure& asked, Convergence& of);
  std::optional<ir::ResultValue> ofNumbers(const ir::DrawnFigure& asked) const;
  std::optional<ir::ResultValue> withSteps(const std::string& figure, Convergence& of,
                                           std::size_t seed);
  double valueWith(const figures::Figure& of, const figures::Figure& whole, double now);
  const ir::Plan& plan;
  const ir::Space space;
  unsigned threads;
  figures::Figures figures;
  figures::Variation variation;
  std::optional<DrawnTimes> simulated, workers;
  std::map<std::string, DrawnTimes> drawnRuns;
  std::map<std::string, std::optional<double>> intervals;       ///< best checkpoint intervals in s,
                                                                ///< by run
  std::map<std::string, std::unique_ptr<Convergence>> descents; ///< descents on problems, by run
};

} // namespace dpl::study
