//===- StepCalibration.cpp - A machine and a framework from measured steps --------------------===//
#include "driver/calibrate/StepCalibration.h"
#include "backends/report/Format.h"
#include "driver/compare/Predicted.h"
#include "figures/Figures.h"
#include "support/diagnostics/Tools.h"
#include <cmath>
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr double noiseOfKernels = 0.03, noiseOfCollectives = 0.3;
/// Parts below this share of the step are not fitted.
constexpr double smallestPart = 0.01;
/// Runs up to this number are each predicted from the others.
constexpr std::size_t mostRunsHeldOut = 24;
/// Standard deviations of healthy machines beyond which no machine is healthy.
constexpr double farthest = 4;
/// Mean error beyond which runs contradict one another.
constexpr double worstError = 0.2;
/// Error of a run that is faster than a perfect device allows, from which it is refused.
constexpr double worstAtLimit = 0.1;
/// A collective predicted at this multiple of its time is none of this layout. Longer times are
/// usual, because ranks wait in kernels of collectives.
constexpr double worstCollective = 4;
/// Memory over what is usable of a device, beyond which it is in another unit.
constexpr double mostOfMemory = 1.1;

/// A plan with its step, and the parts of the step that a trace has.
class Parts {
public:
  Parts(const StepRuns& runs, llvm::ArrayRef<TracedRun> traces) : traces(traces) {
    plans = runs.plans;
    for (const MeasuredRun& run : runs.runs)
      if (run.seconds > 0 || run.mfu > 0)
        all.push_back({run.name, run.plan, 0, run.seconds, noiseOfSteps});
    for (const TracedRun& trace : traces) {
      const std::size_t plan = plans.size();
      plans.push_back(trace.plan);
      namesOf.emplace_back();
      add(trace, plan);
    }
    first = runs.plans.size();
  }

  std::vector<double> predict(std::size_t index, const ir::Plan& given) const {
    ir::Plan plan = given;
    DiagnosticEngine diags;
    const std::vector<std::string>* const names =
        index >= first ? &namesOf[index - first] : nullptr;
    std::vector<double> out(1 + (names ? names->size() : 0), std::nan(""));
    if (Workspace::complete(plan, diags, withoutAdvice()).failed() && plan.memory.empty())
      return out;
    out[0] = figures::Figures(plan).value("step_time").value_or(std::nan(""));
    if (!names)
      return out;
    const std::map<std::string, double> times =
        timesOf(compare::predictedOn(plan, traces[index - first].pipelineRank));
    for (std::size_t i = 0; i < names->size(); ++i)
      if (const auto found = times.find((*names)[i]); found != times.end())
        out[i + 1] = found->second;
    return out;
  }

  std::vector<ir::Plan> plans;
  std::vector<TimedPart> all;
  std::size_t first = 0; ///< plan of the first trace

private:
  /// Seconds of a step by the names that a comparison has, with and without directions.
  static std::map<std::string, double> timesOf(const compare::Predicted& predicted) {
    std::map<std::string, double> out;
    for (const compare::PredictedOperator& op : predicted.operators) {
      const std::string name = compare::nameOf(op.work);
      out[name] += op.forward + op.backward;
      out[name + ", forward"] += op.forward, out[name + ", backward"] += op.backward;
    }
    out[compare::nameOf(compare::WorkClass::Optimizer)] = predicted.optimizer;
    for (const compare::PredictedCollectives& collective : predicted.collectives)
      out[collective.name] += collective.seconds;
    return out;
  }
  void add(const TracedRun& trace, std::size_t plan) {
    using PartKind = compare::ComparedPart::PartKind;
    for (const compare::ComparedPart& part : trace.found.parts) {
      const bool collective = part.kind == PartKind::Collective;
      if ((part.kind != PartKind::Operator && !collective) || !part.ratio() ||
          part.measured < smallestPart * trace.found.kernelTime)
        continue;
      namesOf.back().push_back(part.name);
      all.push_back({trace.name + ": " + part.name, plan, namesOf.back().size(), part.measured,
                     collective ? noiseOfCollectives : noiseOfKernels});
    }
  }

  llvm::ArrayRef<TracedRun> traces;
  std::vector<std::vector<std::string>> namesOf;
};

/// Sets the times of runs whose MFU was measured: MFU times step time is the same for all machines.
LogicalResult completeTimes(Parts& parts, const StepRuns& runs, DiagnosticEngine& diags) {
  std::size_t at = 0;
  for (const MeasuredRun& run : runs.runs) {
    if (run.seconds <= 0 && run.mfu <= 0)
      continue;
    TimedPart& part = parts.all[at++];
    ir::Plan plan = runs.plans[run.plan];
    DiagnosticEngine ofPlan;
    if (Workspace::complete(plan, ofPlan, withoutAdvice()).failed() && plan.memory.empty())
      return diags.report<diag::RunNotPredicted>(SourceRange{}, run.name, ofPlan.firstError());
    const figures::Figures figures(plan);
    if (part.measured <= 0)
      part.measured =
          figures.value("step_time").value_or(0) * figures.value("mfu").value_or(0) / run.mfu;
  }
  return LogicalResult::success();
}

/// Sets the fitted memory. Fails after a report if a run has more than its device.
LogicalResult fitMemory(const StepRuns& runs, std::optional<FittedMemory>& fitted,
                        DiagnosticEngine& diags) {
  std::vector<double> outside;
  FittedMemory out;
  for (const MeasuredRun& run : runs.runs) {
    if (run.reserved <= 0)
      continue;
    ir::Plan plan = runs.plans[run.plan];
    double most = 0;
    for (const ir::NodeType& type : plan.cluster.nodeTypes)
      most = std::max(most, static_cast<double>(type.device.memory));
    if (run.reserved > mostOfMemory * most)
      return diags
          .report<diag::RunsUnexplained>(
              SourceRange{}, fmt::format("run `{}` has {} of memory on devices of {}", run.name,
                                         report::memory(run.reserved), report::memory(most)))
          .help("look at the unit of the memory, and whether it is of one device");
    DiagnosticEngine ofPlan;
    (void)Workspace::complete(plan, ofPlan, withoutAdvice());
    const ir::RankMemory* const worst = ir::tightest(plan.memory);
    if (!worst)
      continue;
    out.was = static_cast<double>(worst->reserved);
    outside.push_back(run.reserved - static_cast<double>(worst->peak() - worst->reserved));
  }
  if (outside.empty())
    return LogicalResult::success();
  llvm::sort(outside);
  out.is = std::max(0.0, outside[outside.size() / 2]);
  out.low = std::max(0.0, outside[outside.size() / 10]);
  out.high = std::max(0.0, outside[outside.size() * 9 / 10]);
  fitted = out;
  return LogicalResult::success();
}

/// Refuses runs that no healthy machine explains.
LogicalResult judgeSteps(const StepFit& fit, llvm::ArrayRef<TimedPart> parts,
                         DiagnosticEngine& diags) {
  for (const FittedStepFact& fact : fit.facts) {
    const double moved = std::log(fact.is / fact.was) / fact.kind->usual;
    const double slower = fact.kind->isTime ? moved : -moved;
    if (slower > farthest)
      return diags
          .report<diag::RunsUnexplained>(
              SourceRange{},
              fmt::format("{} would be {} of the library's value", fact.kind->path,
                          fact.kind->isTime ? fmt::format("{:.1f} times", fact.is / fact.was)
                                            : fmt::format("{:.0f} %", 100 * fact.is / fact.was)))
          .help(fmt::format("look at {}", fact.kind->examine));
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].part > 0 && parts[i].noise > noiseOfKernels &&
        fit.after[i] > worstCollective * parts[i].measured)
      return diags
          .report<diag::RunsUnexplained>(
              SourceRange{}, fmt::format("`{}` is {:.0f} times as fast as its prediction",
                                         parts[i].name, fit.after[i] / parts[i].measured))
          .help("look at the unit of the times, and whether the trace is of this layout");
  // The parts of a trace weigh by their times, whole steps weigh equally.
  std::size_t worst = 0;
  double sum = 0, bias = 0, weights = 0, most = -1, fastest = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i].noise > noiseOfKernels)
      continue;
    const double error = fit.after[i] / parts[i].measured - 1,
                 weight = parts[i].part > 0 ? parts[i].measured : 1;
    if (parts[i].part == 0)
      fastest = std::max(fastest, error);
    weights += weight, sum += weight * std::abs(error), bias += weight * error;
    if (weight * std::abs(error) > most)
      most = weight * std::abs(error), worst = i;
  }
  const bool atLimit = llvm::any_of(fit.facts, [](const FittedStepFact& fact) {
    return !fact.kind->isTime && fact.is > 0.999 * fact.kind->most;
  });
  const bool tooFast = atLimit && fastest > worstAtLimit;
  if (weights == 0 || (sum <= worstError * weights && !tooFast))
    return LogicalResult::success();
  return diags
      .report<diag::RunsUnexplained>(
          SourceRange{},
          fmt::format("the best fit is {:.0f} % off, `{}` by {:+.0f} %", 100 * sum / weights,
                      parts[worst].name, 100 * (fit.after[worst] / parts[worst].measured - 1)))
      .help(tooFast || bias > 0.9 * sum
                ? "the steps are faster than the device allows: look at the unit of the times, the "
                  "batch, the number of devices, and whether the trace is of this layout"
            : bias < -0.9 * sum
                ? "the steps are slower than any machine of this kind: look at data loading, "
                  "checkpoints, stragglers and the layout of the runs"
                : "the runs contradict one another: look at their layouts, and whether times "
                  "contain warm-up, data loading or checkpoints");
}

/// Predicts each run from the other ones.
void holdOut(StepCalibration& out, const Parts& parts, llvm::ArrayRef<const StepFactKind*> kinds) {
  const std::size_t runs = out.runs.size();
  if (runs < 3 || runs > mostRunsHeldOut)
    return;
  for (std::size_t i = 0; i < runs; ++i) {
    std::vector<TimedPart> others = parts.all;
    // A part with a huge noise has a prediction and no influence.
    others[i].noise = 1e6;
    const StepFit fit =
        fitSteps(parts.plans, others, kinds, [&](std::size_t index, const ir::Plan& plan) {
          return parts.predict(index, plan);
        });
    out.runs[i].heldOut = fit.after[i];
  }
}
} // namespace

FailureOr<StepCalibration> score::calibrateSteps(const StepRuns& runs,
                                                 llvm::ArrayRef<TracedRun> traces, bool linksKnown,
                                                 DiagnosticEngine& diags) {
  std::vector<const StepFactKind*> kinds;
  for (const StepFactKind& kind : stepFactKinds())
    if (!linksKnown || llvm::StringRef(kind.path) != "domain.efficiency")
      kinds.push_back(&kind);
  Parts parts(runs, traces);
  if (completeTimes(parts, runs, diags).failed())
    return LogicalResult::failure();
  StepCalibration out;
  if (fitMemory(runs, out.memory, diags).failed())
    return LogicalResult::failure();
  const StepFit fit =
      fitSteps(parts.plans, parts.all, kinds,
               [&](std::size_t index, const ir::Plan& plan) { return parts.predict(index, plan); });
  if (judgeSteps(fit, parts.all, diags).failed())
    return LogicalResult::failure();
  out.facts = fit.facts;
  for (std::size_t i = 0; i < parts.all.size(); ++i) {
    if (parts.all[i].part == 0) {
      out.runs.push_back(
          {parts.all[i].name, parts.all[i].measured, fit.before[i], fit.after[i], std::nan("")});
      continue;
    }
    out.parts.push_back(parts.all[i]);
    out.partsBefore.push_back(fit.before[i]), out.partsAfter.push_back(fit.after[i]);
  }
  holdOut(out, parts, kinds);
  return out;
}
