//===- Exchanges.cpp - Which sends and receives a rank posts together -------------------------===//
#include "cost/schedules/Schedule.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {

/// Appends the groups of one rank.
class Poster {
public:
  Poster(const Placement& placement, std::uint64_t rank, llvm::ArrayRef<ScheduledOperation> list,
         ExchangeList& out)
      : placement(placement), rank(rank), list(list), out(out) {
    out.groups.reserve(out.groups.size() + 2 * list.size());
    out.messages.reserve(out.messages.size() + 2 * list.size());
  }

  std::size_t size() const { return list.size(); }
  std::optional<PipelineMessage> into(std::size_t i) const {
    return i < list.size() ? messageInto(placement, rank, list[i]) : std::nullopt;
  }
  std::optional<PipelineMessage> from(std::size_t i) const {
    return messageFrom(placement, rank, list[i]);
  }
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
  void group(std::size_t at, const std::optional<PipelineMessage>& sent,
             const std::optional<PipelineMessage>& received, bool waits) {
    if (!sent && !received)
      return;
    out.groups.push_back({static_cast<std::uint32_t>(at),
                          static_cast<std::uint32_t>(out.messages.size()), 0, waits});
    for (const auto* message : {&sent, &received})
      if (*message) {
        const bool send = message == &sent;
        const std::uint64_t chunk = send ? (*message)->from.chunk : (*message)->to.chunk;
        out.messages.push_back({static_cast<std::uint32_t>((*message)->microBatch),
                                static_cast<std::uint16_t>(chunk), (*message)->forward, send});
        ++out.groups.back().size;
      }
  }

private:
  const Placement& placement;
  std::uint64_t rank;
  llvm::ArrayRef<ScheduledOperation> list;
  ExchangeList& out;
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
    if (sent && received && sent->to.rank == received->from.rank) {
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
    post.group(i + 1, post.from(i), weight ? std::nullopt : post.into(post.nextAlike(i)), false);
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
