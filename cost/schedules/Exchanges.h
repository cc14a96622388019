#pragma once
//===- Exchanges.h - Which sends and receives a rank posts together ---------------------------===//
//
// A row of the schedules follows the list of a rank and says what is posted between its passes.
// What a rank posts on a channel is in the order of its list, so posts are only counted; that both
// ends of a channel have one order is seen from the lists.
#include "cost/schedules/Schedule.h"
#include <utility>

namespace dpl::cost {

/// What a rank posts together, and the pass behind it. Sets have the channels that the rank sends
/// on in their low half, those that it receives on in the high one.
struct GroupStep {
  std::uint32_t word = 0;
  static GroupStep of(unsigned posts, unsigned waits, unsigned needs, unsigned makes,
                      unsigned passes) {
    return {posts | waits << 8 | needs << 16 | makes << 20 | passes << 24};
  }
  unsigned sends() const { return word & 15U; }
  unsigned receives() const { return word >> 4 & 15U; }
  unsigned posts() const { return word & 255U; }
  /// It goes on when both ends have posted as much.
  unsigned waitsForSends() const { return word >> 8 & 15U; }
  unsigned waitsForReceives() const { return word >> 12 & 15U; }
  /// Of the pass: what it receives on, and sends on.
  unsigned needs() const { return word >> 16 & 15U; }
  unsigned makes() const { return word >> 20 & 15U; }
  /// Two of a pair; none between groups.
  unsigned actions() const { return word >> 24; }
};

/// The messages of each channel in the order of the lists of one end.
class ChannelOrders {
public:
  struct ChannelOrder {
    std::uint32_t *begin, *next, *end;
    /// False where there are more than the placement has.
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

/// Writes down the groups of all ranks. Buffers are kept from one to the next.
class GroupWriter {
public:
  void assign(const ir::Placement& placement, std::uint64_t microBatches,
              llvm::ArrayRef<llvm::ArrayRef<ir::ScheduledAction>> schedules, Exchanges& exchanges);

  // For a row, which follows the list of the rank at hand.

  std::uint64_t ranks() const { return routes.ranks(); }
  std::uint64_t rank() const { return at.rank; }
  std::uint64_t microBatches() const { return count; }
  const Route& routeOf(const ir::ScheduledAction& op) const { return at.routes(op); }
  /// Whether passes are left; the next one, and how many come before it. Recomputations, which
  /// exchange nothing, are stepped over: they run behind what is posted before the next pass, and
  /// that pass alone waits for it.
  bool more() const { return at.next < at.schedule.size(); }
  const ir::ScheduledAction& next() const { return at.schedule[at.next]; }
  std::size_t actionsBefore() const { return at.action; }
  /// What the next pass receives on; both of a pair.
  Channels receives() const {
    unsigned on = messageEndsOf(next()).needs;
    if (pairs())
      on |= messageEndsOf(at.schedule[at.next + 1]).needs;
    return static_cast<Channels>(on << 4);
  }
  /// Whether what is sent there goes to the rank that this comes from.
  bool sameNeighbour(Channels sends, Channels received) const {
    return ranks() == 2 || ((sends & 3U) != 0) != ((received & 0x30U) != 0);
  }
  /// Posted together before the next pass; the rank goes on when all that it `waits` for is done.
  void group(Channels posts, Channels waits) {
    if (at.waits != 0 || (at.posts & posts) != 0)
      close(0, 0, 0);
    at.posts |= posts, at.waits |= waits;
  }
  /// The place of the group before the next pass, and posts with the one of a place.
  std::size_t here() const { return steps.size(); }
  void postAt(std::size_t place, Channels posts) {
    if (place < steps.size())
      steps[place].word |= posts;
    else
      at.posts |= posts;
  }
  /// Runs the next pass, or pair; what it sends on.
  Channels runAction();

  // What was written.

  llvm::ArrayRef<GroupStep> of(std::size_t rank) const {
    return {steps.data() + firstStep[rank], steps.data() + firstStep[rank + 1]};
  }
  /// Whether the pass behind the steps needs what its own list has later.
  bool stuck(std::size_t rank) const { return stuckRanks[rank]; }
  /// Whether both ends of each channel have one order.
  bool inSendOrder() const;
  const Routes& allRoutes() const { return routes; }

private:
  /// What passes of a kind of a copy exchange: with which messages of which channels, null where
  /// they have none.
  struct MessageEnds {
    ChannelOrders::ChannelOrder *received = nullptr, *sent = nullptr;
    std::uint32_t input = Route::none, output = Route::none;
    Channels needs = 0, makes = 0;
  };
  /// Follows the list of one rank.
  struct Follower {
    std::uint64_t rank = 0;
    Routes::RankRoutes routes{nullptr};
    const MessageEnds* ends = nullptr;
    llvm::ArrayRef<ir::ScheduledAction> schedule;
    std::size_t action = 0, next = 0; ///< to write down, to follow: recomputations lie between
    unsigned posts = 0, waits = 0;    ///< before that pass
    bool stuck = false;
  };
  bool pairs() const {
    return next().kind == ir::ActionKind::PairedForward && at.next + 1 < at.schedule.size();
  }
  /// From a pass on to the next one that is none of the recomputations.
  void follow() {
    while (more() && next().kind == ir::ActionKind::Recomputation)
      ++at.next;
  }
  /// The recomputations before the next pass.
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
  std::uint64_t count = 0; ///< micro-batches
  Follower at;
  ChannelOrders sent, receivedOrders;
  std::vector<MessageEnds> allEnds; ///< by rank, chunk and kind
  std::vector<char> handedOver;     ///< by message, between chunks of one rank
  std::vector<GroupStep> steps;
  std::vector<std::size_t> firstStep; ///< by rank
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
  } else { // what the first of a pair makes leaves with what the second makes
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
