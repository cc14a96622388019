#pragma once
//===- Measures.h - Figures of a plan, and what is drawn of its steps and runs ----------------===//
#include "driver/study/Convergence.h"
#include "driver/study/DrawnTimes.h"
#include "figures/Variation.h"
#include "ir/DrawnFigures.h"
#include <memory>

namespace dpl::study {

/// Draws what a path asks for, when it is asked for the first time.
class Measures {
public:
  Measures(const ir::Plan& plan, const ir::Space& study, unsigned threads);

  /// Of a figure, or of what is drawn; nothing where the plan has none.
  std::optional<ir::ResultValue> result(const std::string& path);
  /// Nothing where no step was asked for.
  const std::optional<DrawnTimes>& steps() const { return simulated ? simulated : workers; }
  /// By their names.
  const std::map<std::string, DrawnTimes>& runs() const { return drawnRuns; }
  /// Why a result that was asked for has no value.
  std::string whyMissing(const std::string& path) const;
  /// Why something that was asked for is not drawn; empty where all is.
  std::string refused() const;
  /// Whether some mean is not as near as the study says with `target_half_width`.
  bool farOff() const;

private:
  const DrawnTimes& ofSteps();
  const WorkerFigures* ofWorkers();
  std::optional<ir::ResultValue> statistic(const ir::DrawnFigure& asked, const DrawnTimes& of,
                                           const std::string& whole, double unit);
  /// The descent of a run that has a problem; null for other runs.
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
  std::map<std::string, std::optional<double>> intervals;       ///< s, by run
  std::map<std::string, std::unique_ptr<Convergence>> descents; ///< by run
};

} // namespace dpl::study
