#pragma once
//===- FirstLastActions.h - The first and last actions of each chunk --------------------------===//
#include "cost/programs/ProgramTime.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace dpl::cost {

/// The actions of per-rank schedules that are the first or last of their chunk; all other actions
/// are alike. Input gradients come from whole backward passes and input-gradient actions, weight
/// gradients from whole backward passes and weight-gradient actions. A backward pass that is not
/// split counts as the first of its chunk by its input gradient, and as the last by its weight
/// gradient.
class FirstLastActions {
public:
  /// An action by its index in the concatenated schedules.
  struct FirstLastAction {
    std::size_t action = 0;
    FirstLast flags;
  };
  void assign(llvm::ArrayRef<llvm::ArrayRef<ir::ScheduledAction>> schedules, std::uint64_t chunks);
  /// The entries of one schedule in order. The entry after them has an index outside this schedule.
  const FirstLastAction* of(std::size_t rank) const { return specials.data() + firstOf[rank]; }
  /// Returns the flags of an action. Call it in the order of the schedule.
  static FirstLast next(const FirstLastAction*& next, std::size_t pass) {
    return next->action == pass ? (next++)->flags : FirstLast();
  }

private:
  void add(llvm::ArrayRef<ir::ScheduledAction> schedule, std::uint64_t chunks, std::size_t first);
  void addLast(std::size_t ofList, std::size_t pass);

  std::vector<FirstLastAction> specials;
  std::vector<std::size_t> firstOf; ///< index into `specials` by schedule
};

} // namespace dpl::cost
