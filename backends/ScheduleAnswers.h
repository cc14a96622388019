#pragma once
//===- ScheduleAnswers.h - The name of each schedule in a target ------------------------------===//
#include "ir/Layout.h"

namespace dpl {

/// The target's name for a row of ir/Schedules.def, or `refuses` if it cannot run that order. Each
/// row has its own type, so that the compiler names a missing answer.
constexpr const char* refuses = nullptr;
template <ir::ScheduleKind row> struct ScheduleAnswer {
  constexpr ScheduleAnswer(const char* calls) : name(calls) {} // NOLINT: names convert
  const char* name;
};

/// The answers for all rows, by their C++ names. A new schedule does not compile until every target
/// has an answer.
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
