//===- Turns.cpp - Which passes are the first or the last of their chunk ----------------------===//
#include "cost/schedules/Turns.h"
#include "cost/schedules/Routes.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Forwards, gradients of inputs and of weights, recomputations.
constexpr std::size_t products = 4;
constexpr std::size_t recomputed = 3;

/// What a kind of pass makes, by which it is the first, and by which the last.
struct Makes {
  std::uint8_t first, last;
};
constexpr Makes makesOf[Routes::kinds] = {{0, 0}, {1, 2}, {1, 1},
                                          {2, 2}, {3, 3}, {0, 0}}; // by OperationKind

bool recomputes(llvm::ArrayRef<ScheduledOperation> list) {
  return llvm::any_of(
      list, [](const ScheduledOperation& op) { return op.kind == OperationKind::Recomputation; });
}
} // namespace

void Turns::assign(llvm::ArrayRef<llvm::ArrayRef<ScheduledOperation>> lists, std::uint64_t chunks) {
  specials.clear(), firstOf.clear();
  std::size_t first = 0;
  for (const llvm::ArrayRef<ScheduledOperation> list : lists) {
    firstOf.push_back(specials.size());
    add(list, chunks, first);
    first += list.size();
  }
  specials.push_back({first, {}});
}

void Turns::add(llvm::ArrayRef<ScheduledOperation> list, std::uint64_t chunks, std::size_t first) {
  constexpr std::size_t none = SIZE_MAX;
  const std::size_t begin = specials.size();
  const std::size_t all = chunks * (recomputes(list) ? products : recomputed);
  const auto look = [&](bool forLast) {
    found.assign(chunks * products, none);
    std::size_t left = all;
    for (std::size_t n = 0; n < list.size() && left > 0; ++n) {
      const std::size_t pass = forLast ? list.size() - 1 - n : n;
      const ScheduledOperation op = list[pass];
      if (!isPass(op.kind))
        continue;
      const Makes makes = makesOf[static_cast<std::size_t>(op.kind)];
      std::size_t* const of = &found[products * op.chunk];
      const std::uint8_t decides = forLast ? makes.last : makes.first;
      if (of[decides] == none)
        specials.push_back({first + pass, {!forLast, forLast}});
      for (const std::uint8_t product : {makes.first, makes.last})
        if (of[product] == none)
          of[product] = pass, --left;
    }
  };
  look(false), look(true);
  const auto from = specials.begin() + static_cast<std::ptrdiff_t>(begin);
  std::sort(from, specials.end(),
            [](const Special& a, const Special& b) { return a.pass < b.pass; });
  auto to = from;
  for (auto at = from; at != specials.end(); ++at)
    if (to != from && to[-1].pass == at->pass)
      to[-1].turn.first |= at->turn.first, to[-1].turn.last |= at->turn.last;
    else
      *to++ = *at;
  specials.erase(to, specials.end());
}
