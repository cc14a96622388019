#pragma once
//===- DrawnFigures.h - Figures of simulated steps and simulated runs -------------------------===//
#include "ir/Assertion.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace dpl::ir {

struct Statistic;

/// The parts of the path of a simulated figure, such as `step_time.p99`,
/// `run[train].time.above[30d]`, `run[train].optimal_interval.drawn` or `simulated.waiting`.
struct DrawnFigure {
  enum class DrawnFigureKind : std::uint8_t {
    OfSample, ///< a statistic of all simulated steps or runs
    Above,    ///< share of steps or runs that exceeds `number`
    Interval, ///< checkpoint interval that is best in simulated runs
    OfSteps,  ///< a row of simulatedFigures(), not a figure of the plan
    OfProblem ///< a row of problemFigures(), of a run whose phase has a problem
  };
  DrawnFigureKind kind = DrawnFigureKind::OfSample;
  std::string figure; ///< figure with one value per simulated step or run
  std::string run;    ///< simulated run; empty for simulated steps
  double number = 0;  ///< threshold of Above, in base units
  /// For OfSample: the statistic over all simulated steps or runs. For OfProblem: the statistic
  /// over all seeds of the study; null: the value of the first seed.
  const Statistic* statistic = nullptr;
  /// Whether the value depends on the seeds of the study.
  bool usesSeeds() const;
};
/// Returns nothing if the path does not name a simulated figure.
std::optional<DrawnFigure> drawnFigureNamed(llvm::StringRef path);
/// The dimension of a simulated figure; a plain number has none.
Dimension dimensionOfDrawn(llvm::StringRef path);

/// Figures whose formula reads the step time, so that each simulated step has a value.
llvm::ArrayRef<const char*> figuresOfSteps();
/// Figures with a value for each simulated run; their names follow `run[NAME].`.
llvm::ArrayRef<const char*> figuresOfRuns();

struct Statistic {
  enum class StatisticKind : std::uint8_t { Mean, Deviation, Quantile };
  const char* name; ///< "p99": the value that 99 % of the steps do not exceed
  StatisticKind kind = StatisticKind::Quantile;
  double quantile = 0; ///< share of the values that do not exceed it
};
llvm::ArrayRef<Statistic> statistics();

/// Figures of simulated steps of data ranks in addition to their time.
struct SimulatedFigure {
  const char* path;
  const char* dimension; ///< type name of the language; "" for a plain number
};
llvm::ArrayRef<SimulatedFigure> simulatedFigures();

/// Figures of how a run reaches the goal of its problem: a plain number with the name after
/// `run[NAME].`.
struct ProblemFigure {
  const char* name;
  bool drawn; ///< depends on the seed, so that it has statistics
};
llvm::ArrayRef<ProblemFigure> problemFigures();

/// "64seq", "0.05", "400Gbps per nic" in base units; nothing if it is not a number.
std::optional<ResultValue> numberWritten(llvm::StringRef text);

} // namespace dpl::ir
