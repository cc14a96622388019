//===- LayoutAdvice.cpp - Changes of a layout that gain most, tried in its file ---------------===//
#include "driver/search/LayoutAdvice.h"
#include "backends/ChangedPlans.h"
#include "backends/Target.h"
using namespace dpl;

namespace {
/// Limit on the changed files in which `mesh = auto` is searched.
constexpr unsigned mostSearched = 4;

/// Whether the program that trains a plan also trains a changed plan.
class ProgramCheck {
public:
  explicit ProgramCheck(const ir::Plan& plan) : plan(plan), accepts(acceptsOf(plan)) {}

  bool operator()(const ir::Plan& changed) {
    if (accepts)
      return accepts(changed);
    if (!programs)
      programs = frameworksThatAccept(plan);
    return programs->empty() || llvm::any_of(frameworksThatAccept(changed), [&](const auto& name) {
             return llvm::is_contained(*programs, name);
           });
  }

private:
  const ir::Plan& plan;
  std::function<bool(const ir::Plan&)> accepts;     ///< whether the framework accepts a plan; empty
                                                    ///< if the plan names no framework
  std::optional<std::vector<std::string>> programs; ///< targets that accept the unchanged plan, if
                                                    ///< the plan names no framework
};
} // namespace

std::optional<ir::Plan> search::planWith(const LayoutFile& file, const std::string& layout,
                                         llvm::ArrayRef<planner::FieldSetting> settings) {
  std::vector<Override> overrides = file.overrides;
  for (const planner::FieldSetting& setting : settings)
    overrides.push_back({fmt::format("{}.{}", layout, setting.path), setting.value, "advice", {}});
  DiagnosticEngine diags;
  const std::unique_ptr<CompiledUnit> unit =
      file.workspace.compile(file.path, diags, std::move(overrides), false, false, layout);
  if (unit->file.failed())
    return std::nullopt;
  for (ir::Plan& plan : unit->file->plans)
    if (plan.layout.name == layout && !checkRelease(plan, diags).failed() &&
        Workspace::complete(plan, diags, withoutAdvice(), runsOf(plan), refusalsOf(plan))
            .succeeded())
      return std::move(plan);
  return std::nullopt;
}

planner::AdviceResult search::adviceOn(const ir::Plan& plan, const LayoutFile& file,
                                       const AdviceOptions& options) {
  planner::AdviceRequest request;
  request.keep = options.keep, request.mostCompiled = options.mostCompiled;
  if (plan.mesh.found) // each changed file searches a mesh
    request.mostCompiled = std::min(request.mostCompiled, mostSearched);
  request.runs = runsOf(plan);
  ProgramCheck accepts(plan);
  request.complete = [&](const planner::LayoutChange& change) -> std::optional<ir::Plan> {
    std::optional<ir::Plan> changed = planWith(file, plan.layout.name, change.settings);
    const bool good = changed && (!options.wanted || options.wanted(*changed)) && accepts(*changed);
    return good ? std::move(changed) : std::nullopt;
  };
  return planner::adviceOn(plan, request);
}
