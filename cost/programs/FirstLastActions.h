#pragma once
//===- FirstLastActions.h - Which passes are the first or the last of their chunk
//--------------===//
#include "cost/programs/ProgramTime.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace dpl::cost {

/// The passes of lists that are the first or the last of their chunk to make what they make: there
/// are few, and all others are ordinary. Input gradients come from whole backwards and from those
/// of the input, weight gradients from whole ones and from those of the weights; a pass that makes
/// both is the first with the input's, the last with the weights'.
class FirstLastActions {
public:
  /// A pass by its number among those of all lists, one behind the other.
  struct FirstLastAction {
    std::size_t action = 0;
    FirstLast flags;
  };
  void assign(llvm::ArrayRef<llvm::ArrayRef<ir::ScheduledAction>> schedules, std::uint64_t chunks);
  /// In the order of its list; behind them comes one of a later pass than it has.
  const FirstLastAction* of(std::size_t rank) const { return specials.data() + firstOf[rank]; }
  /// The turn of a pass, where passes are asked for in the order of the list.
  static FirstLast next(const FirstLastAction*& next, std::size_t pass) {
    return next->action == pass ? (next++)->flags : FirstLast();
  }

private:
  void add(llvm::ArrayRef<ir::ScheduledAction> schedule, std::uint64_t chunks, std::size_t first);
  void addLast(std::size_t ofList, std::size_t pass);

  std::vector<FirstLastAction> specials;
  std::vector<std::size_t> firstOf; ///< by list
};

} // namespace dpl::cost
