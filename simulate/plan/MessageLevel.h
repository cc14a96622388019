#pragma once
//===- MessageLevel.h - Link use and contention in a step at the level of messages ------------===//
#include "simulate/plan/StepRun.h"
#include "support/Json.h"
#include <string>

namespace dpl::simulation {

/// The use of one link type in a step in which nothing varies.
struct LinkTypeUse {
  std::string name;
  std::uint64_t links = 0;      ///< number of links with traffic, in both directions
  double busiest = 0, mean = 0; ///< share of the step in which a link is full: busiest link, and
                                ///< mean of links with traffic
  std::uint64_t shared = 0;     ///< messages that shared a link with another message, or used a
                                ///< link of several devices
  double costs = 0;             ///< ps by which sharing these links lengthens the step
};
struct MessagesOfStep {
  bool folded = false;
  std::uint64_t messages = 0, shared = 0;
  std::uint64_t step = 0;
  std::uint64_t queued = 0; ///< ps of the step if messages share nothing, except that pipeline
                            ///< messages queue on their link
  double order = 0;         ///< ps by which the step becomes longer if pipeline messages do not
                            ///< queue either
  double beyond = 0;        ///< ps that all sharing adds together, minus the sum of what each link
                            ///< type adds alone
  std::vector<LinkTypeUse> links;
  std::string hottest; ///< busiest link; `hottestUse` is its use, `over` its use in equal parts of
                       ///< the step
  double hottestUse = 0;
  std::vector<double> over;
};

/// The number of messages that all simulated ranks send in a step.
double messageCount(const StepShape& shape, const StepNetwork& network);
/// Simulates a step with messages. `waits` is the time in ps until all simulated ranks have their
/// samples.
MessagesOfStep messagesOfStep(const StepShape& shape, const StepNetwork& network,
                              std::uint64_t waits);

std::string renderText(const MessagesOfStep& of, unsigned width);
Json renderJson(const MessagesOfStep& of);

} // namespace dpl::simulation
