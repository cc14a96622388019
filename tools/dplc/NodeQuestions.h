#pragma once
//===- NodeQuestions.h - A job's layouts for fewer and fewer nodes ----------------------------===//
#include "driver/search/NodeTable.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// The layouts of a job from its nodes down to `least`; nothing after a report. Relies on: `plan`
/// is complete.
std::optional<std::vector<search::NodeRow>> nodeRows(Session& session, const CompiledUnit& unit,
                                                     const ir::Plan& plan, std::uint64_t least,
                                                     unsigned jobs);

/// Answers `--near LAYOUT --min-nodes N`: prints the layouts, and writes each as a file into the
/// folder of `-o`.
void answerNodes(Session& session, const CompiledUnit& unit, const ir::Plan& plan,
                 const SearchCommandOptions& options);

} // namespace dpl::tool
