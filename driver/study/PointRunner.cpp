//===- PointRunner.cpp - Compiles and simulates one point of a study --------------------------===//
#include "driver/study/PointRunner.h"
#include "backends/ChangedPlans.h"
#include "backends/Target.h"
#include "driver/study/Candidate.h"
#include "driver/study/Measures.h"
#include "driver/study/RowValues.h"
#include "ir/RowFunctions.h"
#include "support/Text.h"
#include "support/diagnostics/Cost.h"
#include "support/diagnostics/Study.h"
#include <cmath>
using namespace dpl;
using namespace dpl::study;

namespace {
template <class Is> std::vector<ir::Plan*> plansThat(CompiledFile& file, Is is) {
  std::vector<ir::Plan*> out;
  for (std::vector<ir::Plan>* plans : {&file.plans, &file.launched})
    for (ir::Plan& plan : *plans)
      if (is(plan))
        out.push_back(&plan);
  return out;
}

std::string whyUnknown(const ir::Verdict& verdict, const Measures& measures) {
  return verdict.error.empty() ? measures.whyMissing(verdict.missing) : verdict.error;
}
} // namespace

std::vector<ir::Plan*> study::plansOfStudy(CompiledFile& file, llvm::StringRef study) {
  return plansThat(file, [&](const ir::Plan& plan) {
    return llvm::any_of(plan.spaces, [&](const ir::Space& space) {
      return space.kind == ir::SpaceKind::Study && space.name == study;
    });
  });
}

ir::Plan* study::planOfLayout(CompiledFile& file, llvm::StringRef layout) {
  const std::vector<ir::Plan*> plans =
      plansThat(file, [&](const ir::Plan& plan) { return plan.layout.name == layout; });
  return plans.empty() ? nullptr : plans.front();
}

std::uint64_t study::dataRanksOf(ir::Plan plan) {
  DiagnosticEngine silent;
  return runThrough(plan, silent, "resolve-mesh").succeeded() ? plan.mesh.dataRanks() : 0;
}

std::vector<Override> PointRunner::settingsOf(llvm::ArrayRef<std::uint64_t> chosen) const {
  std::vector<Override> settings;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    settings.push_back({space.open[i].path, space.open[i].at(chosen[i]), "study", {}});
  settings.insert(settings.end(), request.overrides.begin(), request.overrides.end());
  return settings;
}

PointRunner::PointRunner(const StudyRequest& request, const ir::Space& space, BatchScaling held)
    : request(request), space(space), figures(figuresOverRows(space)), points(space),
      batchScaling(held) {}

void StudyPoint::judge(const std::string& assertion, const ir::Verdict& verdict,
                       const std::string& why) {
  if (!why.empty())
    unknown[assertion] = why;
  if (!why.empty() || !verdict.holds)
    broken.push_back(assertion);
  if (why.empty() && !verdict.holds)
    diagrams[assertion] = verdict.diagram;
}

std::unique_ptr<CompiledUnit> PointRunner::compile(llvm::ArrayRef<std::uint64_t> chosen,
                                                   DiagnosticEngine& diags,
                                                   const std::string& batch) {
  if (!workspace || ++compiled == mostOfOneWorkspace) {
    workspace = std::make_unique<Workspace>();
    compiled = 0;
    if (request.text)
      workspace->overlay(request.path, *request.text);
  }
  std::vector<Override> settings = settingsOf(chosen);
  if (!batch.empty())
    settings.push_back({request.layout + ".batch", batch, "scaling", {}});
  return workspace->compilePoint(request.path, diags, std::move(settings), request.layout);
}

std::optional<std::uint64_t> PointRunner::statedBatch(llvm::ArrayRef<std::uint64_t> chosen) {
  DiagnosticEngine silent;
  const std::unique_ptr<CompiledUnit> unit = compile(chosen, silent);
  const ir::Plan* plan = unit->file.failed() ? nullptr : planOfLayout(*unit->file, request.layout);
  return plan ? std::optional(plan->layout.batch) : std::nullopt;
}

std::string PointRunner::scaleBatch(llvm::ArrayRef<std::uint64_t> chosen,
                                    std::unique_ptr<CompiledUnit>& unit, ir::Plan*& plan,
                                    DiagnosticEngine& diags) {
  const std::uint64_t ranks = dataRanksOf(*plan), batch = plan->layout.batch;
  if (batchScaling.batch > 0 && batch != batchScaling.batch) {
    (void)diags.report<diag::BatchScaledTwice>({}, plan->layout.name, space.name);
    return diags.firstError();
  }
  if (ranks == 0 || batch * ranks % batchScaling.ranks != 0)
    return fmt::format("`scaling = fixed_per_worker_batch` needs a whole batch: {} for {} "
                       "scales to a fraction for {}",
                       batch, plural(batchScaling.ranks, "data rank"), ranks);
  const std::uint64_t scaled = batch * ranks / batchScaling.ranks;
  if (plan->runs.empty() || scaled == batch) {
    plan->layout.batch = scaled;
    return "";
  }
  // The front end computes the steps of the phases that have no batch of their own.
  const char* const sequences =
      plan->layout.batchUnit == ir::BatchUnitKind::Samples ? "sample" : "seq";
  unit = compile(chosen, diags, fmt::format("{}{}", scaled, sequences));
  plan = unit->file.failed() ? nullptr : planOfLayout(*unit->file, request.layout);
  return plan ? "" : diags.firstError();
}

ir::Plan* PointRunner::complete(llvm::ArrayRef<std::uint64_t> chosen,
                                std::unique_ptr<CompiledUnit>& unit, DiagnosticEngine& diags,
                                std::string& refused) {
  unit = compile(chosen, diags);
  // Errors in other layouts are ignored.
  ir::Plan* plan = unit->file.failed() ? nullptr : planOfLayout(*unit->file, request.layout);
  if (!plan) {
    refused = diags.firstError();
    return nullptr;
  }
  if (batchScaling.ranks > 0) {
    refused = scaleBatch(chosen, unit, plan, diags);
    if (!refused.empty())
      return nullptr;
  }
  if (checkRelease(*plan, diags).failed() ||
      Workspace::complete(*plan, diags, withoutAdvice(), runsOf(*plan), refusalsOf(*plan)).failed())
    refused = diags.firstError();
  else // A point does not run if the target of the layout's framework refuses it.
    refused = whyRefused(*plan);
  return plan;
}

bool PointRunner::withPlan(
    std::uint64_t number,
    llvm::function_ref<void(const ir::Plan&, const figures::FieldLocator&)> use) {
  DiagnosticEngine silent;
  std::unique_ptr<CompiledUnit> unit;
  std::string refused;
  const ir::Plan* plan = complete(points.at(number), unit, silent, refused);
  if (!plan || !refused.empty())
    return false;
  use(*plan, [&](const std::string& field) {
    return workspace->sources().describe(unit->placeOf(*plan, field));
  });
  return true;
}

StudyPoint PointRunner::run(std::uint64_t number, unsigned threads) {
  StudyPoint out;
  out.number = number;
  out.values.assign(space.outputs.size(), std::nan(""));
  const std::vector<std::uint64_t> chosen = points.at(number);
  DiagnosticEngine diags;
  std::unique_ptr<CompiledUnit> unit;
  const ir::Plan* plan = complete(chosen, unit, diags, out.refused);
  if (!plan)
    return out;
  if (!out.ran()) {
    // A plan that does not fit has memory figures, which are still reported.
    if (llvm::StringRef(out.refused).startswith(diag::OutOfMemory::info.code)) {
      const figures::Figures known(*plan, {}, figures::Depth::Values);
      for (std::size_t i = 0; i < space.outputs.size(); ++i)
        if (llvm::StringRef(space.outputs[i]).startswith("memory."))
          out.values[i] = known.value(space.outputs[i]).value_or(out.values[i]);
    }
    return out;
  }
  measure(*plan, chosen, threads, out);
  return out;
}

void PointRunner::measure(const ir::Plan& plan, llvm::ArrayRef<std::uint64_t> chosen,
                          unsigned threads, StudyPoint& out) const {
  Measures measures(plan, space, threads);
  const auto found = [&](const std::string& path) -> std::optional<ir::ResultValue> {
    for (std::size_t i = 0; i < chosen.size(); ++i)
      if (space.open[i].path == path)
        return valueOfCandidate(space.open[i], chosen[i]);
    return measures.result(path);
  };
  for (std::size_t i = 0; i < space.outputs.size(); ++i) {
    const std::string& output = space.outputs[i];
    const ir::DerivedOutput* derived = space.derivedNamed(output);
    if (derived && ir::readsRows(derived->value))
      continue; // these are evaluated when all points have run
    const std::optional<ir::ResultValue> figure = derived ? std::nullopt : measures.result(output);
    if (const std::optional<double> value = derived  ? valueOf(*derived, found)
                                            : figure ? std::optional(figure->value)
                                                     : std::nullopt)
      out.values[i] = *value;
    else
      out.unknown[output] = derived ? whyUnknown(ir::evaluate(derived->value, found), measures)
                                    : measures.whyMissing(output);
  }
  for (const ir::Assertion& constraint : space.constraints) {
    if (ir::readsRows(constraint))
      continue;
    const ir::Verdict verdict = ir::evaluate(constraint, found);
    out.judge(constraint.source, verdict,
              verdict.known && verdict.error.empty() ? "" : whyUnknown(verdict, measures));
  }
  for (const std::string& path : figures) {
    const std::optional<ir::ResultValue> value = measures.result(path);
    out.figures.push_back(value && value->name.empty() ? value->value : std::nan(""));
    if (!value)
      out.unknown[path] = measures.whyMissing(path);
  }
  if (const std::string& why = measures.refused(); !why.empty()) {
    out.refused = why;
    out.unknown.clear(); // the reason of the refusal explains why values are missing
    return;
  }
  if (const std::optional<DrawnTimes>& steps = measures.steps())
    out.steps = steps->count, out.halfWidth = steps->halfWidth(), out.drawn = steps->drawn,
    out.unsettled = !steps->settles, out.byWorkers = steps->byWorkers;
  for (const auto& [name, run] : measures.runs())
    out.runs.push_back({name, run.count, run.halfWidth()});
  out.farOff = measures.farOff();
}
