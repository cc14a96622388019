//===- ScheduleCandidates.cpp - The candidates of `schedule = auto` as text and JSON ----------===//
#include "backends/report/Format.h"
#include "backends/report/Report.h"
#include "backends/report/TextTable.h"
#include "ir/Arithmetic.h"
#include "ir/Names.h"
#include "support/Json.h"
#include "support/Text.h"
#include "llvm/ADT/MapVector.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;
using ir::CandidateOutcome;
using ir::ScheduleCandidate;

namespace {
const char* wordsOf(CandidateOutcome outcome) {
  switch (outcome) {
  case CandidateOutcome::Chosen:
    return "chosen";
  case CandidateOutcome::Slower:
    return "slower";
  case CandidateOutcome::BreaksAssert:
    return "breaks an assertion";
  case CandidateOutcome::NoHeadroom:
    return "leaves too little memory";
  case CandidateOutcome::NoMemory:
    return "does not fit";
  case CandidateOutcome::Illegal:
    return "not legal";
  case CandidateOutcome::Refused:
    return "not supported by the framework";
  }
  return "";
}

/// The best candidate of each schedule, ordered by outcome and then by step time.
std::vector<const ScheduleCandidate*> bestOfEach(const std::vector<ScheduleCandidate>& all) {
  const auto before = [](const ScheduleCandidate* a, const ScheduleCandidate* b) {
    return std::tie(a->outcome, a->step) < std::tie(b->outcome, b->step);
  };
  llvm::MapVector<std::uint64_t, const ScheduleCandidate*> best;
  for (const ScheduleCandidate& row : all)
    if (row.executed()) {
      const ScheduleCandidate*& of = best[static_cast<std::uint64_t>(row.schedule)];
      if (!of || before(&row, of))
        of = &row;
    }
  std::vector<const ScheduleCandidate*> rows;
  for (const auto& [schedule, row] : best)
    rows.push_back(row);
  std::stable_sort(rows.begin(), rows.end(), before);
  return rows;
}

/// A line about candidates that were left out: "not legal: a, b: because". Candidates with equal
/// reasons are grouped.
std::string leftOut(const std::vector<ScheduleCandidate>& all, unsigned width) {
  llvm::MapVector<llvm::StringRef, std::string> illegal;
  std::string refused;
  for (const ScheduleCandidate& row : all) {
    if (row.outcome != CandidateOutcome::Illegal && row.outcome != CandidateOutcome::Refused)
      continue;
    std::string& names = row.outcome == CandidateOutcome::Refused ? refused : illegal[row.reason];
    names += (names.empty() ? "" : ", ") + row.text();
  }
  std::string out;
  for (const auto& [reason, names] : illegal)
    out += listRow("", fmt::format("{}: {}: {}", wordsOf(CandidateOutcome::Illegal), names, reason),
                   2, width);
  if (!refused.empty())
    out +=
        listRow("", fmt::format("{}: {}", wordsOf(CandidateOutcome::Refused), refused), 2, width);
  return out;
}

/// A line about the peak of the chosen schedule with the allocator's free blocks. The table
/// excludes free blocks, because they are not computed for each schedule.
std::string freeBlocksText(const ir::Plan& plan, const ScheduleCandidate& found) {
  const ir::RankMemory* fullest = ir::tightest(plan.memory);
  if (found.outcome != CandidateOutcome::Chosen || !fullest || fullest->peak() == found.peak)
    return "";
  return fmt::format("; peak: without free blocks of the allocator; with them the chosen schedule "
                     "needs {}",
                     memory(ir::real(fullest->peak())));
}
} // namespace

std::string report::candidateLines(const ir::Plan& plan, unsigned width) {
  const std::vector<const ScheduleCandidate*> rows = bestOfEach(plan.scheduleCandidates);
  if (rows.empty())
    return "";
  const double chosen = ir::real(rows.front()->step);
  TextTable table({"schedule", "outcome", "step", "slower by", "peak", "in flight"}, 2);
  for (const ScheduleCandidate* row : rows) {
    const double slower = ir::real(row->step) / chosen - 1;
    table.row({row->text(), wordsOf(row->outcome), fromPicoseconds(row->step),
               slower == 0 ? "-" : percent(slower), memory(ir::real(row->peak)),
               fmt::format("{:.1f}", row->mostInFlight)});
  }
  const auto executed =
      std::count_if(plan.scheduleCandidates.begin(), plan.scheduleCandidates.end(),
                    [](const ScheduleCandidate& row) { return row.executed(); });
  return table.render(width) +
         listRow(
             "",
             fmt::format("the best variant of each schedule, of {} variants that were executed; in "
                         "flight: largest number of in-flight micro-batches{}",
                         executed, freeBlocksText(plan, *rows.front())),
             2, width) +
         leftOut(plan.scheduleCandidates, width);
}

Json report::candidatesJson(const ir::Plan& plan) {
  Json out = Json::array();
  for (const ScheduleCandidate& row : plan.scheduleCandidates) {
    Json one = {{"schedule", row.text()}, {"outcome", ir::name(row.outcome)}};
    if (row.executed()) {
      one["step_ps"] = row.step;
      one["peak_bytes"] = row.peak;
      one["usable_bytes"] = row.usable;
      one["micro_batches_in_flight"] = row.mostInFlight;
    }
    if (!row.reason.empty())
      one["reason"] = row.reason;
    out.push_back(std::move(one));
  }
  return out;
}
