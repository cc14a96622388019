#pragma once
//===- StepFigures.h - The times of a step and the figures made of them -----------------------===//
#include "ir/Plan.h"

namespace dpl {

/// Times of one optimizer step in seconds, of the pipeline rank that sets it.
struct StepTimes {
  double compute = 0, recompute = 0, bubble = 0, optimizer = 0, jitter = 0, step = 0;
  /// Exposed communication by axis: tensor, context, expert, data, pipeline.
  std::vector<std::pair<std::string, double>> exposedBy;
  double sends = 0; ///< of the exposed pipeline communication: messages that the rank waits for
  double exposed() const;
  double bubbleFraction = 0; ///< idle device-time of the pipeline over its device-time
  double schedule = 0;       ///< end of the last operation of any rank, without jitter
  /// Passes of all ranks together, of the busiest rank, and the end of the last of them.
  double busy = 0, busiest = 0, flush = 0;
  double amplification = 1; ///< of the step by jitter
  double imbalance = 1;     ///< slowest stage over mean stage, a micro-batch
  std::uint64_t rank = 0;   ///< the pipeline rank with the most to do
};
StepTimes stepTimes(const ir::Plan& plan);

/// Fills plan.results: every figure with its formula, inputs and definition (docs/results.md).
void addFigures(ir::Plan& plan, const StepTimes& times);

// Its parts, each in the order that their figures need one another.
void addStageFigures(ir::Plan& plan);
void addMemoryFigures(ir::Plan& plan);
void addTrafficFigures(ir::Plan& plan, const StepTimes& times);
/// The peak of a device, where classes of nodes differ the mean of all devices; FLOP/s.
double addPeakFigures(ir::Plan& plan);

/// Of the devices that hold a pipeline rank the one whose memory is slowest.
const ir::Device& slowestMemory(const ir::Plan& plan, std::uint64_t pipelineRank);

/// "data" of the gradients: the axis that exposed communication is counted under.
const char* axisOf(ir::CollectivePurpose purpose);
/// "gradients": what is sent, as a word of a path.
const char* contentsOf(ir::CollectivePurpose purpose);
/// "mesh.data", "mesh.experts.data".
std::string axisPath(ir::Axis axis);

} // namespace dpl
