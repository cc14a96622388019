#pragma once
//===- SteadyState.h - Steps that follow one another without a flush --------------------------===//
//
// Each rank runs one forward and one backward in turn for ever, p - r - 1 forwards of rank r ahead,
// and what ends a step behind its last backward, waiting for no other rank. All of that repeats
// with one period: the longest circle of things that wait for one another, over the steps that it
// goes through.
#include "cost/execution/Step.h"

namespace dpl::cost {

/// Relies on: one chunk a rank, in the order of the ranks, whose bodies leave nothing on the data
/// stream but in the last micro-batch of a step. Buffers are kept from run to run.
class SteadyState {
public:
  /// ps from one step to the next, rounded up to whole ones. `held` are the devices that pace the
  /// ranks, parallel to Mesh::rankNodeTypes.
  std::uint64_t run(const ir::Plan& plan, std::uint64_t microBatches,
                    llvm::ArrayRef<ChunkStep> chunks, llvm::ArrayRef<std::vector<ir::Device>> held);

  // Of a step of the last run, ps from its first pass.

  std::uint64_t start(std::uint64_t rank, const ir::ScheduledAction& action) const;
  /// When what the pass makes leaves.
  std::uint64_t end(std::uint64_t rank, const ir::ScheduledAction& action) const;
  /// When the rank has run its last pass and sent what it waits for.
  std::uint64_t end(std::uint64_t rank) const;
  /// When the calls that its passes left behind are done.
  std::uint64_t dataEnd(std::uint64_t rank) const;
  /// ps of a step that the rank waits for what it sends.
  std::uint64_t sending(std::uint64_t rank) const;

private:
  enum NodeKind : std::uint8_t { Forward, Backward, SendForward, SendBackward };
  /// ps from a begin of a pass until its outputs leave, computation goes on, its calls are done.
  struct ActionLengths {
    std::int64_t leaves = 0, computes = 0, collectives = 0;
  };
  /// A pass, by when it begins, or a message, by when it is there; in the first period.
  struct EventNode {
    std::int64_t time = 0;
    std::uint32_t after = none; ///< what it waited for last
    std::uint32_t periods = 0;  ///< before
    std::int64_t length = 0;    ///< ps behind that
  };
  static constexpr std::uint32_t none = UINT32_MAX;

  std::uint32_t at(NodeKind kind, std::uint64_t rank, std::uint64_t turn) const {
    return static_cast<std::uint32_t>((kind * ranks + rank) * m + turn);
  }
  /// Forwards that a rank is ahead of its backwards.
  std::uint64_t ahead(std::uint64_t rank) const { return ranks - rank - 1; }
  const ActionLengths& lengthOf(NodeKind kind, std::uint64_t rank, std::uint64_t turn) const;
  void setLengths(llvm::ArrayRef<ChunkStep> chunks);
  /// Whether anything begins later than it did.
  bool sweep();
  void wait(std::uint32_t node, std::uint32_t after, std::int64_t length, bool before = false);
  /// What a rank runs next waits for a pass of so many ps and, where sends hold it up, for its
  /// message; `tail` comes behind both.
  void waitForActionAndSend(std::uint32_t node, NodeKind kind, std::uint64_t rank,
                            std::uint64_t turn, std::int64_t length, std::int64_t tail = 0,
                            bool before = false);
  std::int64_t lastAction(std::uint64_t rank) const;
  void send(NodeKind pass, std::uint64_t rank, std::uint64_t turn);
  bool sends(NodeKind pass, std::uint64_t rank) const {
    return pass == Forward ? rank + 1 < ranks : rank > 0;
  }
  /// ps for a period of a circle that takes longer than the one at hand; 0 without any.
  std::int64_t longerCircle();
  /// A pass of a step among those of the first period.
  struct PeriodPosition {
    NodeKind kind = Forward;
    std::uint64_t index = 0;
    std::int64_t periods = 0; ///< behind that
  };
  PeriodPosition positionOf(std::uint64_t rank, const ir::ScheduledAction& action) const;
  std::int64_t startOf(std::uint64_t rank, const PeriodPosition& place) const;

  std::uint64_t ranks = 0, m = 0;
  bool overlapped = true, changed = false;
  std::int64_t period = 0, first = 0; ///< when the first pass of the step begins
  std::vector<EventNode> nodes;
  std::vector<std::uint32_t> seen; ///< from which node on, in the search for a circle
  ir::MicroBatchCosts costs;
  /// By rank: forwards of each kind of micro-batch and turn, and backwards.
  std::vector<ActionLengths> lengths;
  std::vector<std::int64_t> epilogues; ///< ps behind that and all its calls, by rank
  std::vector<std::pair<std::int64_t, std::int64_t>> messages; ///< ps on and back, by rank
};

} // namespace dpl::cost
