#pragma once
//===- ScheduleAnswers.h - The name of each schedule in a target ------------------------------===//
#include "ir/Layout.h"
#include <array>
#include <initializer_list>

namespace dpl {

constexpr const char* refuses = nullptr;

/// A target's name for schedules, given as rows of ir/Schedules.def; `refuses` if it cannot run
/// them.
struct ScheduleAnswer {
  const char* name;
  std::initializer_list<ir::ScheduleKind> rows;
};

/// Has no definition. If a table has no answer for a row, the compiler's error names this function
/// and the row.
template <ir::ScheduleKind row> void hasNoAnswer();

/// A table of answers for all rows. A new schedule compiles only if every target has an answer for
/// it.
class ScheduleAnswers {
public:
  constexpr ScheduleAnswers(std::initializer_list<ScheduleAnswer> answers) {
    std::array<bool, ir::scheduleCount> answered{};
    for (const ScheduleAnswer& answer : answers)
      for (const ir::ScheduleKind row : answer.rows) {
        answered[static_cast<std::size_t>(row)] = true;
        names[static_cast<std::size_t>(row)] = answer.name;
      }
#define SCHEDULE(ROW, NAME, PLACEMENT, CHUNKS)                                                     \
  if (!answered[static_cast<std::size_t>(ir::ScheduleKind::ROW)])                                  \
    hasNoAnswer<ir::ScheduleKind::ROW>();
#include "ir/Schedules.def"
  }
  const char* operator[](ir::ScheduleKind row) const {
    return names[static_cast<std::size_t>(row)];
  }

private:
  std::array<const char*, ir::scheduleCount> names{};
};

/// The answer for the schedule of a layout. Null means that the target refuses it, which the target
/// reports by its own rule.
inline const char* answerFor(const ScheduleAnswers& answers, const ir::Layout& layout) {
  return answers[layout.executedSchedule()];
}

} // namespace dpl
