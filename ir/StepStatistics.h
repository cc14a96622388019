#pragma once
//===- StepStatistics.h - What many simulated steps say of a figure ---------------------------===//
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <optional>

namespace dpl::ir {

struct Statistic {
  const char* name;                    ///< "p99": the value that 99 % of the steps do not exceed
  std::optional<double> quantile = {}; ///< none: the mean
};

/// `step_time.p99` taken apart.
struct StepStatistic {
  llvm::StringRef figure;
  const Statistic* statistic = nullptr;
};
/// Nothing for what is no statistic of a figure of figuresOfSteps().
std::optional<StepStatistic> stepStatisticNamed(llvm::StringRef path);

/// Figures whose formula reads the time of the step, so that each simulated step has one.
llvm::ArrayRef<const char*> figuresOfSteps();
llvm::ArrayRef<Statistic> statistics();

} // namespace dpl::ir
