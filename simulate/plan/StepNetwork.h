#pragma once
//===- StepNetwork.h - Message programs of the plan's collectives, and the links --------------===//
#include "simulate/plan/StepMessages.h"
#include "simulate/plan/StepShape.h"
#include <deque>

namespace dpl::simulation {

/// Links and message programs of a shape; many runs read it concurrently.
struct StepNetwork {
  /// The seed determines the hashes of flows onto links; without it flows spread evenly.
  StepNetwork(const StepShape& shape, std::optional<std::uint64_t> seed);
  StepLinks links;
  /// The program of a collective; `alone`: one member represents all, without a rendezvous.
  const PreparedMessages& messagesOf(const ir::Collective& c, bool alone) const {
    return *(alone ? one : whole)[static_cast<std::size_t>(&c - first)];
  }
  /// Whether one device can represent its pipeline rank: no links are shared, and all members of
  /// each collective send the same.
  static bool folds(const ir::Plan& plan);

private:
  const ir::Collective* first;
  std::deque<PreparedMessages> programs; ///< distinct programs
  std::vector<const PreparedMessages*> whole, one;
};

} // namespace dpl::simulation
