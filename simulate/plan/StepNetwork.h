#pragma once
//===- StepNetwork.h - What the collectives of a plan send, over which links ------------------===//
#include "simulate/plan/StepMessages.h"
#include "simulate/plan/StepShape.h"
#include <deque>

namespace dpl::simulation {

/// Links and programs of messages of a shape; many runs read it at once.
struct StepNetwork {
  /// The seed says which way flows take over links that they are hashed onto. Nothing: they spread
  /// evenly.
  StepNetwork(const StepShape& shape, std::optional<std::uint64_t> seed);
  StepLinks links;
  /// Of a collective of the plan; with one member that stands for all, where nobody is met.
  const PreparedMessages& messagesOf(const ir::Collective& c, bool alone) const {
    return *(alone ? one : whole)[static_cast<std::size_t>(&c - first)];
  }
  /// Whether one device can stand for all of its pipeline rank: none shares a link with another,
  /// and all members of each collective do the same.
  static bool folds(const ir::Plan& plan);

private:
  const ir::Collective* first;
  std::deque<PreparedMessages> programs; ///< each once
  std::vector<const PreparedMessages*> whole, one;
};

} // namespace dpl::simulation
