#pragma once
//===- StepNetwork.h - Message programs of the plan's collectives, and the links --------------===//
#include "simulate/plan/StepMessages.h"
#include "simulate/plan/StepShape.h"
#include <deque>

namespace dpl::simulation {

/// Links and message sequences of a shape. Simulations in several threads read it.
struct StepNetwork {
  /// The seed determines the hashes of flows onto links; without it flows spread evenly.
  StepNetwork(const StepShape& shape, std::optional<std::uint64_t> seed);
  StepLinks links;
  /// The message sequence of a collective. If `alone` is set, one member represents all, and there
  /// is no rendezvous.
  const PreparedMessages& messagesOf(const ir::Collective& c, bool alone) const {
    return *(alone ? one : whole)[static_cast<std::size_t>(&c - first)];
  }
  /// Whether one device can represent its pipeline rank: no links are shared, and all members of
  /// each collective send equal messages.
  static bool folds(const ir::Plan& plan);

private:
  const ir::Collective* first;
  std::deque<PreparedMessages> programs; ///< the distinct message sequences
  std::vector<const PreparedMessages*> whole, one;
};

} // namespace dpl::simulation
