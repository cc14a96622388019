//===- Predictor.cpp - Predictions for table rows ---------------------------------------------===//
#include "driver/score/Predictor.h"
#include "driver/collective/Collective.h"
#include "driver/score/PlanText.h"
#include "figures/Figures.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "support/diagnostics/Cost.h"
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr const char* file = "row.dpl";
/// Limit on the compilations of a workspace, which stores all their texts.
constexpr unsigned mostOfOneWorkspace = 64;

double sumOf(const figures::Figures& figures, llvm::StringRef expression) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  expression.split(words, ' ', -1, false);
  double sum = 0, sign = 1;
  for (llvm::StringRef word : words) {
    if (word == "+" || word == "-") {
      sign = word == "-" ? -1 : 1;
      continue;
    }
    const std::optional<double> value = figures.value(word);
    if (!value)
      return std::nan("");
    sum += sign * *value;
  }
  return sum;
}

/// The collective that a row measures; none if the row measures something else.
std::optional<CollectiveRequest> requestOf(const RowSettings& settings) {
  CollectiveRequest request;
  if (!ir::valueNamed(settings["collective.op"], request.kind) ||
      settings["collective.bytes"].getAsInteger(10, request.bytes))
    return std::nullopt;
  request.harness = harnessNamed(settings["collective.harness"]);
  if (ir::Algorithm algorithm{}; ir::valueNamed(settings["collective.algorithm"], algorithm))
    request.algorithm = algorithm;
  return request;
}
} // namespace

std::unique_ptr<CompiledUnit> Predictor::compile(const RowSettings& settings,
                                                 DiagnosticEngine& diags) {
  if (!workspace || ++compiled == mostOfOneWorkspace) {
    workspace = std::make_unique<Workspace>();
    compiled = 0;
  }
  workspace->overlay(file, planText(settings));
  std::unique_ptr<CompiledUnit> unit = workspace->compile(file, diags);
  const bool one = !unit->file.failed() && unit->file->plans.size() == 1 && diags.errors() == 0;
  return one ? std::move(unit) : nullptr;
}

Prediction Predictor::predict(const RowSettings& settings, llvm::ArrayRef<std::string> asked,
                              const ConstantFactor& factor) {
  DiagnosticEngine diags;
  const std::unique_ptr<CompiledUnit> unit = compile(settings, diags);
  Prediction out;
  out.values.assign(asked.size(), std::nan(""));
  if (!unit) {
    out.reason = diags.firstError();
    return out;
  }
  ir::Plan& plan = unit->file->plans.front();
  if (!settings["collective.op"].empty())
    return predictCollectiveRow(settings, plan, diags, asked);
  const PlanConstants constants = constantsOf(plan, settings);
  if (factor && !scaleConstants(plan, constants, factor)) {
    out.state = Prediction::PredictionState::Unchanged;
    return out;
  }
  out = predictStep(plan, diags, asked);
  out.constants = constants;
  return out;
}

Predictor::RowCollective Predictor::groupOf(const RowSettings& settings) {
  DiagnosticEngine diags;
  const std::unique_ptr<CompiledUnit> unit = compile(settings, diags);
  if (!unit || runThrough(unit->file->plans.front(), diags, "build-groups").failed())
    return {std::nullopt, diags.firstError()};
  const ir::Plan& plan = unit->file->plans.front();
  const ir::Group* group = plan.group("data");
  if (!group)
    return {std::nullopt, "it has no group of ranks"};
  MeasuredCollective out;
  out.measured.ranks = group->size;
  out.ofNode = std::min(group->size, plan.cluster.gpusPerNode);
  out.links = aloneLinks(plan.cluster);
  out.inside.assign(group->inside.begin(), group->inside.end());
  out.torus = group->torus, out.order = group->order;
  return {std::move(out), ""};
}

Predictor::RowCollective Predictor::collective(const RowSettings& settings) {
  const std::optional<CollectiveRequest> request = requestOf(settings);
  if (!request)
    return {std::nullopt, "it measures no collective that has a time"};
  const std::string text = planText(settings);
  auto known = groups.find(text);
  if (known == groups.end())
    known = groups.emplace(text, groupOf(settings)).first;
  RowCollective out = known->second;
  if (out.collective) {
    MeasuredCollective& collective = *out.collective;
    collective.measured.kind = request->kind, collective.measured.bytes = request->bytes;
    collective.launch = launchOf(request->harness, collective.ofNode),
    collective.algorithm = request->algorithm;
  }
  return out;
}

Prediction Predictor::predictStep(ir::Plan& plan, DiagnosticEngine& diags,
                                  llvm::ArrayRef<std::string> asked) {
  Prediction out;
  out.values.assign(asked.size(), std::nan(""));
  const bool fits = Workspace::complete(plan, diags, withoutAdvice()).succeeded();
  if (!fits) {
    out.reason = diags.firstError();
    // If the memory is exceeded, other results are still valid, because memory is checked last.
    const llvm::StringRef reason = out.reason;
    if (!reason.startswith(diag::OutOfMemory::info.code) &&
        !reason.startswith(diag::HostOutOfMemory::info.code))
      return out;
  }
  out.state = fits ? Prediction::PredictionState::Fits : Prediction::PredictionState::DoesNotFit;
  out.devices = plan.cluster.devices();
  out.context = plan.model.context, out.hidden = plan.model.hidden;
  out.tensor = plan.mesh.size(ir::Axis::Tensor);
  out.pipeline = plan.mesh.size(ir::Axis::Pipeline);
  out.microBatch = plan.layout.microBatch;
  out.batch = plan.layout.batch;
  out.zeroStage = plan.layout.shard.stage();
  if (const ir::RankMemory* worst = ir::tightest(plan.memory)) {
    out.peakBytes = static_cast<double>(worst->peak() - worst->reserved);
    out.headroomShare = static_cast<double>(worst->headroom()) / static_cast<double>(worst->usable);
  }
  const figures::Figures figures(plan);
  for (std::size_t i = 0; i < asked.size(); ++i)
    out.values[i] = sumOf(figures, asked[i]);
  out.errorShares = figures::errorShares(plan, figures);
  return out;
}

Prediction Predictor::predictCollectiveRow(const RowSettings& settings, ir::Plan& plan,
                                           DiagnosticEngine& diags,
                                           llvm::ArrayRef<std::string> asked) {
  Prediction out;
  out.values.assign(asked.size(), std::nan(""));
  const std::optional<CollectiveRequest> request = requestOf(settings);
  if (!request) {
    out.reason = fmt::format("`{}` of `{}` bytes is not a collective", settings["collective.op"],
                             settings["collective.bytes"]);
    return out;
  }
  if (runThrough(plan, diags, "build-groups").succeeded())
    if (const FailureOr<CollectivePrediction> found = predictCollective(plan, *request, diags);
        !found.failed()) {
      out.state = Prediction::PredictionState::Fits;
      out.devices = found->ranks;
      out.collectiveBytes = static_cast<double>(request->bytes);
      for (std::size_t i = 0; i < asked.size(); ++i)
        out.values[i] = asked[i] == "collective.bus_bandwidth" ? found->busBandwidth
                        : asked[i] == "collective.time"        ? found->seconds()
                                                               : std::nan("");
      return out;
    }
  out.reason = diags.firstError();
  return out;
}
