#pragma once
//===- DrawnTimes.h - Simulated steps and drawn runs of a plan, seed after seed ---------------===//
#include "ir/Space.h"
#include "simulate/plan/WorkersSimulation.h"
#include <map>

namespace dpl::study {

/// What steps of data ranks show beside their time, of several seeds together.
class WorkerFigures {
public:
  void add(const simulation::WorkersResult& result);
  /// Of a path of ir::simulatedFigures(), base units; nothing where no data rank has it.
  std::optional<double> value(llvm::StringRef path) const;

private:
  void mean(const char* path, double value);
  double sumOfAges() const;
  double ageOf(double share) const;
  std::map<std::string, std::pair<double, double>> sums; ///< and of how many
  double mostQueued = 0;
  std::map<double, double> ages; ///< how many steps have each
  double aged = 0;               ///< steps of all ages
};

/// Of simulated steps, or of drawn runs.
struct DrawnTimes {
  std::string refused;       ///< why not
  std::vector<double> times; ///< ps of each step, or of a step in several that are told as one; s
  /// Means of these that hardly depend on one another: those of one seed, then those of the next.
  std::vector<double> batches;
  std::uint64_t count = 0; ///< steps or runs
  bool drawn = false;      ///< something varies from seed to seed
  bool settles = true;     ///< the mean, with more of them
  bool byWorkers = false;  ///< data ranks that step in a way of their own
  WorkerFigures workers;

  /// Of the mean over it; nothing where too few tell.
  std::optional<double> halfWidth() const;
  bool within(double until) const;
  void add(const std::vector<double>& more, const std::vector<double>& batchesOfThese);
};

/// Seed after seed, until the mean is known as well as the study wants. `threads` change nothing
/// but how long it takes.
DrawnTimes drawSteps(const ir::Plan& plan, const ir::Space& study, unsigned threads);
/// The same of data ranks with a barrier, as layouts have it that say nothing of them; refused
/// where they are no single devices.
DrawnTimes drawWorkers(const ir::Plan& plan, const ir::Space& study);
/// Of a run of the plan, as long as each of the seeds' draws takes.
DrawnTimes drawRuns(const ir::Plan& plan, const std::string& run, const ir::Space& study,
                    unsigned threads);

/// Seconds of work after which such runs are best saved, by the draws of all seeds; nothing where
/// that is not known.
std::optional<double> drawBestInterval(const ir::Plan& plan, const std::string& run,
                                       const ir::Space& study, unsigned threads);

} // namespace dpl::study
