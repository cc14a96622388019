#pragma once
//===- ScheduleAnswers.h - What a target makes of each schedule -------------------------------===//
#include "ir/Layout.h"
#include <array>

namespace dpl {

/// What a target calls each row of ir/Schedules.def, in its order; `refuses` where it has nothing
/// that runs in that order. A new row does not compile until every target has said one or the
/// other.
constexpr const char* refuses = nullptr;
template <class... Names> constexpr auto scheduleAnswers(Names... names) {
  static_assert(sizeof...(Names) == ir::scheduleCount,
                "an answer for each row of ir/Schedules.def, at the place of the row");
  return std::array<const char*, sizeof...(Names)>{names...};
}

/// The answer for a layout; null is a refusal, which the target words by a rule of its own.
template <class Answers> const char* answerFor(const Answers& answers, const ir::Layout& layout) {
  return answers[static_cast<std::size_t>(layout.runsAs())];
}

} // namespace dpl
