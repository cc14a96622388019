#pragma once
//===- DrawnFigures.h - What simulated steps and drawn runs say, by its path ------------------===//
#include "ir/Assertion.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>
#include <string>

namespace dpl::ir {

/// `step_time.p99`, `run[train].time.above[30d]`, `run[train].optimal_interval.drawn` or
/// `simulated.waiting` taken apart.
struct DrawnFigure {
  enum class DrawnFigureKind : std::uint8_t {
    Mean,
    Quantile, ///< the value that a share of `number` does not exceed
    Above,    ///< the share that exceeds `number`
    Interval, ///< after how much work drawn runs are best saved
    OfSteps   ///< a row of simulatedFigures(), of no figure of the plan
  };
  DrawnFigureKind kind = DrawnFigureKind::Mean;
  std::string figure; ///< each simulated step or drawn run has a value of it
  std::string run;    ///< that is drawn; empty: of simulated steps
  double number = 0;  ///< base units
};
/// Nothing for what nothing is drawn for.
std::optional<DrawnFigure> drawnFigureNamed(llvm::StringRef path);
/// Of a path that is one; a plain number has none.
Dimension dimensionOfDrawn(llvm::StringRef path);

/// Figures whose formula reads the time of the step, so that each simulated step has one.
llvm::ArrayRef<const char*> figuresOfSteps();
/// The same of a run, behind `run[NAME].`.
llvm::ArrayRef<const char*> figuresOfRuns();

struct Statistic {
  const char* name;                    ///< "p99": the value that 99 % of the steps do not exceed
  std::optional<double> quantile = {}; ///< none: the mean
};
llvm::ArrayRef<Statistic> statistics();

/// What steps of data ranks show beside their time.
struct SimulatedFigure {
  const char* path;
  const char* dimension; ///< type name of the language; "" is a plain number
};
llvm::ArrayRef<SimulatedFigure> simulatedFigures();

/// "64seq", "0.05", "400Gbps per nic" in base units; nothing for what is no number.
std::optional<ResultValue> numberWritten(llvm::StringRef text);

} // namespace dpl::ir
