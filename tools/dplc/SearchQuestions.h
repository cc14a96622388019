#pragma once
//===- SearchQuestions.h - Why not this layout, and which layouts are near it -----------------===//
#include "backends/report/SearchTable.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// The text of the file with a layout of the table in place of the search or layout, the best one
/// by default; empty if a field of another block cannot be set in it.
std::string fileWithBest(const CompiledUnit& unit, const report::SearchTable& table,
                         std::size_t index = 0);

/// Answers `--why-not LAYOUT`: why a layout of the file is not the best of a search, and how much
/// slower it is. `table` is the result of the search and has at least one layout.
void answerWhyNot(Session& session, const CompiledUnit& unit, const report::SearchTable& table,
                  const SearchCommandOptions& options);

/// Answers `--near LAYOUT`: lists the single changes of a layout that shorten its step and with
/// which its job can still load its checkpoints.
int answerNear(Session& session, const SearchCommandOptions& options);

} // namespace dpl::tool
