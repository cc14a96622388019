//===- Waiting.cpp - Who waits for whom, as short as it can be said ---------------------------===//
#include "cost/schedules/Waiting.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::cost;

namespace {
/// The shortest way from a rank back to itself, by breadth first; empty when there is none.
std::vector<Waiting> circleFrom(const std::vector<std::vector<Waiting>>& edges,
                                std::uint64_t start) {
  std::vector<const Waiting*> reachedBy(edges.size(), nullptr);
  std::vector<std::uint64_t> queue{start};
  for (std::size_t head = 0; head < queue.size(); ++head)
    for (const Waiting& edge : edges[queue[head]]) {
      if (reachedBy[edge.peer])
        continue;
      reachedBy[edge.peer] = &edge;
      if (edge.peer != start) {
        queue.push_back(edge.peer);
        continue;
      }
      std::vector<Waiting> circle;
      std::uint64_t at = start;
      do {
        circle.push_back(*reachedBy[at]);
        at = reachedBy[at]->rank;
      } while (at != start);
      std::reverse(circle.begin(), circle.end());
      return circle;
    }
  return {};
}
} // namespace

std::vector<Waiting> dpl::cost::shortestCircle(const std::vector<std::vector<Waiting>>& edges) {
  std::vector<Waiting> shortest;
  for (std::uint64_t rank = 0; rank < edges.size(); ++rank) {
    std::vector<Waiting> circle = circleFrom(edges, rank);
    if (!circle.empty() && (shortest.empty() || circle.size() < shortest.size()))
      shortest = std::move(circle);
    if (shortest.size() == 1)
      break;
  }
  for (std::uint64_t rank = 0; shortest.empty() && rank < edges.size(); ++rank)
    for (std::uint64_t at = rank; !edges[at].empty(); at = edges[at].front().peer)
      shortest.push_back(edges[at].front());
  return shortest;
}

std::string dpl::cost::describe(const std::vector<Waiting>& waiting) {
  std::string text;
  for (const Waiting& w : waiting) {
    text += text.empty() ? fmt::format("rank {} waits ", w.rank) : ", which waits ";
    const char* what = w.forward ? "activation" : "gradient";
    if (w.peer == w.rank)
      text += fmt::format("for the {} of micro-batch {} that its own list has later", what,
                          w.operation.microBatch);
    else if (w.receives)
      text += fmt::format("for the {} of micro-batch {}, chunk {} from rank {}", what,
                          w.operation.microBatch, w.operation.chunk, w.peer);
    else
      text += fmt::format("until rank {} takes the {} of micro-batch {}, chunk {}", w.peer, what,
                          w.operation.microBatch, w.operation.chunk);
  }
  return text;
}
