#pragma once
//===- AdviceOutput.h - The changes of a layout that gain most, as text and JSON --------------===//
#include "planner/Advice.h"
#include "support/Json.h"
#include "tools/dplc/Session.h"

namespace dpl::tool {

/// Number of changes that `--advice` and pages show.
constexpr std::size_t shownChanges = 5;
/// Limit of layer types for advice that nobody asked for: each changed plan has all of them, and
/// generated models can have very many.
constexpr std::size_t mostLayerTypesOfAdvice = 64;

/// The step time of a plan in seconds, as `dplc check` prints it.
double stepTimeOf(const ir::Plan& plan);

/// The changes of a layout in its file that gain most. Relies on: `plan` is a layout of the file
/// and complete, and may fail to fit.
planner::AdviceResult adviceFor(Session& session, const std::string& path, const ir::Plan& plan,
                                std::size_t keep);

/// A table of changes with their steps, and a line for each change, with the losses that it changes
/// and its note if that is not empty.
std::string changesText(const ir::Plan& plan, const planner::AdviceResult& advice,
                        llvm::function_ref<std::string(const ir::Plan&)> noteOf, unsigned width);
/// The object `settings` of a change of a plan, its reason, step and memory.
Json changeJson(const ir::Plan& plan, const planner::Advice& one);
/// The object `advice` of docs/schemas/common.json.
Json adviceJson(const ir::Plan& plan, const planner::AdviceResult& advice);

/// Prints `report --advice` as text or JSON.
void answerAdvice(Session& session, const ReportOptions& options, const ir::Plan& plan,
                  const CompiledUnit& unit);

} // namespace dpl::tool
