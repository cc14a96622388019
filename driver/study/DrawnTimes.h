#pragma once
//===- DrawnTimes.h - Simulated steps and drawn runs of a plan, seed by seed ------------------===//
#include "ir/Space.h"
#include "simulate/plan/WorkersSimulation.h"
#include <map>

namespace dpl::study {

/// Figures of simulated data ranks, except the step time, over several seeds.
class WorkerFigures {
public:
  void add(const simulation::WorkersResult& result);
  /// The value of a figure of ir::simulatedFigures(), in base units. Empty if no data rank has it.
  std::optional<double> value(llvm::StringRef path) const;

private:
  void mean(const char* path, double value);
  double sumOfAges() const;
  double ageOf(double share) const;
  std::map<std::string, std::pair<double, double>> sums; ///< by path: sum of the values, and their
                                                         ///< number
  double mostQueued = 0;
  std::map<double, double> ages; ///< number of steps by staleness
  double aged = 0;               ///< number of steps with a staleness
};

/// The times of simulated steps or of drawn runs.
struct DrawnTimes {
  std::string refused;       ///< why nothing was drawn, as a sentence; empty if something was
  std::vector<double> times; ///< times of steps in ps (for data ranks WorkersTime::parts), or of
                             ///< runs in s
  /// Means of `times`, seed by seed, which are almost independent.
  std::vector<double> batches;
  std::uint64_t count = 0; ///< number of steps or runs
  bool drawn = false;      ///< whether times vary at random
  bool settles = true;     ///< whether the mean converges
  bool byWorkers = false;  ///< whether data ranks were simulated with their synchronization mode
  WorkerFigures workers;

  /// Half-width of the 95 % confidence interval of the mean, divided by the mean. Empty if there
  /// are too few batches.
  std::optional<double> halfWidth() const;
  bool within(double until) const;
  void add(const std::vector<double>& more, const std::vector<double>& batchesOfThese);
};

/// Simulates steps, one seed after another, until the half-width is at most the study's
/// `target_half_width`. The number of `threads` does not change the result.
DrawnTimes drawSteps(const ir::Plan& plan, const ir::Space& study, unsigned threads);
/// The same for data ranks of a layout that sets no synchronization mode, which have a barrier.
/// Refused if a data rank has more than one device.
DrawnTimes drawWorkers(const ir::Plan& plan, const ir::Space& study);
/// Draws the time of a run of the plan, several times per seed.
DrawnTimes drawRuns(const ir::Plan& plan, const std::string& run, const ir::Space& study,
                    unsigned threads);

/// The seconds of work between checkpoints with which the run is shortest, over the draws of all
/// seeds. Empty if this is not known.
std::optional<double> drawBestInterval(const ir::Plan& plan, const std::string& run,
                                       const ir::Space& study, unsigned threads);

} // namespace dpl::study
