#pragma once
//===- Measures.h - Figures of a plan, and what is drawn of its steps and runs ----------------===//
#include "driver/study/DrawnTimes.h"
#include "figures/Variation.h"
#include "ir/DrawnFigures.h"

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
  /// Why something that was asked for is not drawn; empty where all is.
  std::string refused() const;
  /// Whether some mean is not as near as the study says with `target_half_width`.
  bool farOff() const;

private:
  const DrawnTimes& ofSteps();
  const WorkerFigures* ofWorkers();
  std::optional<ir::ResultValue> statistic(const ir::DrawnFigure& asked, const DrawnTimes& of,
                                           const std::string& whole, double unit);
  double valueWith(const figures::Figure& of, const figures::Figure& whole, double now);
  const ir::Plan& plan;
  const ir::Space space;
  unsigned threads;
  figures::Figures figures;
  figures::Variation variation;
  std::optional<DrawnTimes> simulated, workers;
  std::map<std::string, DrawnTimes> drawnRuns;
  std::map<std::string, std::optional<double>> intervals; ///< s, by run
};

} // namespace dpl::study
