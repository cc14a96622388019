//===- PairedOrder.cpp - The order of DualPipe and DualPipeV ----------------------------------===//
#include "cost/schedules/PairedOrder.h"
#include "cost/schedules/Exchanges.h"

using namespace dpl::cost;
using dpl::ir::ActionKind;
using dpl::ir::ScheduledAction;

namespace {
enum Side : std::uint8_t { Near, Far };
enum MessageDirection : std::uint8_t { Back, Ahead }; ///< direction of a message

/// Appends the actions of a rank.
class PairedActionWriter {
public:
  PairedActionWriter(const PairedOrder& order, ActionList& schedule) : of(order), out(schedule) {
    for (const Side side : {Near, Far})
      forwards[side] = backwards[side] = of.firstOf[chunk(side)];
    out.reserve(out.size() + 4 * of.microBatches + 2 * of.ranks); // some backward passes are split
    waiting.reserve(2 * of.ranks);
  }

  void forward(Side side) { add(ActionKind::Forward, side, forwards[side]++); }
  void backward(Side side) { add(ActionKind::Backward, side, backwards[side]++); }
  /// Appends the input gradient of a backward pass whose weight gradient is delayed.
  void input(Side side) {
    add(ActionKind::BackwardInput, side, backwards[side]++);
    waiting.push_back(out.back());
  }
  /// Appends the weight gradient that has waited longest.
  void weight() {
    out.push_back(waiting[done++]);
    out.back().kind = ActionKind::BackwardWeight;
  }
  void pair(Side there, Side home) {
    add(ActionKind::PairedForward, there, forwards[there]++);
    backward(home);
  }

  // Only Poster uses these: the next message to receive, the last one to send.
  void receive(MessageDirection, Side) {}
  void send(MessageDirection, Side) {}
  void commit() {}

private:
  std::uint16_t chunk(Side side) const { return side == Near ? of.near : 1 - of.near; }
  void add(ActionKind kind, Side side, std::uint32_t microBatch) {
    out.push_back({kind, chunk(side), microBatch});
  }
  const PairedOrder& of;
  ActionList& out;
  std::uint32_t forwards[2], backwards[2];
  ActionList waiting;
  std::size_t done = 0;
};

/// Walks an existing schedule and collects the posts.
class Poster {
public:
  Poster(const PairedOrder& order, GroupWriter& writer) : of(order), to(writer) {
    for (const Side side : {Near, Far}) {
      const std::uint16_t chunk = side == Near ? of.near : 1 - of.near;
      const Route &forward = to.routeOf({ActionKind::Forward, chunk, 0}),
                  &backward = to.routeOf({ActionKind::Backward, chunk, 0});
      ends[Ahead][side] = {forward.sendsOn(), received(forward)};
      ends[Back][side] = {backward.sendsOn(), received(backward)};
    }
  }
  void forward(Side) { runAction(); }
  void backward(Side) { runAction(); }
  void input(Side) { runAction(); }
  void weight() { runAction(); }
  void pair(Side, Side) { runAction(); }

  void receive(MessageDirection direction, Side side) {
    PostedMessages& end = ends[direction][side];
    if (end.done++ < of.microBatches) // after the last action nothing is received
      pending |= end.receives;
  }
  void send(MessageDirection direction, Side side) { pending |= ends[direction][side].sends; }
  void commit() {
    to.group(pending, pending);
    pending = 0;
  }

private:
  /// A schedule that was edited may end before this order does.
  void runAction() {
    if (to.more())
      to.runAction();
  }
  static Channels received(const Route& route) {
    return static_cast<Channels>(route.receivesOn() << 4);
  }
  /// Channels of actions of one direction and chunk.
  struct PostedMessages {
    Channels sends = 0, receives = 0;
    std::uint64_t done = 0; ///< number of receives
  };
  const PairedOrder& of;
  GroupWriter& to;
  Channels pending = 0; ///< posts since the last `commit`, each channel at most once
  PostedMessages ends[2][2];
};

template <class To> void forward(To& w, Side side) {
  w.receive(Ahead, side), w.commit();
  w.forward(side), w.send(Ahead, side);
}
template <class To, class Pass> void backward(To& w, Side side, const Pass& pass) {
  w.receive(Back, side), w.commit();
  pass(), w.send(Back, side);
}
template <class To> void pair(To& w, Side there, Side home, bool received = false) {
  if (!received)
    w.receive(Ahead, there);
  w.receive(Back, home), w.commit();
  w.pair(there, home), w.send(Ahead, there), w.send(Back, home);
}

template <class To> void write(const PairedOrder& of, To& w) {
  const std::uint64_t behind = of.ranks - of.rank - 1, own = of.rank + 1;
  const bool meets = behind == 0;
  const auto input = [&](Side side) { backward(w, side, [&] { w.input(side); }); };
  const auto whole = [&](Side side) { backward(w, side, [&] { w.backward(side); }); };
  const auto weight = [&] { w.commit(), w.weight(); };

  for (std::uint64_t i = 0; i < 2 * behind; ++i)
    forward(w, Near);
  w.receive(Ahead, Near);
  for (std::uint64_t i = 0; i < own; ++i) {
    w.commit(), w.forward(Near);
    if (meets)
      w.send(Ahead, Near);
    w.receive(Ahead, Near), w.receive(Ahead, Far), w.commit();
    w.forward(Far);
    if (!meets || i + 1 < own)
      w.send(Ahead, Far);
    if (!meets)
      w.send(Ahead, Near);
  }
  for (std::uint64_t i = 0; i < behind; ++i) {
    input(Far);
    w.receive(Ahead, Far), weight();
    w.commit(), w.forward(Far), w.send(Ahead, Far);
  }
  for (std::uint64_t i = 0; i < of.microBatches - 2 * of.ranks + own; ++i) {
    if (i == 0 && meets) { // not merged, so that the neighbour waits less
      w.commit(), w.forward(Near), w.send(Ahead, Far);
      w.receive(Back, Far), w.commit(), w.backward(Far);
      w.send(Ahead, Near), w.send(Back, Far);
    } else {
      pair(w, Near, Far, i == 0);
    }
    pair(w, Far, Near);
  }
  for (std::uint64_t i = 0; i < behind; ++i)
    whole(Far), pair(w, Far, Near);
  // The second half of the last backward passes delays its weight gradients to the end.
  std::uint64_t passes = 0;
  const std::uint64_t wholes = 2 * (own / 2) + (of.rank % 2 == 0 ? 1 : 0);
  for (std::uint64_t i = 0; i < own; ++i)
    for (const Side side : {Far, Near})
      passes++ < wholes ? whole(side) : input(side);
  for (std::uint64_t i = 0; i < behind; ++i)
    weight(), input(Near);
  for (std::uint64_t i = 0; i < own; ++i)
    weight();
  w.commit();
}
} // namespace

void PairedOrder::generate(ActionList& out) const {
  PairedActionWriter w(*this, out);
  write(*this, w);
}

void PairedOrder::exchanges(GroupWriter& to) const {
  Poster w(*this, to);
  write(*this, w);
}
