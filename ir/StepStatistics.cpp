//===- StepStatistics.cpp - What many simulated steps say of a figure -------------------------===//
#include "ir/StepStatistics.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::ir;

llvm::ArrayRef<const char*> ir::figuresOfSteps() {
  static constexpr const char* rows[] = {"step_time",
                                         "samples_per_second",
                                         "samples_per_second_per_device",
                                         "tokens_per_second",
                                         "tokens_per_second_per_device",
                                         "flop_rate.model",
                                         "flop_rate.hardware",
                                         "mfu",
                                         "hfu",
                                         "energy.per_step",
                                         "energy.per_token",
                                         "energy.per_sample",
                                         "cost.per_step",
                                         "cost.per_token",
                                         "cost.per_sample"};
  return rows;
}

llvm::ArrayRef<Statistic> ir::statistics() {
  static constexpr Statistic rows[] = {{"mean"},      {"p5", 0.05},  {"p50", 0.5}, {"p90", 0.9},
                                       {"p95", 0.95}, {"p99", 0.99}, {"max", 1}};
  return rows;
}

std::optional<StepStatistic> ir::stepStatisticNamed(llvm::StringRef path) {
  const auto [figure, name] = path.rsplit('.');
  if (!llvm::is_contained(figuresOfSteps(), figure))
    return std::nullopt;
  const auto* row = llvm::find_if(statistics(), [&, wanted = name](const Statistic& statistic) {
    return wanted == statistic.name;
  });
  return row == statistics().end() ? std::nullopt : std::optional(StepStatistic{figure, row});
}
