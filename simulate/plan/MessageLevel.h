#pragma once
//===- MessageLevel.h - Link use and contention in a step at the level of messages ------------===//
#include "simulate/plan/StepRun.h"
#include "support/Json.h"
#include <string>

namespace dpl::simulation {

/// The use of one link type in a step without variation.
struct LinkTypeUse {
  std::string name;
  std::uint64_t links = 0;      ///< links with traffic, in both directions
  double busiest = 0, mean = 0; ///< share of the step with a full link, of links with traffic
  std::uint64_t shared = 0;     ///< messages that shared a link, or used one that devices share
  double costs = 0;             ///< ps that the sharing of these links adds to the step
};
struct MessagesOfStep {
  bool folded = false;
  std::uint64_t messages = 0, shared = 0;
  std::uint64_t step = 0;
  std::uint64_t queued = 0; ///< ps without sharing, if pipeline messages queue
  double order = 0;         ///< ps that the step takes longer without the queues
  double beyond = 0;        ///< ps of all sharing together, minus the sum over the link types
  std::vector<LinkTypeUse> links;
  std::string hottest; ///< busiest link; its use in equal parts of the step
  double hottestUse = 0;
  std::vector<double> over;
};

/// The number of messages in a step of all simulated ranks.
double messageCount(const StepShape& shape, const StepNetwork& network);
/// `waits`: ps until all simulated ranks have their samples.
MessagesOfStep messagesOfStep(const StepShape& shape, const StepNetwork& network,
                              std::uint64_t waits);

std::string renderText(const MessagesOfStep& of, unsigned width);
Json renderJson(const MessagesOfStep& of);

} // namespace dpl::simulation
