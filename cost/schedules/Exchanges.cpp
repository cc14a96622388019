//===- Exchanges.cpp - Which sends and receives a rank posts together -------------------------===//
#include "cost/schedules/Schedule.h"
#include "llvm/ADT/SmallVector.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {

/// One end of a message, with the rank at the other end.
struct End {
  PostedMessage message;
  std::uint64_t peer = 0;
};
using MaybeEnd = std::optional<End>;

/// Appends the groups of one rank.
class Poster {
public:
  Poster(const Placement& placement, std::uint64_t rank, llvm::ArrayRef<ScheduledOperation> list,
         ExchangeList& out)
      : list(list), out(out) {
    out.groups.reserve(out.groups.size() + 2 * list.size());
    out.messages.reserve(out.messages.size() + 2 * list.size());
    for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk)
      for (const OperationKind kind : {OperationKind::Forward, OperationKind::Backward}) {
        const ScheduledOperation op{kind, static_cast<std::uint16_t>(chunk), 0};
        Peers peers;
        if (const auto m = messageInto(placement, rank, op))
          peers.from = m->from.rank;
        if (const auto m = messageFrom(placement, rank, op))
          peers.to = m->to.rank;
        ways.push_back(peers);
      }
  }

  std::size_t size() const { return list.size(); }
  /// What pass i receives before, and sends behind it.
  MaybeEnd into(std::size_t i) const { return i < list.size() ? end(list[i], false) : MaybeEnd(); }
  MaybeEnd from(std::size_t i) const { return end(list[i], true); }
  /// The next pass of the same direction after i; the end without one.
  std::size_t nextAlike(std::size_t i) const {
    const bool forward = list[i].forward();
    do
      ++i;
    while (i < list.size() &&
           (list[i].forward() != forward || list[i].kind == OperationKind::BackwardWeight));
    return i;
  }
  std::size_t firstBackward() const {
    for (std::size_t i = 0; i < list.size(); ++i)
      if (!list[i].forward())
        return i;
    return list.size();
  }

  /// One group before pass `at` of what is sent and received there.
  void group(std::size_t at, const MaybeEnd& sent, const MaybeEnd& received, bool waits) {
    if (!sent && !received)
      return;
    out.groups.push_back({static_cast<std::uint32_t>(at),
                          static_cast<std::uint32_t>(out.messages.size()),
                          (sent ? 1U : 0U) + (received ? 1U : 0U), waits});
    if (sent)
      out.messages.push_back(sent->message);
    if (received)
      out.messages.push_back(received->message);
  }

private:
  static constexpr std::uint64_t nobody = UINT64_MAX;
  struct Peers {
    std::uint64_t from = nobody, to = nobody;
  };
  MaybeEnd end(const ScheduledOperation& op, bool send) const {
    if (op.kind == OperationKind::BackwardWeight)
      return std::nullopt;
    const Peers& peers = ways[2 * op.chunk + (op.forward() ? 0 : 1)];
    const std::uint64_t peer = send ? peers.to : peers.from;
    if (peer == nobody)
      return std::nullopt;
    return End{{op.microBatch, op.chunk, op.forward(), send}, peer};
  }

  llvm::ArrayRef<ScheduledOperation> list;
  ExchangeList& out;
  llvm::SmallVector<Peers, 16> ways; ///< by chunk and direction
};

} // namespace

void dpl::cost::sendsLater(const Placement& placement, std::uint64_t rank,
                           llvm::ArrayRef<ScheduledOperation> list, ExchangeList& out) {
  Poster post(placement, rank, list, out);
  for (std::size_t i = 0; i < post.size(); ++i) {
    post.group(i, {}, post.into(i), true);
    post.group(i + 1, post.from(i), {}, false);
  }
}

void dpl::cost::sendsPaired(const Placement& placement, std::uint64_t rank,
                            llvm::ArrayRef<ScheduledOperation> list, ExchangeList& out) {
  Poster post(placement, rank, list, out);
  post.group(0, {}, post.into(0), true);
  for (std::size_t i = 0; i < post.size(); ++i) {
    const auto sent = post.from(i), received = post.into(i + 1);
    if (sent && received && sent->peer == received->peer) {
      post.group(i + 1, sent, received, true);
      continue;
    }
    post.group(i + 1, sent, {}, true);
    post.group(i + 1, {}, received, true);
  }
}

void dpl::cost::receivesAhead(const Placement& placement, std::uint64_t rank,
                              llvm::ArrayRef<ScheduledOperation> list, ExchangeList& out) {
  Poster post(placement, rank, list, out);
  const std::size_t backward = post.firstBackward();
  post.group(0, {}, post.into(0), false);
  for (std::size_t i = 0; i < post.size(); ++i) {
    const bool weight = list[i].kind == OperationKind::BackwardWeight;
    post.group(i + 1, post.from(i), weight ? MaybeEnd() : post.into(post.nextAlike(i)), false);
    if (i + 1 == backward) // what the first backward needs is posted before it
      post.group(i + 1, {}, post.into(backward), false);
  }
}

void dpl::cost::serialBlocking(const Placement& placement, std::uint64_t rank,
                               llvm::ArrayRef<ScheduledOperation> list, ExchangeList& out) {
  Poster post(placement, rank, list, out);
  for (std::size_t i = 0; i < post.size(); ++i) {
    post.group(i, {}, post.into(i), true);
    post.group(i + 1, post.from(i), {}, true);
  }
}
