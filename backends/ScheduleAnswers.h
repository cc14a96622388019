#pragma once
//===- ScheduleAnswers.h - The name of each schedule in a target ------------------------------===//
#include "ir/Layout.h"
#include <array>
#include <initializer_list>

namespace dpl {

constexpr const char* refuses = nullptr;

/// A target's name for rows of ir/Schedules.def, or `refuses` if it cannot run their orders.
struct ScheduleAnswer {
  const char* name;
  std::initializer_list<ir::ScheduleKind> rows;
};

/// No function: the compiler names it, with the row, if a table has no answer for the row.
template <ir::ScheduleKind row> void hasNoAnswer();

/// The answers for all rows. A new schedule does not compile until every target has an answer.
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

/// The answer for a layout; null is a refusal, which the target words by a rule of its own.
inline const char* answerFor(const ScheduleAnswers& answers, const ir::Layout& layout) {
  return answers[layout.executedSchedule()];
}

} // namespace dpl
