//===- LowerProblem.cpp - What a phase of a run is to reach, from a problem's fields ----------===//
#include "frontend/sema/Lowering.h"
#include "support/diagnostics/Schema.h"
#include "support/math/Elementary.h"
#include <cmath>
#include <numeric>

using namespace dpl;
using namespace dpl::sema;

namespace {
constexpr std::uint64_t mostCurvatures = 5'000, mostNumbers = 100'000;
constexpr std::uint64_t mostScaledSteps = 100'000'000;
/// Limits on the work of a descent (updates times coordinates; the largest takes seconds),
/// and on the numbers that are kept for stale gradients.
constexpr std::uint64_t mostWork = 400'000'000, mostKept = 10'000'000;

class ProblemLowering {
public:
  ProblemLowering(Lowering& to, const ObjectFields& problem) : to(to), fields(problem) {}

  ir::Problem run() {
    out.name = fields.name().str();
    spectrum();
    if (out.curvatures.empty())
      return out;
    const std::uint64_t coordinates = out.curvatures.size();
    out.noise = fields.real("noise");
    out.steady = fields.flag("steady");
    out.mostSteps = to.bounded(fields.whole("max_steps"), mostWork / coordinates, "max_steps",
                               fields.range("max_steps"));
    out.staleness = choice(fields, "staleness", ir::StalenessSource::Simulated);
    if (out.staleness != ir::StalenessSource::Simulated) {
      const ObjectFields stated = fields.object("staleness");
      const char* field = out.staleness == ir::StalenessSource::Fixed ? "updates" : "most";
      out.updates =
          to.bounded(stated.count(field), mostKept / coordinates, field, stated.range(field));
    }
    out.weight = choice(fields, "staleness_weight", ir::StalenessWeight::None);
    out.momentum = choice(fields, "momentum_form", ir::MomentumForm::Sum);
    goal();
    return out;
  }

private:
  void spectrum() {
    const ObjectFields from = fields.object("curvature");
    if (fields.choice("curvature") == "listed")
      return listed(from);
    const std::uint64_t count =
        to.bounded(from.count("count"), mostCurvatures, "count", from.range("count"));
    const double condition = from.real("condition");
    if (from.failed() || count == 0 || condition < 1)
      return; // an error was reported
    const double logarithm = simulate::logarithm(condition);
    for (std::uint64_t i = 0; i < count; ++i) {
      const double place = count > 1 ? static_cast<double>(i) / static_cast<double>(count - 1) : 1;
      out.curvatures.push_back(simulate::exponential((place - 1) * logarithm));
    }
  }

  void listed(const ObjectFields& from) {
    const Value written = from.value("curvatures");
    if (!written.is(Value::ValueKind::List))
      return;
    const auto refused = [&](SourceRange at, const std::string& needed, const std::string& found) {
      to.failed = true;
      to.diags.report<diag::OutsideRange>(at.valid() ? at : from.range("curvatures"), "curvatures",
                                          needed, found);
    };
    if (written.list.empty() || written.list.size() > mostCurvatures)
      return refused(written.range, fmt::format("a list of 1 to {} numbers", mostCurvatures),
                     std::to_string(written.list.size()));
    for (const Value& each : written.list) {
      const double curvature = each.number.toDouble();
      if (!(curvature > 0))
        return refused(each.range, "above 0", each.number.str()), out.curvatures.clear();
      out.curvatures.push_back(curvature);
    }
  }

  void goal() {
    const ObjectFields from = fields.object("goal");
    out.goal = choice(fields, "goal", ir::GoalKind::Distance);
    out.goalValue = from.real(out.goal == ir::GoalKind::LossValue ? "value" : "share");
    const double start = std::accumulate(out.curvatures.begin(), out.curvatures.end(), 0.0) / 2;
    if (from.failed() || out.goal != ir::GoalKind::LossValue)
      return;
    if (out.goalValue <= 0) {
      to.failed = true;
      to.diags.report<diag::OutsideRange>(from.range("value"), "value", "above 0",
                                          from.number("value").str());
    } else if (out.goalValue >= start) {
      to.failed = true;
      to.diags.report<diag::GoalAtStart>(from.range("value"), out.name, out.goalValue, start);
    }
  }

  Lowering& to;
  const ObjectFields& fields;
  ir::Problem out;
};

/// Lowers a `numbers` block.
class NumbersLowering {
public:
  NumbersLowering(Lowering& to, const ObjectFields& numbers) : to(to), fields(numbers) {}

  ir::Numbers run() {
    out.name = fields.name().str();
    out.format = choice(fields, "format", ir::NumberFormat::FP32);
    out.order = choice(fields, "order", ir::SumOrder::LeftToRight);
    const ObjectFields values = fields.object("values");
    if (fields.choice("values") == "normal")
      out.deviation = values.real("deviation");
    else
      listed(values);
    if (out.order == ir::SumOrder::Ring) {
      const ObjectFields ring = fields.object("order");
      out.firstRank = ring.count("first");
      if (out.firstRank >= out.magnitudes.size() && !out.magnitudes.empty())
        refused(ring.range("first"), "first", "the index of a value",
                std::to_string(out.firstRank));
    }
    scale();
    return out;
  }

private:
  void refused(SourceRange at, const char* field, const std::string& needed,
               const std::string& found) {
    to.failed = true;
    to.diags.report<diag::OutsideRange>(at, field, needed, found);
  }

  void listed(const ObjectFields& from) {
    const Value written = from.value("items");
    if (!written.is(Value::ValueKind::List))
      return;
    if (written.list.empty() || written.list.size() > mostNumbers)
      return refused(from.range("items"), "items",
                     fmt::format("a list of 1 to {} numbers", mostNumbers),
                     std::to_string(written.list.size()));
    for (const Value& each : written.list) {
      const double value = each.number.toDouble();
      out.magnitudes.push_back(std::fabs(value));
      out.negatives.push_back(value < 0 ? 1 : 0);
    }
  }

  void scale() {
    const ObjectFields from = fields.object("loss_scale");
    out.scaling = choice(fields, "loss_scale", ir::LossScaleKind::Fixed);
    const bool dynamic = out.scaling == ir::LossScaleKind::Dynamic;
    const char* field = dynamic ? "first" : "factor";
    out.scale = from.real(field);
    if (out.scale <= 0 && !from.failed())
      return refused(from.range(field), field, "above 0", from.number(field).str());
    if (!dynamic)
      return;
    out.window = from.whole("window");
    out.steps = to.bounded(from.whole("steps"), mostScaledSteps, "steps", from.range("steps"));
    if (out.magnitudes.empty() && !to.failed)
      refused(fields.range("loss_scale"), "loss_scale",
              "`fixed` if the values are drawn and not listed", "`dynamic`");
  }

  Lowering& to;
  const ObjectFields& fields;
  ir::Numbers out;
};

/// Why the method of a run and its layout cannot be run on a quadratic, as words; empty if it can.
std::string whyNoDescent(const ir::Layout& layout, const ir::OptimizerSettings& settings,
                         const ir::Problem& problem) {
  if (layout.optimizer != ir::OptimizerKind::Sgd)
    return fmt::format("needs `optimizer = sgd`, found `{}`", ir::name(layout.optimizer));
  if (!settings.learningRate.given)
    return "needs a learning rate, and neither the run nor its layout has an `lr`";
  if (settings.learningRate.kind != ir::LearningRateKind::Constant)
    return fmt::format("needs a constant learning rate: `{}` depends on the length of the run, "
                       "which the problem decides",
                       ir::name(settings.learningRate.kind));
  const ir::DataRanks ranks = layout.dataRanks.empty() ? ir::DataRanks() : layout.dataRanks.front();
  const bool barrier = ranks.synchronization == ir::SynchronizationKind::Barrier;
  if (ranks.synchronization == ir::SynchronizationKind::Hierarchical)
    return "supports averages over all data ranks only, found `synchronization = hierarchical`";
  if (problem.staleness != ir::StalenessSource::Simulated && !barrier)
    return fmt::format("sets the staleness of its gradients, and so does `synchronization = {}`",
                       ir::name(ranks.synchronization));
  if (layout.compression.empty())
    return "";
  if (layout.compression.front().kind == ir::CompressionKind::LowRank)
    return "has a vector of parameters, found `compression = low_rank`, which needs matrices";
  return barrier ? "" : "supports compression only if gradients are reduced after each step";
}
} // namespace

void sema::lowerProblem(Lowering& to, const ObjectFields& run,
                        const ir::OptimizerSettings& settings, const ObjectFields& phase,
                        ir::RunPhase& out) {
  const ObjectFields problem = phase.object("problem");
  if (problem.isA("numbers")) {
    ir::Numbers numbers = NumbersLowering(to, problem).run();
    if (!to.failed && !problem.failed())
      out.numbers = {std::move(numbers)};
    return;
  }
  if (!problem.isA("quadratic")) {
    to.failed = true;
    to.diags.report<diag::ProblemOfRun>(phase.range("problem"), out.index, run.name(),
                                        "is neither `quadratic` nor `numbers`");
    return;
  }
  ir::Problem lowered = ProblemLowering(to, problem).run();
  if (to.failed || problem.failed())
    return;
  if (const std::string why = whyNoDescent(to.plan.layout, settings, lowered); !why.empty()) {
    to.failed = true;
    to.diags.report<diag::ProblemOfRun>(phase.range("problem"), out.index, run.name(), why);
    return;
  }
  out.problem = {std::move(lowered)};
}
