//===- Exchanges.cpp - Which sends and receives a rank posts together -------------------------===//
#include "cost/schedules/Schedule.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
constexpr std::uint32_t none = Exchange::none;

/// Appends the groups of one rank.
class Poster {
public:
  Poster(const Routes& routes, std::uint64_t rank, llvm::ArrayRef<ScheduledOperation> list,
         std::vector<Exchange>& out)
      : routeOf(routes.ofRank(rank)), list(list), out(out) {
    out.reserve(out.size() + 2 * list.size());
  }

  std::uint32_t size() const { return static_cast<std::uint32_t>(list.size()); }
  bool weight(std::uint32_t i) const { return list[i].kind == OperationKind::BackwardWeight; }
  /// Pass i where it receives something before, and where it sends something behind it.
  std::uint32_t into(std::uint32_t i) const {
    return i < size() && routeOf(list[i]).receives() ? i : none;
  }
  std::uint32_t from(std::uint32_t i) const { return routeOf(list[i]).sends() ? i : none; }
  bool sameNeighbour(std::uint32_t sent, std::uint32_t received) const {
    return routeOf(list[sent]).toRank == routeOf(list[received]).fromRank;
  }
  /// The next pass of the same direction after i; the end without one.
  std::uint32_t nextAlike(std::uint32_t i) const {
    const bool forward = list[i].forward();
    do
      ++i;
    while (i < size() && (list[i].forward() != forward || weight(i)));
    return i;
  }
  std::uint32_t firstBackward() const {
    for (std::uint32_t i = 0; i < size(); ++i)
      if (!list[i].forward())
        return i;
    return size();
  }

  /// One group before pass `at` of what is sent and received there.
  void group(std::uint32_t at, std::uint32_t sent, std::uint32_t received, bool waits) {
    if (sent == none && received == none)
      return;
    Exchange& made = out.emplace_back();
    made.after = at, made.waits = waits, made.sends = sent, made.receives = received;
  }

private:
  Routes::OfRank routeOf;
  llvm::ArrayRef<ScheduledOperation> list;
  std::vector<Exchange>& out;
};

} // namespace

void dpl::cost::sendsLater(const Routes& routes, std::uint64_t rank,
                           llvm::ArrayRef<ScheduledOperation> list, std::vector<Exchange>& out) {
  Poster post(routes, rank, list, out);
  for (std::uint32_t i = 0; i < post.size(); ++i) {
    post.group(i, none, post.into(i), true);
    post.group(i + 1, post.from(i), none, false);
  }
}

void dpl::cost::sendsPaired(const Routes& routes, std::uint64_t rank,
                            llvm::ArrayRef<ScheduledOperation> list, std::vector<Exchange>& out) {
  Poster post(routes, rank, list, out);
  post.group(0, none, post.into(0), true);
  for (std::uint32_t i = 0; i < post.size(); ++i) {
    const std::uint32_t sent = post.from(i), received = post.into(i + 1);
    if (sent != none && received != none && post.sameNeighbour(sent, received)) {
      post.group(i + 1, sent, received, true);
      continue;
    }
    post.group(i + 1, sent, none, true);
    post.group(i + 1, none, received, true);
  }
}

void dpl::cost::receivesAhead(const Routes& routes, std::uint64_t rank,
                              llvm::ArrayRef<ScheduledOperation> list, std::vector<Exchange>& out) {
  Poster post(routes, rank, list, out);
  const std::uint32_t backward = post.firstBackward();
  post.group(0, none, post.into(0), false);
  for (std::uint32_t i = 0; i < post.size(); ++i) {
    post.group(i + 1, post.from(i), post.weight(i) ? none : post.into(post.nextAlike(i)), false);
    if (i + 1 == backward) // what the first backward needs is posted before it
      post.group(i + 1, none, post.into(backward), false);
  }
}

void dpl::cost::serialBlocking(const Routes& routes, std::uint64_t rank,
                               llvm::ArrayRef<ScheduledOperation> list,
                               std::vector<Exchange>& out) {
  Poster post(routes, rank, list, out);
  for (std::uint32_t i = 0; i < post.size(); ++i) {
    post.group(i, none, post.into(i), true);
    post.group(i + 1, post.from(i), none, true);
  }
}
