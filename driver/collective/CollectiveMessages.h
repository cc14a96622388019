#pragma once
//===- CollectiveMessages.h - A collective simulated message by message -----------------------===//
//
// The messages of an algorithm's phases are simulated as flows on the links of a cluster. The
// closed forms instead assume how links are shared.
#include "driver/collective/Collective.h"
#include "support/math/Statistics.h"

namespace dpl::score {

struct MessagesRequest {
  std::uint64_t delay = 0; ///< mean in ps of the exponential delay of each message
  std::uint64_t seed = 1;
  std::uint64_t draws = 1; ///< number of draws of the delays
  unsigned threads = 0;    ///< 0 uses all cores; the results do not depend on it
};

/// The traffic of one link type in the first draw.
struct CarriedLinkType {
  std::string name;
  std::uint64_t links = 0;      ///< number of links with traffic, in both directions
  double bytes = 0;             ///< bytes on the busiest link
  double busiest = 0, mean = 0; ///< share of the time in which a link is full: busiest link, and
                                ///< mean of links with traffic
};

struct MessagesRun {
  std::uint64_t seed = 1;
  std::vector<double> seconds; ///< time of each draw
  std::uint64_t steps = 0;
  // These numbers are those of the first draw.
  std::uint64_t messages = 0, shared = 0, events = 0;
  std::vector<CarriedLinkType> links;
};

/// Simulates a collective over all data ranks of a plan, after its prediction. Fails, after a
/// report, if the algorithm has no messages, or too many.
FailureOr<MessagesRun> runMessages(const ir::Plan& plan, const CollectiveRequest& request,
                                   const CollectivePrediction& predicted,
                                   const MessagesRequest& how, DiagnosticEngine& diags);

} // namespace dpl::score
