//===- Weighed.cpp - What `schedule = auto` chose from, for people and scripts --------------===//
#include "backends/report/Format.h"
#include "backends/report/Report.h"
#include "backends/report/Table.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "support/Json.h"
#include "support/Text.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;
using ir::Outcome;
using ir::WeighedSchedule;

namespace {
const char* wordsOf(Outcome outcome) {
  switch (outcome) {
  case Outcome::Chosen:
    return "chosen";
  case Outcome::Slower:
    return "slower";
  case Outcome::BreaksAssert:
    return "breaks an assertion";
  case Outcome::NoHeadroom:
    return "leaves too little memory";
  case Outcome::NoMemory:
    return "does not fit";
  case Outcome::Illegal:
    return "not legal";
  case Outcome::Refused:
    return "not run by the framework";
  }
  return "";
}

/// The best of each schedule, by outcome and step.
std::vector<const WeighedSchedule*> bestOfEach(const std::vector<WeighedSchedule>& all) {
  const auto before = [](const WeighedSchedule* a, const WeighedSchedule* b) {
    return std::tie(a->outcome, a->step) < std::tie(b->outcome, b->step);
  };
  llvm::MapVector<std::uint64_t, const WeighedSchedule*> best;
  for (const WeighedSchedule& row : all)
    if (row.executed()) {
      const WeighedSchedule*& of = best[static_cast<std::uint64_t>(row.schedule)];
      if (!of || before(&row, of))
        of = &row;
    }
  std::vector<const WeighedSchedule*> rows;
  for (const auto& [schedule, row] : best)
    rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), before);
  return rows;
}

/// "not legal: a, b: because"; those of one reason together.
std::string leftOut(const std::vector<WeighedSchedule>& all, unsigned width) {
  llvm::MapVector<llvm::StringRef, std::string> illegal;
  std::string refused;
  for (const WeighedSchedule& row : all) {
    if (row.outcome != Outcome::Illegal && row.outcome != Outcome::Refused)
      continue;
    std::string& names = row.outcome == Outcome::Refused ? refused : illegal[row.reason];
    names += (names.empty() ? "" : ", ") + row.text();
  }
  std::string out;
  for (const auto& [reason, names] : illegal)
    out +=
        listRow("", fmt::format("{}: {}: {}", wordsOf(Outcome::Illegal), names, reason), 2, width);
  if (!refused.empty())
    out += listRow("", fmt::format("{}: {}", wordsOf(Outcome::Refused), refused), 2, width);
  return out;
}

/// The peak of the schedule found, if free blocks of the allocator make it larger than the table
/// says: they are not worked out of each schedule.
std::string freeBlocksText(const ir::Plan& plan, const WeighedSchedule& found) {
  const ir::RankMemory* fullest = ir::tightest(plan.memory);
  if (found.outcome != Outcome::Chosen || !fullest || fullest->peak() == found.peak)
    return "";
  return fmt::format("; peak: without free blocks of the allocator, with them that of the chosen "
                     "one is {}",
                     memory(ir::real(fullest->peak())));
}
} // namespace

std::string report::weighedLines(const ir::Plan& plan, unsigned width) {
  const std::vector<const WeighedSchedule*> rows = bestOfEach(plan.weighed);
  if (rows.empty())
    return "";
  const double chosen = ir::real(rows.front()->step);
  Table table({"schedule", "outcome", "step", "slower by", "peak", "held"}, 2);
  for (const WeighedSchedule* row : rows) {
    const double slower = ir::real(row->step) / chosen - 1;
    table.row({row->text(), wordsOf(row->outcome), fromPicoseconds(row->step),
               slower == 0 ? "-" : percent(slower), memory(ir::real(row->peak)),
               fmt::format("{:.1f}", row->held)});
  }
  const auto executed = std::count_if(plan.weighed.begin(), plan.weighed.end(),
                                      [](const WeighedSchedule& row) { return row.executed(); });
  return table.render(width) +
         listRow("",
                 fmt::format("the best of each of {} that were executed with other chunks and "
                             "limits; held: micro-batches that a rank holds at most{}",
                             executed, freeBlocksText(plan, *rows.front())),
                 2, width) +
         leftOut(plan.weighed, width);
}

Json report::weighedJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (const WeighedSchedule& row : plan.weighed) {
    Json one = {{"schedule", row.text()}, {"outcome", ir::name(row.outcome)}};
    if (row.executed()) {
      one["step_ps"] = row.step;
      one["peak_bytes"] = row.peak;
      one["usable_bytes"] = row.usable;
      one["micro_batches_in_flight"] = row.held;
    }
    if (!row.reason.empty())
      one["reason"] = row.reason;
    out.push_back(std::move(one));
  }
  return out;
}
