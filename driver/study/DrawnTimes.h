#pragma once
//===- DrawnTimes.h - Simulated steps and drawn runs of a plan, seed by seed ------------------===//
#include "ir/Space.h"
#include "simulate/plan/WorkersSimulation.h"
#include <map>

namespace dpl::study {

/// Figures of simulated data ranks other than step time, over several seeds.
class WorkerFigures {
public:
  void add(const simulation::WorkersResult& result);
  /// The value of a figure of ir::simulatedFigures() in base units; empty if no data rank has it.
  std::optional<double> value(llvm::StringRef path) const;

private:
  void mean(const char* path, double value);
  double sumOfAges() const;
  double ageOf(double share) const;
  std::map<std::string, std::pair<double, double>> sums; ///< sum and number of values, by path
  double mostQueued = 0;
  std::map<double, double> ages; ///< number of steps by staleness
  double aged = 0;               ///< number of steps with a staleness
};

/// The times of simulated steps or of drawn runs.
struct DrawnTimes {
  std::string refused;       ///< why nothing was drawn; empty if it was
  std::vector<double> times; ///< steps in ps (data ranks: WorkersTime::parts), runs in s
  /// Means of `times` that are almost independent, seed by seed.
  std::vector<double> batches;
  std::uint64_t count = 0; ///< number of steps or runs
  bool drawn = false;      ///< whether something varies from seed to seed
  bool settles = true;     ///< whether the mean converges
  bool byWorkers = false;  ///< whether data ranks were simulated with a synchronization mode
  WorkerFigures workers;

  /// Half-width of the confidence interval of the mean, divided by the mean; empty for too few
  /// batches.
  std::optional<double> halfWidth() const;
  bool within(double until) const;
  void add(const std::vector<double>& more, const std::vector<double>& batchesOfThese);
};

/// Simulates steps seed by seed, until the half-width is at most `target_half_width` of the study.
/// `threads` do not change the result.
DrawnTimes drawSteps(const ir::Plan& plan, const ir::Space& study, unsigned threads);
/// The same for data ranks of a layout without a synchronization mode, which have a barrier. It is
/// refused if a data rank is more than one device.
DrawnTimes drawWorkers(const ir::Plan& plan, const ir::Space& study);
/// Draws the time of a run of the plan, several times for each seed.
DrawnTimes drawRuns(const ir::Plan& plan, const std::string& run, const ir::Space& study,
                    unsigned threads);

/// Seconds of work between checkpoints with which the run ends soonest, over the draws of all
/// seeds; empty if it is not known.
std::optional<double> drawBestInterval(const ir::Plan& plan, const std::string& run,
                                       const ir::Space& study, unsigned threads);

} // namespace dpl::study
