#pragma once
//===- OpenChoices.h - The fields that `mesh = auto` varies besides the degrees ---------------===//
#include "ir/Plan.h"
#include "planner/AutoSchedule.h"
#include <vector>

namespace dpl::planner {

/// A value of each field that a layout may leave open.
struct OpenChoice {
  ir::SplitKind split = ir::SplitKind::Even;
  ir::Recompute recompute;
  std::size_t recomputation = 0; ///< which of the recomputations of all choices
  ir::ShardAxis optimizer = ir::ShardAxis::None, gradients = ir::ShardAxis::None,
                parameters = ir::ShardAxis::None; ///< axes that the state is divided over
  ir::ScheduleKind schedule = ir::ScheduleKind::OneForwardOneBackward;
  std::uint64_t chunks = 1, inFlight = 0;
  std::size_t dealt = 0; ///< the first choice with its schedule and split

  /// As the layout has them.
  explicit OpenChoice(const ir::Layout& layout);
  void write(ir::Layout& layout) const;
};

/// Every combination of what the layout leaves open that some degrees may make legal, the layout's
/// own values first: splits that are even and by FLOP, recomputations, ZeRO stages 0 to 3, and with
/// `schedule = auto` the rows of scheduleSpace with few numbers of chunks that `runs`.
std::vector<OpenChoice> openChoices(const ir::Plan& plan, const RunsSchedule& runs);

} // namespace dpl::planner
