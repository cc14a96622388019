#pragma once
//===- Routes.h - The messages of each chunk's actions ----------------------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <vector>

namespace dpl::cost {

/// A rank sends activations and gradients to the next and to the previous rank. Each of these is a
/// channel, on which messages keep their order. A set of channels has one bit per channel of a
/// rank.
using Channels = std::uint8_t;

/// The message that actions of one kind receive and the message that they send, for one stage
/// replica. Replicas are numbered by
/// Placement::indexOf; messages by receiving replica, direction and micro-batch. `none`: there is
/// no message, as for weight gradients and recomputations.
struct Route {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t stageReplica = none;           ///< replica that runs the actions
  std::uint32_t input = none, fromRank = none; ///< input message of micro-batch 0
  std::uint32_t output = none, toRank = none;  ///< output message of micro-batch 0
  std::uint32_t outputLink = none,
                inputLink = none; ///< directed links of the messages; none within a rank
  /// Channel numbers; noChannel within a rank.
  std::uint8_t outputChannel = noChannel, inputChannel = noChannel;
  static constexpr std::uint8_t noChannel = 4;
  bool sends() const { return outputLink != none; }
  bool receives() const { return inputLink != none; }
  Channels sendsOn() const { return (1U << outputChannel) & 15U; }
  Channels receivesOn() const { return (1U << inputChannel) & 15U; }
};
static_assert(sizeof(Route) == 32);

/// The routes of a placement by rank, chunk and action kind. A rank has a directed link to the next
/// rank and one to the previous rank, numbered from 2 × rank. A link has two channels, numbered
/// from 2 × link; among a rank's four channels those to the next rank come first.
class Routes {
public:
  static constexpr std::size_t kinds = 6; ///< number of chunk action kinds
  Routes(const ir::Placement& placement, std::uint64_t microBatches) {
    assign(placement, microBatches);
  }
  Routes() = default;
  void assign(const ir::Placement& placement, std::uint64_t microBatches);

  /// The routes of one rank.
  class RankRoutes {
  public:
    explicit RankRoutes(const Route* first) : first(first) {}
    const Route& operator()(const ir::ScheduledAction& op) const {
      return first[kinds * op.chunk + static_cast<std::size_t>(op.kind)];
    }

  private:
    const Route* first;
  };
  std::uint64_t ranks() const { return ofRanks; }
  std::uint64_t chunks() const { return perRank; } ///< chunks per rank
  RankRoutes ofRank(std::uint64_t rank) const {
    return RankRoutes(all.data() + rank * perRank * kinds);
  }
  const Route& of(std::uint64_t rank, const ir::ScheduledAction& op) const {
    return ofRank(rank)(op);
  }
  /// All routes, by rank, chunk and kind.
  llvm::ArrayRef<Route> actions() const { return all; }
  /// Number of messages per step; some numbers are unused.
  std::uint64_t messages() const { return count; }

private:
  std::uint64_t ofRanks = 0, perRank = 1, count = 0;
  std::vector<Route> all;
};

} // namespace dpl::cost
