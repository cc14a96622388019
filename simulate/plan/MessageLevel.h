#pragma once
//===- MessageLevel.h - What the messages of a step do to its links, and what sharing costs ---===//
#include "simulate/plan/StepRun.h"
#include "support/Json.h"
#include <string>

namespace dpl::simulation {

/// Of a step in which nothing varies.
struct LinkTypeUse {
  std::string name;
  std::uint64_t links = 0;      ///< that carried something, both directions
  double busiest = 0, mean = 0; ///< share of the step in which one was full; of those that carried
  std::uint64_t shared = 0;     ///< messages that met another there, or crossed what devices share
  double costs = 0;             ///< ps that the step takes more because they are shared
};
struct MessagesOfStep {
  bool folded = false;
  std::uint64_t messages = 0, shared = 0;
  std::uint64_t step = 0;
  std::uint64_t queued = 0; ///< ps where nothing is shared and messages of the pipeline take turns
  double order = 0;         ///< ps that the step takes more where they do not
  double beyond = 0;        ///< what all sharing costs beyond the sum over the classes
  std::vector<LinkTypeUse> links;
  std::string hottest; ///< link, with its use over the step in equal parts
  double hottestUse = 0;
  std::vector<double> over;
};

/// Messages that a step of all simulated ranks sends.
double messageCount(const StepShape& shape, const StepNetwork& network);
/// All units have their samples after `waits` ps.
MessagesOfStep messagesOfStep(const StepShape& shape, const StepNetwork& network,
                              std::uint64_t waits);

std::string renderText(const MessagesOfStep& of, unsigned width);
Json renderJson(const MessagesOfStep& of);

} // namespace dpl::simulation
