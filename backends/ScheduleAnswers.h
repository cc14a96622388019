#pragma once
//===- ScheduleAnswers.h - What a target makes of each schedule -------------------------------===//
#include "ir/Layout.h"

namespace dpl {

/// What a target calls a row of ir/Schedules.def; `refuses` where it has nothing that runs in that
/// order. Of a type for each row, so that a compiler names the one that it finds no answer for.
constexpr const char* refuses = nullptr;
template <ir::ScheduleKind row> struct ScheduleAnswer {
  constexpr ScheduleAnswer(const char* calls) : name(calls) {} // NOLINT: a name is an answer
  const char* name;
};

/// An answer for each row, by its name in C++. A new row does not compile until every target has
/// given one.
struct ScheduleAnswers {
#define SCHEDULE(ROW, NAME, PLACEMENT, CHUNKS) ScheduleAnswer<ir::ScheduleKind::ROW> ROW;
#include "ir/Schedules.def"
};

/// The answers of a target that runs whatever a rank's schedule lists, in steps that end together.
constexpr const char* itsList = "its list";
constexpr ScheduleAnswers schedulesAsListed{.GPipe = itsList,
                                            .OneForwardOneBackward = itsList,
                                            .Interleaved = itsList,
                                            .EagerOneForwardOneBackward = itsList,
                                            .LoopedBreadthFirst = itsList,
                                            .ZeroBubbleH1 = itsList,
                                            .ZeroBubbleH2 = itsList,
                                            .ZeroBubble1p = itsList,
                                            .ZeroBubble2p = itsList,
                                            .ZeroBubbleAutomatic = itsList,
                                            .InterleavedZeroBubble = itsList,
                                            .ZeroBubbleV = itsList,
                                            .ZeroBubbleVTimed = itsList,
                                            .VHalf = itsList,
                                            .VMin = itsList,
                                            .DualPipeV = itsList,
                                            .DualPipe = itsList,
                                            .PipeDream = refuses,
                                            .Listed = itsList};

/// The answer for a layout; null is a refusal, which the target words by a rule of its own.
inline const char* answerFor(const ScheduleAnswers& answers, const ir::Layout& layout) {
  switch (layout.executedSchedule()) {
#define SCHEDULE(ROW, NAME, PLACEMENT, CHUNKS)                                                     \
  case ir::ScheduleKind::ROW:                                                                      \
    return answers.ROW.name;
#include "ir/Schedules.def"
  }
  return refuses;
}

} // namespace dpl
