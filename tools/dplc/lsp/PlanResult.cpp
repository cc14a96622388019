//===- PlanResult.cpp - What the passes find about one plan, without the plan -----------------===//
#include "tools/dplc/lsp/PlanResult.h"
#include "ir/BatchUnit.h"
#include "ir/InputKey.h"
#include "ir/MeshText.h"
#include "ir/Names.h"
#include "passes/PhasesOfRuns.h"
#include "tools/dplc/Targets.h"
#include "llvm/ADT/STLExtras.h"
#include <limits>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The most actions of a step that are executed while the user waits.
constexpr std::uint64_t mostActionsAtOnce = 200'000;

/// What a search found for a field of the layout that is `auto`; empty for other fields.
std::string foundFor(const ir::Plan& plan, llvm::StringRef field) {
  const ir::Layout& layout = plan.layout;
  if (field == "mesh" && plan.mesh.found) {
    const std::string mesh = ir::meshText(plan);
    return llvm::StringRef(mesh).drop_until([](char c) { return c == '{'; }).str();
  }
  if (field == "micro_batch")
    return fmt::format("{}{}", layout.microBatch, ir::suffixOf(layout.batchUnit));
  if (field == "gradient_bucket_size")
    return layout.gradientBucket > 0 ? fmt::format("{}MiB", layout.gradientBucket >> 20) : "none";
  if (field != "schedule")
    return "";
  const auto row = llvm::find_if(plan.scheduleCandidates, [](const ir::ScheduleCandidate& one) {
    return one.outcome == ir::CandidateOutcome::Chosen;
  });
  return row == plan.scheduleCandidates.end() ? ir::name(layout.schedule) : row->text();
}

/// The values of the fields for which the file says `rest` or `auto`.
std::vector<ChosenValue> chosenValues(const ir::Plan& plan, const CompiledUnit& unit,
                                      const SourceManager& sources) {
  std::vector<ChosenValue> chosen;
  std::vector<std::pair<std::string, SourceRange>> open;
  for (const auto& [path, range] : plan.layout.ranges) {
    llvm::StringRef field = path;
    const llvm::StringRef written = range.valid() ? sources.text(range) : "";
    if (!field.consume_back("=") || (written != "rest" && written != "auto"))
      continue;
    const auto named = llvm::find_if(plan.mesh.axes, [&](const ir::MeshAxis& one) {
      return field == "mesh." + std::string(ir::name(one.axis));
    });
    if (written == "rest" && named != plan.mesh.axes.end())
      chosen.push_back({range, std::to_string(named->size)});
    else if (const std::string found = foundFor(plan, field); !found.empty())
      chosen.push_back({range, found});
    else
      open.emplace_back("layout." + field.str(), range);
  }
  if (open.empty())
    return chosen;
  for (const WrittenField& written : unit.fieldsOf(plan))
    for (const auto& [path, range] : open)
      if (written.path == path && written.value != sources.text(range))
        chosen.push_back({range, written.value});
  return chosen;
}

std::optional<PlanSummary> summaryOf(const ir::Plan& plan) {
  if (plan.memory.empty() || !plan.step)
    return std::nullopt;
  const figures::Figures figures(plan, {}, figures::Depth::Values);
  const std::optional<double> step = figures.value("step_time"), mfu = figures.value("mfu"),
                              memory = figures.value("memory.peak");
  if (!step || !memory)
    return std::nullopt;
  return PlanSummary{*step, mfu.value_or(0), *memory};
}
} // namespace

std::map<std::string, double> tool::figuresOf(const ir::Plan& plan) {
  std::map<std::string, double> values;
  if (plan.memory.empty())
    return values;
  const figures::Figures figures(plan);
  for (const figures::Figure* figure : figures.all())
    values.emplace(figure->path, figure->value);
  return values;
}

bool tool::isSlow(const ir::Plan& plan) {
  const ir::Layout& layout = plan.layout;
  if (layout.mesh.automatic || layout.scheduleAutomatic || layout.microBatchAutomatic ||
      layout.bucketAutomatic || layout.split == ir::SplitKind::Balanced)
    return true;
  // Ranks of the pipeline times micro-batches; fewer if `rest` becomes a larger data degree.
  std::uint64_t ranks = 1, replicas = 1;
  for (const ir::AxisRequest& axis : layout.mesh.axes)
    if (axis.axis == ir::Axis::Pipeline)
      ranks = std::max<std::uint64_t>(1, axis.size);
    else if (axis.axis == ir::Axis::Data || axis.axis == ir::Axis::Replica)
      replicas *= std::max<std::uint64_t>(1, axis.size);
  const std::uint64_t samples = std::max<std::uint64_t>(1, layout.microBatch) * replicas;
  const double actions = 2.0 * static_cast<double>(ranks) *
                         static_cast<double>(std::max<std::uint64_t>(1, layout.chunks)) *
                         static_cast<double>(layout.batch / samples + 1);
  return actions > static_cast<double>(mostActionsAtOnce) ||
         actionsOfPhases(plan) > mostActionsAtOnce;
}

std::vector<SourceRange> tool::rangesOf(const ir::Plan& plan) {
  std::vector<SourceRange> ranges;
  ranges.reserve(plan.layout.ranges.size() + 16);
  ir::visitRanges(plan, [&](SourceRange range) { ranges.push_back(range); });
  return ranges;
}

PlanResult tool::resultOf(ir::Plan& plan, const CompiledUnit& unit, const SourceManager& sources,
                          bool advise) {
  PlanResult out;
  out.ranges = rangesOf(plan);
  DiagnosticEngine diags;
  diags.limit = std::numeric_limits<unsigned>::max(); // the limit of the file applies later
  std::size_t taken = 0;
  const auto endPhase = [&] {
    out.phases.push_back(diags.diagnostics().drop_front(taken).vec());
    taken = diags.diagnostics().size();
  };
  PipelineOptions options;
  options.advise = advise;
  options.after = [&](llvm::StringRef, double, const ir::Plan&) { endPhase(); };
  const bool released = checkRelease(plan, diags).succeeded();
  bool good = false;
  if (released) {
    good = complete(diags, plan, options);
    endPhase();
  }
  out.judged = good || !plan.memory.empty();
  if (out.judged) {
    out.shares = sharesOf(plan);
    for (const ir::RankSchedule& rank : plan.schedule)
      out.actions += rank.actions.size();
    out.actionsOfRuns = actionsOfPhases(plan);
    warnOfFramework(diags, plan, {});
    out.summary = summaryOf(plan);
    out.chosen = chosenValues(plan, unit, sources);
  }
  out.failed = diags.errors() > 0;
  out.openPhase = diags.diagnostics().drop_front(taken).vec();
  return out;
}
