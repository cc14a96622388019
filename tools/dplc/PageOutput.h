#pragma once
//===- PageOutput.h - The pages of `--html` ---------------------------------------------------===//
#include "backends/report/Memory.h"
#include "backends/report/Page.h"
#include "backends/report/SearchTable.h"
#include "tools/dplc/Session.h"
#include <optional>

namespace dpl::tool {

/// The width of texts on a page, which does not depend on the terminal.
constexpr unsigned widthOfPages = 100;

/// The changes of a plan that `report --memory` shows: those after which it fits, or the largest
/// after which it still fits.
report::TriedChanges triedChanges(const ir::Plan& plan);

/// The title of a page: "dense of plan.dpl", for a layout, search or study and the path of its
/// file.
std::string titleOf(llvm::StringRef name, llvm::StringRef file);

/// A page of a command with the texts of its files and its messages so far.
report::PageContent pageOf(Session& session, const char* kind, std::string title);

/// Adds a layout to a page: its timeline, memory, links, operators and advice. Its report becomes
/// the answer of a page of `report`, and a part of the layout on other pages. `unit` is null if no
/// file has the layout; then nothing is said about places and changes. `layouts` is the number of
/// layouts that the page will have. Relies on: a complete plan, which may fail to fit or break an
/// assertion.
void addLayout(Session& session, report::PageContent& page, const ir::Plan& plan,
               const CompiledUnit* unit, std::size_t layouts = 1);

/// The best layout of a search, complete; empty if the file cannot have it.
std::optional<ir::Plan> bestPlan(const Session& session, const CompiledUnit& unit,
                                 const report::SearchTable& table);

/// Writes a page. Returns the text to print: "wrote FILE", or the page itself if the path is
/// standard output.
std::string writePage(Session& session, const std::string& path, report::PageContent page);

} // namespace dpl::tool
