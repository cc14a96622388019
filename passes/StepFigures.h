#pragma once
//===- StepFigures.h - The times of a step and the figures made of them -----------------------===//
#include "ir/Plan.h"

namespace dpl {

/// Times of one optimizer step in seconds, of the pipeline rank that sets it.
struct StepTimes {
  double compute = 0, recompute = 0, bubble = 0, optimizer = 0, jitter = 0, step = 0;
  /// Exposed communication by axis: tensor, context, expert, data, pipeline.
  std::vector<std::pair<std::string, double>> exposedBy;
  double exposed() const;
  double bubbleFraction = 0; ///< idle device-time of the pipeline over its device-time
  double imbalance = 1;      ///< slowest stage over mean stage, a micro-batch
  std::uint64_t rank = 0;    ///< the pipeline rank with the most to do
};
StepTimes stepTimes(const ir::Plan& plan);

/// Fills plan.results: every figure with its formula, inputs and definition (docs/results.md).
void addFigures(ir::Plan& plan, const StepTimes& times);

} // namespace dpl
