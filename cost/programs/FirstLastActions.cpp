//===- FirstLastActions.cpp - The first and last actions of each chunk ------------------------===//
#include "cost/programs/FirstLastActions.h"
#include "llvm/ADT/SmallVector.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// The results of an action kind, and which of them make an action the first or the last. Bits 1,
/// 2, 4 and 8 are outputs of forward passes, input gradients, weight gradients and recomputed
/// tensors.
struct ActionResults {
  std::uint8_t all, first, last;
};
constexpr ActionResults resultsOf[] = {{1, 1, 1}, {6, 2, 4}, {2, 2, 2}, {4, 4, 4}, {8, 8, 8},
                                       {1, 1, 1}, {},        {},        {}}; // by ActionKind
/// A chunk with all of these bits has no further first or last action: recomputation runs between a
/// forward and its backward pass.
constexpr std::uint8_t furthest = 7;
} // namespace

void FirstLastActions::assign(llvm::ArrayRef<llvm::ArrayRef<ScheduledAction>> schedules,
                              std::uint64_t chunks) {
  specials.clear(), firstOf.clear();
  specials.reserve(schedules.size() * (4 * chunks + 1)), firstOf.reserve(schedules.size());
  std::size_t first = 0;
  for (const llvm::ArrayRef<ScheduledAction> schedule : schedules) {
    firstOf.push_back(specials.size());
    add(schedule, chunks, first);
    first += schedule.size();
  }
  specials.push_back({first, {}});
}

void FirstLastActions::add(llvm::ArrayRef<ScheduledAction> schedule, std::uint64_t chunks,
                           std::size_t first) {
  // Results of each chunk so far, from the start or from the end of the schedule. `isNew` says
  // whether an action has a result that decides its flag and that no action before it had.
  llvm::SmallVector<std::uint8_t, 16> made;
  std::uint64_t left = 0; // chunks without all bits of `furthest`
  const auto begin = [&] { made.assign(chunks, 0), left = chunks; };
  const auto isNew = [&](const ScheduledAction& op, std::uint8_t ActionResults::*decides) {
    const ActionResults makes = resultsOf[static_cast<std::size_t>(op.kind)];
    std::uint8_t& of = made[op.chunk];
    const std::uint8_t before = of;
    if ((makes.all & ~before) == 0)
      return false;
    of |= makes.all;
    left -= (before & furthest) != furthest && (of & furthest) == furthest ? 1 : 0;
    return (makes.*decides & ~before) != 0;
  };
  const std::size_t ofList = specials.size();
  begin();
  for (std::size_t i = 0; i < schedule.size() && left > 0; ++i)
    if (isNew(schedule[i], &ActionResults::first))
      specials.push_back({first + i, {true, false}});
  begin();
  for (std::size_t i = schedule.size(); i > 0 && left > 0; --i)
    if (isNew(schedule[i - 1], &ActionResults::last))
      addLast(ofList, first + i - 1);
}

/// Inserts an action at its place in the order of the schedule.
void FirstLastActions::addLast(std::size_t ofList, std::size_t pass) {
  std::size_t at = specials.size();
  while (at > ofList && specials[at - 1].action > pass)
    --at;
  if (at > ofList && specials[at - 1].action == pass)
    specials[at - 1].flags.last = true;
  else
    specials.insert(specials.begin() + static_cast<std::ptrdiff_t>(at), {pass, {false, true}});
}
