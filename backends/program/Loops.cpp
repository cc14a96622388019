//===- Loops.cpp - Compresses a list of operations into loops ---------------------------------===//
#include "backends/program/Loops.h"

using twin::Loop;
using twin::Operation;

namespace {
constexpr std::size_t longestProgram = 8;

/// Whether `b` repeats `a` with the next micro-batch. Operations of the optimizer step have no
/// micro-batch.
bool repeats(const Operation& a, const Operation& b) {
  return a.kind == b.kind && a.chunk == b.chunk && a.other == b.other &&
         a.kind < twin::OperationKind::Collective && b.microBatch == a.microBatch + 1;
}

/// The number of times that the `body` operations from index `at` on are repeated.
std::uint64_t timesOf(const std::vector<Operation>& list, std::size_t at, std::size_t body) {
  std::size_t end = at + body;
  while (end < list.size() && repeats(list[end - body], list[end]))
    ++end;
  return (end - at) / body;
}
} // namespace

void dpl::program::appendLoops(const std::vector<Operation>& list,
                               std::vector<Operation>& operations, std::vector<Loop>& loops) {
  bool open = false; // whether the last loop has one iteration and can be extended
  for (std::size_t at = 0; at < list.size();) {
    std::size_t best = 1;
    std::uint64_t times = 1;
    for (std::size_t body = 1; body <= longestProgram && at + body <= list.size(); ++body)
      if (const std::uint64_t t = timesOf(list, at, body); t > 1 && t * body > times * best) {
        best = body;
        times = t;
      }
    if (times > 1 || !open)
      loops.push_back({operations.size(), best, times});
    else
      ++loops.back().operations;
    open = times == 1;
    operations.insert(operations.end(), list.begin() + static_cast<std::ptrdiff_t>(at),
                      list.begin() + static_cast<std::ptrdiff_t>(at + best));
    at += best * times;
  }
}
