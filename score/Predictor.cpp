//===- Predictor.cpp - What the compiler says of the plan of a row ----------------------------===//
#include "score/Predictor.h"
#include "figures/Figures.h"
#include "ir/Names.h"
#include "passes/Pass.h"
#include "score/Collective.h"
#include "score/PlanText.h"
#include "support/diagnostics/Cost.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr const char* file = "row.dpl";
/// A workspace keeps the texts of all that it compiled.
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
} // namespace

Prediction Predictor::predict(const Settings& settings, llvm::ArrayRef<std::string> asked) {
  if (!workspace || ++compiled == mostOfOneWorkspace) {
    workspace = std::make_unique<Workspace>();
    compiled = 0;
  }
  DiagnosticEngine diags;
  const bool call = !settings["collective.op"].empty();
  workspace->overlay(file, planText(settings));
  const std::unique_ptr<CompiledUnit> unit = workspace->compile(file, diags);
  Prediction out;
  out.values.assign(asked.size(), std::nan(""));
  if (unit->file.failed() || unit->file->plans.size() != 1 || diags.errors() > 0) {
    out.reason = diags.firstError();
    return out;
  }
  ir::Plan& plan = unit->file->plans.front();
  return call ? predictCall(settings, plan, diags, asked) : predictStep(plan, diags, asked);
}

Prediction Predictor::predictStep(ir::Plan& plan, DiagnosticEngine& diags,
                                  llvm::ArrayRef<std::string> asked) {
  Prediction out;
  out.values.assign(asked.size(), std::nan(""));
  const bool fits = Workspace::complete(plan, diags).succeeded();
  if (!fits) {
    out.reason = diags.firstError();
    // Memory is checked when times are known: only that it is too much is missing.
    if (!llvm::StringRef(out.reason).startswith(diag::OutOfMemory::info.code))
      return out;
  }
  out.state = fits ? Prediction::State::Fits : Prediction::State::DoesNotFit;
  out.devices = plan.cluster.devices();
  out.context = plan.model.context, out.hidden = plan.model.hidden;
  out.tensor = plan.mesh.size(ir::Axis::Tensor);
  out.pipeline = plan.mesh.size(ir::Axis::Pipeline);
  out.microBatch = plan.layout.microBatch;
  out.batch = plan.layout.batch;
  if (const ir::RankMemory* worst = ir::tightest(plan.memory)) {
    out.taken = static_cast<double>(worst->peak() - worst->reserved);
    out.left = static_cast<double>(worst->headroom()) / static_cast<double>(worst->usable);
  }
  const figures::Figures figures(plan);
  for (std::size_t i = 0; i < asked.size(); ++i)
    out.values[i] = sumOf(figures, asked[i]);
  return out;
}

Prediction Predictor::predictCall(const Settings& settings, ir::Plan& plan, DiagnosticEngine& diags,
                                  llvm::ArrayRef<std::string> asked) {
  Prediction out;
  out.values.assign(asked.size(), std::nan(""));
  CollectiveRequest request;
  if (!ir::valueNamed(settings["collective.op"], request.kind) ||
      settings["collective.bytes"].getAsInteger(10, request.bytes)) {
    out.reason = fmt::format("`{}` of `{}` bytes is no collective", settings["collective.op"],
                             settings["collective.bytes"]);
    return out;
  }
  if (settings["collective.harness"] == "torch")
    request.harness = Harness::Torch;
  if (ir::Algorithm algorithm{}; ir::valueNamed(settings["collective.algorithm"], algorithm))
    request.algorithm = algorithm;
  if (runThrough(plan, diags, "build-groups").succeeded())
    if (const FailureOr<CollectivePrediction> found = predictCollective(plan, request, diags);
        !found.failed()) {
      out.state = Prediction::State::Fits;
      out.devices = found->ranks;
      out.collectiveBytes = static_cast<double>(request.bytes);
      for (std::size_t i = 0; i < asked.size(); ++i)
        out.values[i] = asked[i] == "collective.bus_bandwidth" ? found->busBandwidth
                        : asked[i] == "collective.time"        ? found->seconds()
                                                               : std::nan("");
      return out;
    }
  out.reason = diags.firstError();
  return out;
}
