#pragma once
//===- CollectiveMessages.h - A collective simulated message by message -----------------------===//
//
// The messages of an algorithm's phases are flows on the links of a cluster. This replaces the
// assumptions of closed forms on link sharing.
#include "driver/collective/Collective.h"
#include "support/math/Statistics.h"

namespace dpl::score {

struct MessagesRequest {
  std::uint64_t delay = 0; ///< ps, mean of an exponential delay of each message
  std::uint64_t seed = 1;
  std::uint64_t draws = 1; ///< draws of the delays
  unsigned threads = 0;    ///< 0: all cores; does not change the results
};

/// The traffic of one link type in the first draw.
struct CarriedLinkType {
  std::string name;
  std::uint64_t links = 0;      ///< links with traffic, in both directions
  double bytes = 0;             ///< bytes on the busiest link
  double busiest = 0, mean = 0; ///< share of the time with a full link, of links with traffic
};

struct MessagesRun {
  std::uint64_t seed = 1;
  std::vector<double> seconds; ///< time of each draw
  std::uint64_t steps = 0;
  // These are of the first draw.
  std::uint64_t messages = 0, shared = 0, events = 0;
  std::vector<CarriedLinkType> links;
};

/// Simulates a predicted collective of all data ranks of a plan. Fails after a report if its
/// algorithm has no messages, or too many.
FailureOr<MessagesRun> runMessages(const ir::Plan& plan, const CollectiveRequest& request,
                                   const CollectivePrediction& predicted,
                                   const MessagesRequest& how, DiagnosticEngine& diags);

} // namespace dpl::score
