#pragma once
//===- SearchQuestions.h - Why not this layout, and which layouts are near it -----------------===//
#include "backends/report/SearchTable.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// The text of the file with a layout of the table in place of the search or layout, the best one
/// by default; empty if a field of another block cannot be set in it.
std::string fileWithBest(const CompiledUnit& unit, const report::SearchTable& table,
                         std::size_t index = 0);

/// Answers `--why-not LAYOUT`: what keeps a layout of the file from being the best of a search, and
/// how much slower it is. `table` is the result of the search, with a layout.
void answerWhyNot(Session& session, const CompiledUnit& unit, const report::SearchTable& table,
                  const SearchCommandOptions& options);

/// Answers `--near LAYOUT`: the single changes of a layout of the file that shorten its step and
/// load the checkpoints of its job.
int answerNear(Session& session, const SearchCommandOptions& options);

} // namespace dpl::tool
