//===- Waiting.cpp - The shortest explanation of a hang ---------------------------------------===//
#include "cost/execution/Waiting.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
using Edges = std::vector<std::vector<Waiting>>;

/// Repeatedly removes ranks without outgoing edges, so that cycles remain.
void peel(const std::vector<std::vector<std::uint64_t>>& into,
          const std::vector<std::vector<std::uint64_t>>& from, std::vector<bool>& left) {
  std::vector<std::size_t> count(from.size());
  std::vector<std::uint64_t> free;
  for (std::uint64_t rank = 0; rank < from.size(); ++rank)
    if ((count[rank] = from[rank].size()) == 0)
      free.push_back(rank);
  while (!free.empty()) {
    const std::uint64_t rank = free.back();
    free.pop_back();
    left[rank] = false;
    for (const std::uint64_t before : into[rank])
      if (--count[before] == 0)
        free.push_back(before);
  }
}

/// Whether each rank may be part of a cycle: it waits for a candidate, and a candidate waits for
/// it.
std::vector<bool> thoseInCircles(const Edges& edges) {
  std::vector<std::vector<std::uint64_t>> into(edges.size()), from(edges.size());
  for (std::uint64_t rank = 0; rank < edges.size(); ++rank)
    for (const Waiting& edge : edges[rank]) {
      into[edge.peer].push_back(rank);
      from[rank].push_back(edge.peer);
    }
  std::vector<bool> left(edges.size(), true);
  peel(into, from, left);
  peel(from, into, left);
  return left;
}

/// Finds cycles by breadth-first search.
class CircleSearch {
public:
  explicit CircleSearch(const Edges& edges) : edges(edges), reachedBy(edges.size(), nullptr) {}

  /// The shortest cycle through `start` with at most `most` edges; empty if there is none.
  std::vector<Waiting> from(std::uint64_t start, std::size_t most) {
    std::vector<Waiting> circle;
    std::vector<std::uint64_t> queue{start};
    std::size_t endOfStep = 1, steps = 0;
    for (std::size_t head = 0; head < queue.size() && circle.empty() && steps < most; ++head) {
      for (const Waiting& edge : edges[queue[head]])
        if (!reachedBy[edge.peer]) {
          reachedBy[edge.peer] = &edge;
          queue.push_back(edge.peer);
          if (edge.peer == start) {
            circle = wayTo(start);
            break;
          }
        }
      if (head + 1 == endOfStep)
        endOfStep = queue.size(), ++steps;
    }
    for (const std::uint64_t rank : queue)
      reachedBy[rank] = nullptr;
    return circle;
  }

private:
  std::vector<Waiting> wayTo(std::uint64_t start) const {
    std::vector<Waiting> circle;
    std::uint64_t at = start;
    do {
      circle.push_back(*reachedBy[at]);
      at = reachedBy[at]->rank;
    } while (at != start);
    std::reverse(circle.begin(), circle.end());
    return circle;
  }
  const Edges& edges;
  std::vector<const Waiting*> reachedBy;
};
} // namespace

std::vector<Waiting> dpl::cost::shortestCircle(const std::vector<std::vector<Waiting>>& edges) {
  std::vector<Waiting> shortest;
  const std::vector<bool> inCircle = thoseInCircles(edges);
  CircleSearch search(edges);
  for (std::uint64_t rank = 0; rank < edges.size() && shortest.size() != 1; ++rank)
    if (inCircle[rank])
      if (std::vector<Waiting> circle =
              search.from(rank, shortest.empty() ? edges.size() : shortest.size() - 1);
          !circle.empty())
        shortest = std::move(circle);
  for (std::uint64_t rank = 0; shortest.empty() && rank < edges.size(); ++rank)
    for (std::uint64_t at = rank; !edges[at].empty(); at = edges[at].front().peer)
      shortest.push_back(edges[at].front());
  return shortest;
}

std::string dpl::cost::messageText(const Placement& placement, std::uint64_t rank,
                                   const ScheduledAction& action, bool takes) {
  const bool forward = action.forward();
  std::uint64_t stage = placement.stageReplicaOf(rank, action.chunk).stage;
  if (takes)
    stage = forward ? stage - 1 : stage + 1;
  return fmt::format("{} of {}micro-batch {}", forward ? "activation" : "gradient",
                     placement.chunks > 1 ? fmt::format("stage {}, ", stage) : "",
                     action.microBatch);
}

std::string dpl::cost::describe(const Placement& placement, const std::vector<Waiting>& waiting) {
  std::string text;
  for (const Waiting& w : waiting) {
    text += text.empty() ? fmt::format("rank {} waits ", w.rank) : ", which waits ";
    const std::string what = messageText(placement, w.rank, w.action, w.receives);
    if (w.peer == w.rank)
      text += fmt::format("for the {} that its own list has later", what);
    else if (w.receives)
      text += fmt::format("for the {} from rank {}", what, w.peer);
    else
      text += fmt::format("until rank {} takes the {}", w.peer, what);
  }
  return text;
}
