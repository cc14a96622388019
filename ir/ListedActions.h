#pragma once
//===- ListedActions.h - Parser of the actions in `schedule = custom` -------------------------===//
//
// A schedule is a list of actions separated by blanks or commas: `F0`, `B0`, `I0`, `W0` or `R0` for
// a micro-batch, or `2F0` with the stage if ranks have several stages. `R0` recomputes in advance
// of `B0` or `I0`. Schedules have all recomputations or none.
#include "ir/Plan.h"
#include <optional>

namespace dpl::ir {

/// `F`, `B`, `I`, `W` or `R`; nothing if it is not an action of a chunk.
std::optional<char> letterOf(ActionKind kind);

/// A range of bytes in a schedule's text.
struct ScheduleTextRange {
  std::uint32_t begin = 0, end = 0;
};

/// The first error in a schedule.
struct ScheduleProblem {
  enum class ScheduleProblemKind : std::uint8_t {
    NoAction,     ///< `what` is not an action; `stage` is one of the rank's stages
    OtherRank,    ///< stage `stage` of `what` is on rank `owner`; empty if it is on none
    Twice,        ///< `what` has the same result as `other`
    NotRequested, ///< `what` recomputes in advance, but the layout does not ask for it
    TooEarly,     ///< `what` needs `other`, which does not precede it
    Missing       ///< `what` is missing; `other`, of the highest micro-batch, needs it
  } kind = ScheduleProblemKind::NoAction;
  /// Rank, and micro-batches that its schedule should have.
  std::uint64_t rank = 0, microBatches = 0;
  std::string what, other;
  ScheduleTextRange
      /// Location of the error; if an action is missing, that of `other` if known, otherwise the
      /// whole text.
      at;
  std::optional<ScheduleTextRange> earlier; ///< location of `other`, for Twice
  std::uint64_t stage = 0;
  std::optional<std::uint64_t> owner;
};

/// Returns at most one problem per schedule, and none if each rank has each action of its chunks
/// once, for micro-batches 0 to the highest one, after the actions that it needs on its rank. With
/// `inAdvance` schedules may contain recomputations.
std::vector<ScheduleProblem> problemsOf(const CustomSchedule& lists, std::uint64_t chunks,
                                        bool inAdvance);

/// Micro-batches of the schedules: the highest number plus one.
std::uint64_t microBatchesOf(const CustomSchedule& lists);

/// The path of a schedule's text in Layout::ranges, if it is a string of the file.
std::string rangeOfRankSchedule(std::uint64_t rank);

/// The location of an action in the schedule of a rank.
std::optional<ScheduleTextRange> textRangeOf(const CustomSchedule& lists, std::uint64_t chunks,
                                             std::uint64_t rank, const ScheduledAction& action);

/// Appends the actions of a rank from a schedule without problems.
void appendActions(const CustomSchedule& lists, std::uint64_t chunks, std::uint64_t rank,
                   std::vector<ScheduledAction>& out);

} // namespace dpl::ir
