#pragma once
//===- CollectiveMessages.h - A collective run message by message -----------------------------===//
//
// The messages of an algorithm's phases as flows over the links of a cluster: what its closed form
// assumes of the links, every message finds out for itself.
#include "driver/collective/Collective.h"
#include "support/math/Statistics.h"

namespace dpl::score {

struct MessagesRequest {
  std::uint64_t delay = 0; ///< ps, the mean of an exponential time that each message is late
  std::uint64_t seed = 1;
  std::uint64_t draws = 1; ///< of the delays
  unsigned threads = 0;    ///< 0: all cores; changes nothing but how long it takes
};

/// What the links of one class carried; of the first draw.
struct CarriedLinkType {
  std::string name;
  std::uint64_t links = 0;      ///< in both directions, that carried something
  double bytes = 0;             ///< of the busiest
  double busiest = 0, mean = 0; ///< share of the time in which it was full; of those that carried
};

struct MessagesRun {
  std::uint64_t seed = 1;
  std::vector<double> seconds; ///< of each draw
  std::uint64_t steps = 0;
  // Of the first draw.
  std::uint64_t messages = 0, shared = 0, events = 0;
  std::vector<CarriedLinkType> links;
};

/// Runs what was predicted over all data ranks of a plan. Fails after a report where its algorithm
/// has no messages of its own, or too many.
FailureOr<MessagesRun> runMessages(const ir::Plan& plan, const CollectiveRequest& request,
                                   const CollectivePrediction& predicted,
                                   const MessagesRequest& how, DiagnosticEngine& diags);

} // namespace dpl::score
