#pragma once
//===- OpenChoices.h - Open fields that `mesh = auto` varies, and their values ----------------===//
#include "ir/Plan.h"
#include "planner/AutoSchedule.h"
#include <vector>

namespace dpl::planner {

/// One value for each field that a layout may leave open.
struct OpenChoice {
  ir::SplitKind split = ir::SplitKind::Even;
  ir::Recompute recompute;
  std::size_t recomputation = 0; ///< index among the recomputations of all choices
  /// Axes over which the state is sharded.
  ir::ShardAxis optimizer = ir::ShardAxis::None, gradients = ir::ShardAxis::None,
                parameters = ir::ShardAxis::None;
  ir::ScheduleKind schedule = ir::ScheduleKind::OneForwardOneBackward;
  std::uint64_t chunks = 1, inFlight = 0;
  std::size_t dealt = 0; ///< the first choice with the same schedule and split

  /// Makes a choice from the values that the layout has.
  explicit OpenChoice(const ir::Layout& layout);
  void write(ir::Layout& layout) const;
};

/// The recomputation of the layout and, if `recompute` is open, others in order of increasing cost:
/// those that save many bytes for little time come before recomputation of whole layers. Attention
/// scores are included only if they are written to memory.
std::vector<ir::Recompute> recomputations(const ir::Plan& plan);

/// Every combination of open fields that is legal for some degrees, the layout's own values first:
/// even splits and splits by FLOP, recomputations, ZeRO stages 0 to 3, and with `schedule = auto`
/// the rows of scheduleSpace with few numbers of chunks for which `runs` is true.
std::vector<OpenChoice> openChoices(const ir::Plan& plan, const SupportsSchedule& runs);

} // namespace dpl::planner
