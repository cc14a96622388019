#pragma once
//===- Routes.h - Where the messages of the passes of each chunk go --------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>
#include <vector>

namespace dpl::cost {

/// A rank sends to the rank after it and to the one before, activations and gradients: a channel
/// each, on which messages keep their order. A set of those of a rank has a bit each.
using Channels = std::uint8_t;

/// What the passes of one kind of one copy need and make. Copies are numbered by
/// Placement::indexOf, messages by the copy that takes them, direction and micro-batch; `none`
/// where nothing comes or goes, as of a backward for weights or a
/// recomputation.
struct Route {
  static constexpr std::uint32_t none = UINT32_MAX;
  std::uint32_t stageReplica = none;           ///< that runs them
  std::uint32_t input = none, fromRank = none; ///< the message that micro-batch 0 needs
  std::uint32_t output = none, toRank = none;  ///< the one that it makes
  std::uint32_t outputLink = none,
                inputLink = none; ///< directed links that they cross; none on a rank
  /// By number; noChannel on a rank.
  std::uint8_t outputChannel = noChannel, inputChannel = noChannel;
  static constexpr std::uint8_t noChannel = 4;
  bool sends() const { return outputLink != none; }
  bool receives() const { return inputLink != none; }
  Channels sendsOn() const { return (1U << outputChannel) & 15U; }
  Channels receivesOn() const { return (1U << inputChannel) & 15U; }
};
static_assert(sizeof(Route) == 32);

/// Of all copies of a placement, by rank, chunk and kind of pass. A rank has a directed link to the
/// rank after it and one to the rank before: two each, numbered by 2 × rank. The channels of a link
/// are two each, numbered by 2 × link; of a rank's own four those to the next rank come first.
class Routes {
public:
  static constexpr std::size_t kinds = 6; ///< of passes
  Routes(const ir::Placement& placement, std::uint64_t microBatches) {
    assign(placement, microBatches);
  }
  Routes() = default;
  void assign(const ir::Placement& placement, std::uint64_t microBatches);

  /// Of the passes of one rank.
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
  std::uint64_t chunks() const { return perRank; } ///< of a rank
  RankRoutes ofRank(std::uint64_t rank) const {
    return RankRoutes(all.data() + rank * perRank * kinds);
  }
  const Route& of(std::uint64_t rank, const ir::ScheduledAction& op) const {
    return ofRank(rank)(op);
  }
  /// Of all ranks, by rank, chunk and kind.
  llvm::ArrayRef<Route> actions() const { return all; }
  /// Of a step; some numbers belong to none.
  std::uint64_t messages() const { return count; }

private:
  std::uint64_t ofRanks = 0, perRank = 1, count = 0;
  std::vector<Route> all;
};

} // namespace dpl::cost
