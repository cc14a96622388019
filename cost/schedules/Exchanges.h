#pragma once
//===- Exchanges.h - Sends and receives that a rank posts together ----------------------------===//
//
// An `Exchanges` function of a schedule walks the schedule of a rank and defines what is posted
// between its actions. Posts on a channel are in the order of the schedule, so they are only
// counted. Whether both ends of a channel have the same order follows from the schedules.
#include "cost/schedules/Schedule.h"
#include <utility>

namespace dpl::cost {

/// A group of posts and the action after it. In each set the low half has the channels on which the
/// rank sends, the high half those on which it receives.
struct GroupStep {
  std::uint32_t word = 0;
  static GroupStep of(unsigned posts, unsigned waits, unsigned needs, unsigned makes,
                      unsigned passes) {
    return {posts | waits << 8 | needs << 16 | makes << 20 | passes << 24};
  }
  unsigned sends() const { return word & 15U; }
  unsigned receives() const { return word >> 4 & 15U; }
  unsigned posts() const { return word & 255U; }
  /// The rank continues when both ends of these channels have posted equally many messages.
  unsigned waitsForSends() const { return word >> 8 & 15U; }
  unsigned waitsForReceives() const { return word >> 12 & 15U; }
  /// The channels on which the action receives and sends.
  unsigned needs() const { return word >> 16 & 15U; }
  unsigned makes() const { return word >> 20 & 15U; }
  /// Number of actions after the posts: 2 for a pair, 0 if another group follows.
  unsigned actions() const { return word >> 24; }
};

/// The messages of each channel in the order of one end's schedule.
class ChannelOrders {
public:
  struct ChannelOrder {
    std::uint32_t *begin, *next, *end;
    /// Returns false if there are more messages than the placement has.
    bool add(std::uint32_t message) {
      if (next == end)
        return false;
      *next++ = message;
      return true;
    }
  };
  void assign(const Routes& routes, std::uint64_t microBatches);
  ChannelOrder& operator[](std::size_t channel) { return orders[channel]; }
  std::size_t channels() const { return orders.size(); }
  llvm::ArrayRef<std::uint32_t> of(std::size_t channel) const {
    return {orders[channel].begin, orders[channel].next};
  }

private:
  std::vector<ChannelOrder> orders;
  std::vector<std::uint32_t> messages;
};

/// Builds the groups of all ranks. Repeated use reuses the buffers.
class GroupWriter {
public:
  void assign(const ir::Placement& placement, std::uint64_t microBatches,
              llvm::ArrayRef<llvm::ArrayRef<ir::ScheduledAction>> schedules, Exchanges& exchanges);

  // Functions that an `Exchanges` function calls while it walks the schedule of the current rank.

  std::uint64_t ranks() const { return routes.ranks(); }
  std::uint64_t rank() const { return at.rank; }
  std::uint64_t microBatches() const { return count; }
  const Route& routeOf(const ir::ScheduledAction& op) const { return at.routes(op); }
  /// Whether actions remain; the next one, and the number of actions before it. Recomputations
  /// exchange nothing and are skipped: they run after the posts before the next action, and only
  /// that action waits for these posts.
  bool more() const { return at.next < at.schedule.size(); }
  const ir::ScheduledAction& next() const { return at.schedule[at.next]; }
  std::size_t actionsBefore() const { return at.action; }
  /// The channels on which the next action, or both actions of a pair, receive.
  Channels receives() const {
    unsigned on = messageEndsOf(next()).needs;
    if (pairs())
      on |= messageEndsOf(at.schedule[at.next + 1]).needs;
    return static_cast<Channels>(on << 4);
  }
  /// Whether the receiver of `sends` is the sender of `received`.
  bool sameNeighbour(Channels sends, Channels received) const {
    return ranks() == 2 || ((sends & 3U) != 0) != ((received & 0x30U) != 0);
  }
  /// Adds posts to the group before the next action. The rank continues when everything in `waits`
  /// is done.
  void group(Channels posts, Channels waits) {
    if (at.waits != 0 || (at.posts & posts) != 0)
      close(0, 0, 0);
    at.posts |= posts, at.waits |= waits;
  }
  /// `here`: position of the group before the next action. `postAt`: adds posts to the group at a
  /// position.
  std::size_t here() const { return steps.size(); }
  void postAt(std::size_t place, Channels posts) {
    if (place < steps.size())
      steps[place].word |= posts;
    else
      at.posts |= posts;
  }
  /// Runs the next action or pair, and returns the channels on which it sends.
  Channels runAction();

  // The groups that were built.

  llvm::ArrayRef<GroupStep> of(std::size_t rank) const {
    return {steps.data() + firstStep[rank], steps.data() + firstStep[rank + 1]};
  }
  /// Whether the action after the steps needs something that its own schedule has later.
  bool stuck(std::size_t rank) const { return stuckRanks[rank]; }
  /// Whether both ends of each channel have the same order.
  bool inSendOrder() const;
  const Routes& allRoutes() const { return routes; }

private:
  /// The messages and channels of actions of one kind of a stage replica; null without a channel.
  struct MessageEnds {
    ChannelOrders::ChannelOrder *received = nullptr, *sent = nullptr;
    std::uint32_t input = Route::none, output = Route::none;
    Channels needs = 0, makes = 0;
  };
  /// Walks the schedule of one rank.
  struct Follower {
    std::uint64_t rank = 0;
    Routes::RankRoutes routes{nullptr};
    const MessageEnds* ends = nullptr;
    llvm::ArrayRef<ir::ScheduledAction> schedule;
    /// Next action to write; next action to visit; recomputations lie between them.
    std::size_t action = 0, next = 0;
    unsigned posts = 0, waits = 0; ///< before the action at `next`
    bool stuck = false;
  };
  bool pairs() const {
    return next().kind == ir::ActionKind::PairedForward && at.next + 1 < at.schedule.size();
  }
  /// Skips to the next action that is not a recomputation.
  void follow() {
    while (more() && next().kind == ir::ActionKind::Recomputation)
      ++at.next;
  }
  /// Writes the recomputations before the next action.
  void recompute() {
    const unsigned waits = std::exchange(at.waits, 0);
    for (; at.action < at.next && !at.stuck; ++at.action)
      close(0, 0, 1);
    at.action = at.next, at.waits = waits;
  }
  void close(unsigned needs, unsigned makes, unsigned passes) {
    steps.push_back(GroupStep::of(at.posts, at.waits, needs, makes, passes));
    at.posts = at.waits = 0;
  }
  const MessageEnds& messageEndsOf(const ir::ScheduledAction& op) const {
    return at.ends[Routes::kinds * op.chunk + static_cast<std::size_t>(op.kind)];
  }
  bool receive(const ir::ScheduledAction& op, const MessageEnds& ends) const;
  bool send(const ir::ScheduledAction& op, const MessageEnds& ends);

  Routes routes;
  std::uint64_t count = 0; ///< number of micro-batches
  Follower at;
  ChannelOrders sent, receivedOrders;
  std::vector<MessageEnds> allEnds; ///< ends by rank, chunk and action kind
  std::vector<char> handedOver;     ///< whether a message within a rank is computed
  std::vector<GroupStep> steps;
  std::vector<std::size_t> firstStep; ///< index into `steps`, by rank
  std::vector<char> stuckRanks;
};

inline bool GroupWriter::receive(const ir::ScheduledAction& op, const MessageEnds& ends) const {
  const std::uint32_t message = ends.input + op.microBatch;
  return ends.received ? ends.received->add(message)
                       : ends.input == Route::none || handedOver[message] != 0;
}

inline bool GroupWriter::send(const ir::ScheduledAction& op, const MessageEnds& ends) {
  const std::uint32_t message = ends.output + op.microBatch;
  if (ends.sent)
    return ends.sent->add(message);
  if (ends.output != Route::none)
    handedOver[message] = 1;
  return true;
}

inline Channels GroupWriter::runAction() {
  if (at.action < at.next)
    recompute();
  const ir::ScheduledAction op = next();
  const MessageEnds& ends = messageEndsOf(op);
  bool fits = receive(op, ends);
  unsigned needs = ends.needs, makes = ends.makes, passes = 1;
  if (!pairs()) {
    fits = send(op, ends) && fits;
  } else { // both outputs of a pair are sent after the second action
    const ir::ScheduledAction with = at.schedule[at.next + 1];
    const MessageEnds& home = messageEndsOf(with);
    fits = receive(with, home) && send(op, ends) && send(with, home) && fits;
    needs |= home.needs, makes |= home.makes, passes = 2;
  }
  at.action = at.next += passes;
  follow();
  at.stuck = at.stuck || !fits;
  if (!at.stuck)
    close(needs, makes, passes);
  return static_cast<Channels>(makes);
}

} // namespace dpl::cost
