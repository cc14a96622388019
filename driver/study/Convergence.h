#pragma once
//===- Convergence.h - How a run of a plan reaches the goal of its problem --------------------===//
#include "ir/Plan.h"
#include "simulate/converge/ClosedForms.h"
#include <optional>
#include <string>

namespace dpl::study {

/// How a run descends on its problem. The simulator determines the steps of the data ranks, and
/// simulate/converge the progress in each step.
class Convergence {
public:
  /// Relies on: `run` has a problem, and the plan is complete.
  Convergence(const ir::Plan& plan, const ir::Run& run, std::vector<std::uint64_t> seeds);

  /// The value of a figure of ir::problemFigures() for the seed with this index. Empty if it has
  /// none, such as the number of updates of a run that diverges.
  std::optional<double> value(llvm::StringRef name, std::size_t seed);
  /// The plan with the number of steps that a seed needed as the length of the run's phase. The
  /// time, cost and energy of the run follow from it. Empty if the goal is not reached.
  std::optional<ir::Plan> withSteps(std::size_t seed);
  /// Why the data ranks of the plan cannot be simulated; empty if they can, or need not be.
  const std::string& refused() const { return whyNot; }
  /// Why a seed did not reach the goal, for the first such seed. Empty if all seeds that were run
  /// reached it.
  std::string whyNotReached() const;
  std::size_t seeds() const { return seedNumbers.size(); }

private:
  /// The result for one seed.
  struct OfSeed {
    converge::Outcome outcome;
    double time = 0; ///< time of the descent in ps; 0 if each of its steps takes the step time of
                     ///< the plan
    std::uint64_t steps = 0;
  };
  const OfSeed& ofSeed(std::size_t seed);
  OfSeed descend(std::uint64_t seed);
  OfSeed replay(std::uint64_t seed);
  std::optional<double> closedForm(llvm::StringRef name) const;
  std::optional<double> stableBelow() const;
  bool waitsForNobody() const;
  bool isSameForAllSeeds() const;

  const ir::Plan& plan;
  const ir::Run& run;
  const ir::Problem& stated;
  std::vector<std::uint64_t> seedNumbers;
  ir::DataRanks ranks;
  converge::Quadratic problem;
  converge::Method method;
  double workers; ///< number of data ranks
  double samples; ///< samples of one step, of all data ranks
  std::vector<std::optional<OfSeed>> known;
  std::string whyNot;
};

/// The value of a figure of ir::problemFigures() about a number format; empty if the `numbers`
/// block does not have it.
std::optional<double> numberFigure(const ir::Numbers& numbers, llvm::StringRef name);

} // namespace dpl::study
