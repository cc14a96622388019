#pragma once
//===- ListedActions.h - What stands in the lists of `schedule = custom` ----
//-------------------===//
//
// A list is operations between blanks or commas, each `F0`, `B0`, `I0`, `W0` or `R0`: the passes of
// a micro-batch, with the stage before it, `2F0`, where a rank has several. `R0` recomputes in
// advance of `B0` or `I0`; lists have all recomputations or none.
#include "ir/Plan.h"
#include <optional>

namespace dpl::ir {

/// `F`, `B`, `I`, `W` or `R`; nothing for what is no pass.
std::optional<char> letterOf(ActionKind kind);

/// A part of a list's text: bytes.
struct ScheduleTextRange {
  std::uint32_t begin = 0, end = 0;
};

/// The first thing that is wrong with a list.
struct ScheduleProblem {
  enum class ScheduleProblemKind : std::uint8_t {
    NoAction,     ///< `what` is no operation; `stage` is one of the rank
    OtherRank,    ///< stage `stage` of `what` is on rank `owner`, on none where that is empty
    Twice,        ///< `what` gives what `other` gives
    NotRequested, ///< `what` recomputes in advance, which the layout does not ask for
    TooEarly,     ///< `what` needs `other`, which does not stand before it
    Missing       ///< `what` stands nowhere; `other`, of the highest micro-batch, needs it
  } kind = ScheduleProblemKind::NoAction;
  std::uint64_t rank = 0, microBatches = 0; ///< that the list should have
  std::string what, other;
  ScheduleTextRange
      at; ///< of what is wrong; the whole list where something is missing, `other` if known
  std::optional<ScheduleTextRange> earlier; ///< where `other` stands, for Twice
  std::uint64_t stage = 0;
  std::optional<std::uint64_t> owner;
};

/// One problem a list at most; none where each rank has each pass of its chunks once, for the
/// micro-batches 0 to the highest of all lists, behind what it needs on its rank. With `inAdvance`
/// recomputations may be among the passes.
std::vector<ScheduleProblem> problemsOf(const CustomSchedule& lists, std::uint64_t chunks,
                                        bool inAdvance);

/// Micro-batches of the lists: one more than the highest number.
std::uint64_t microBatchesOf(const CustomSchedule& lists);

/// The path under which Layout::ranges has the text of a list, where it is a string of the file.
std::string rangeOfRankSchedule(std::uint64_t rank);

/// Where a pass stands in the list of a rank.
std::optional<ScheduleTextRange> textRangeOf(const CustomSchedule& lists, std::uint64_t chunks,
                                             std::uint64_t rank, const ScheduledAction& action);

/// Appends the passes of a rank, of a list without a problem.
void appendActions(const CustomSchedule& lists, std::uint64_t chunks, std::uint64_t rank,
                   std::vector<ScheduledAction>& out);

} // namespace dpl::ir
