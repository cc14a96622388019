#pragma once
//===- Convergence.h - How a run of a plan reaches the goal of its problem --------------------===//
#include "ir/Plan.h"
#include "simulate/converge/ClosedForms.h"
#include <optional>
#include <string>

namespace dpl::study {

/// The descent of a run on its problem: how the data ranks of the layout step comes from the
/// simulator, what a step is worth from simulate/converge.
class Convergence {
public:
  /// `run` has a problem, and the plan is complete.
  Convergence(const ir::Plan& plan, const ir::Run& run, std::vector<std::uint64_t> seeds);

  /// Of a name of ir::problemFigures(): of one seed, by its place among the seeds; nothing where it
  /// has no value, such as the updates of a run that diverges.
  std::optional<double> value(llvm::StringRef name, std::size_t seed);
  /// The plan with the steps that this seed needed as those of the run's phase, so that the time,
  /// the cost and the energy of the run are known; nothing where the goal is not reached.
  std::optional<ir::Plan> withSteps(std::size_t seed);
  /// Why the data ranks of the plan cannot be simulated; empty where they can, or need not be.
  const std::string& refused() const { return whyNot; }
  /// Why the first seed that does not reach the goal does not; empty where all that ran do.
  std::string whyNotReached() const;
  std::size_t seeds() const { return seedNumbers.size(); }

private:
  /// What one seed gives.
  struct OfSeed {
    converge::Outcome outcome;
    double time = 0; ///< ps of the whole descent; 0: of its steps, each as long as the plan's
    std::uint64_t steps = 0;
  };
  const OfSeed& ofSeed(std::size_t seed);
  OfSeed descend(std::uint64_t seed);
  OfSeed replay(std::uint64_t seed);
  std::optional<double> closedForm(llvm::StringRef name) const;
  std::optional<double> stableBelow() const;
  bool waitsForNobody() const;

  const ir::Plan& plan;
  const ir::Run& run;
  const ir::Problem& stated;
  std::vector<std::uint64_t> seedNumbers;
  ir::DataRanks ranks;
  converge::Quadratic problem;
  converge::Method method;
  double workers; ///< data ranks
  double samples; ///< of one step, all data ranks together
  std::vector<std::optional<OfSeed>> known;
  std::string whyNot;
};

/// Of a name of ir::problemFigures(): what a number format makes of values; nothing where they have
/// no such figure.
std::optional<double> numberFigure(const ir::Numbers& numbers, llvm::StringRef name);

} // namespace dpl::study
