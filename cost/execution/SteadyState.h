#pragma once
//===- SteadyState.h - Steps without a flush --------------------------------------------------===//
//
// Each rank alternates forward and backward passes forever. Rank r is p - r - 1 forward passes
// ahead. After its last backward pass of a step, a rank runs the end of the step without waiting
// for other ranks. All of this repeats with one period: the largest ratio of length to number of
// steps over all cycles of dependencies.
#include "cost/execution/Step.h"

namespace dpl::cost {

/// Computes the period and the times of steps without a flush. Relies on: one chunk per rank, in
/// rank order. Only the last micro-batch of a step leaves collectives on the data stream. Runs
/// reuse the buffers.
class SteadyState {
public:
  /// ps from one step to the next, rounded up. `held` are the devices that pace the ranks, parallel
  /// to Mesh::rankNodeTypes.
  std::uint64_t run(const ir::Plan& plan, std::uint64_t microBatches,
                    llvm::ArrayRef<ChunkStep> chunks, llvm::ArrayRef<std::vector<ir::Device>> held);

  // Times of one step of the last run, in ps from its first action.

  std::uint64_t start(std::uint64_t rank, const ir::ScheduledAction& action) const;
  /// Time when the outputs of the action leave.
  std::uint64_t end(std::uint64_t rank, const ir::ScheduledAction& action) const;
  /// Time when the rank has run its last action and waited for its send.
  std::uint64_t end(std::uint64_t rank) const;
  /// End of the data-stream collectives of the rank's actions.
  std::uint64_t dataEnd(std::uint64_t rank) const;
  /// ps per step in which the rank waits for its sends.
  std::uint64_t sending(std::uint64_t rank) const;

private:
  enum NodeKind : std::uint8_t { Forward, Backward, SendForward, SendBackward };
  /// ps from the start of an action until its outputs leave, computation continues, and its
  /// collectives end.
  struct ActionLengths {
    std::int64_t leaves = 0, computes = 0, collectives = 0;
  };
  /// An action (time is its start) or a message (time is its arrival) in the first period.
  struct EventNode {
    std::int64_t time = 0;
    std::uint32_t after = none; ///< node that determined the time
    std::uint32_t periods = 0;  ///< periods between that node and this one
    std::int64_t length = 0;    ///< ps after that node
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t at(NodeKind kind, std::uint64_t rank, std::uint64_t turn) const {
    return static_cast<std::uint32_t>((kind * ranks + rank) * m + turn);
  }
  /// Forward passes that a rank runs ahead of its backward passes.
  std::uint64_t ahead(std::uint64_t rank) const { return ranks - rank - 1; }
  const ActionLengths& lengthOf(NodeKind kind, std::uint64_t rank, std::uint64_t turn) const;
  void setLengths(llvm::ArrayRef<ChunkStep> chunks);
  /// Updates the times of all nodes once. Returns whether any node became later.
  bool sweep();
  void wait(std::uint32_t node, std::uint32_t after, std::int64_t length, bool before = false);
  /// The next action of a rank waits for an action of `length` ps and, if sends are not overlapped,
  /// for its message. `tail` follows both.
  void waitForActionAndSend(std::uint32_t node, NodeKind kind, std::uint64_t rank,
                            std::uint64_t turn, std::int64_t length, std::int64_t tail = 0,
                            bool before = false);
  std::int64_t lastAction(std::uint64_t rank) const;
  void send(NodeKind pass, std::uint64_t rank, std::uint64_t turn);
  bool sends(NodeKind pass, std::uint64_t rank) const {
    return pass == Forward ? rank + 1 < ranks : rank > 0;
  }
  /// ps per period of a cycle that is longer than the current period; 0 if there is none.
  std::int64_t longerCircle();
  /// The position of an action of the step among the nodes of the first period.
  struct PeriodPosition {
    NodeKind kind = Forward;
    std::uint64_t index = 0;
    std::int64_t periods = 0; ///< periods after that node
  };
  PeriodPosition positionOf(std::uint64_t rank, const ir::ScheduledAction& action) const;
  std::int64_t startOf(std::uint64_t rank, const PeriodPosition& place) const;

  std::uint64_t ranks = 0, m = 0;
  bool overlapped = true, changed = false;
  std::int64_t period = 0, first = 0; ///< period; start of the step's first action
  std::vector<EventNode> nodes;
  std::vector<std::uint32_t> seen; ///< start node of the search that reached each node
  ir::MicroBatchCosts costs;
  /// Lengths by rank: forward passes by cost and position in the step, then backward passes.
  std::vector<ActionLengths> lengths;
  std::vector<std::int64_t> epilogues; ///< ps after the last action and its collectives, by rank
  std::vector<std::pair<std::int64_t, std::int64_t>> messages; ///< ps forward and backward, by rank
};

} // namespace dpl::cost
