//===- DrawnFigures.cpp - Figures of simulated steps and simulated runs -----------------------===//
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::ir;

namespace {
/// "train" for "run[train].time", with `rest` set to "time"; empty for other paths.
llvm::StringRef runOf(llvm::StringRef path, llvm::StringRef& rest) {
  if (!path.consume_front("run["))
    return "";
  const auto [name, after] = path.split("].");
  rest = after;
  return name;
}

/// Whether each simulated step or run has a value of the figure; sets the run.
bool isDrawn(llvm::StringRef figure, DrawnFigure& out) {
  out.figure = figure.str();
  if (llvm::is_contained(figuresOfSteps(), figure))
    return true;
  llvm::StringRef column;
  out.run = runOf(figure, column).str();
  return !out.run.empty() && llvm::is_contained(figuresOfRuns(), column);
}

/// Parses "step_time.above[100ms]", the share of steps above a threshold.
bool isShare(llvm::StringRef path, DrawnFigure& out) {
  const auto [figure, threshold] = path.rsplit(".above[");
  const std::optional<ResultValue> number =
      threshold.endswith("]") ? numberWritten(threshold.drop_back()) : std::nullopt;
  if (!number || !isDrawn(figure, out))
    return false;
  out.kind = DrawnFigure::DrawnFigureKind::Above, out.number = number->value;
  const FigureRow* row = figureNamed(figure);
  return row && dimensionOf(*row) == number->dimension;
}

const Statistic* statisticNamed(llvm::StringRef name) {
  const auto* row = llvm::find_if(
      statistics(), [&](const Statistic& statistic) { return name == statistic.name; });
  return row == statistics().end() ? nullptr : row;
}

/// Parses `run[train].updates`, or `run[train].updates.p95` over the seeds of a study.
bool isOfProblem(llvm::StringRef path, DrawnFigure& out) {
  llvm::StringRef column;
  const llvm::StringRef run = runOf(path, column);
  if (run.empty())
    return false;
  const auto find = [&](llvm::StringRef name, const Statistic* statistic) {
    for (const ProblemFigure& row : problemFigures())
      if (name == row.name && (row.drawn || !statistic)) {
        out.kind = DrawnFigure::DrawnFigureKind::OfProblem;
        out.run = run.str(), out.figure = row.name, out.statistic = statistic;
        return true;
      }
    return false;
  };
  const auto [name, last] = column.rsplit('.');
  const Statistic* statistic = statisticNamed(last);
  return find(column, nullptr) || (statistic && find(name, statistic));
}

const SimulatedFigure* simulatedNamed(llvm::StringRef path) {
  const auto* row = llvm::find_if(simulatedFigures(),
                                  [&](const SimulatedFigure& one) { return path == one.path; });
  return row == simulatedFigures().end() ? nullptr : row;
}
} // namespace

llvm::ArrayRef<const char*> ir::figuresOfSteps() {
  static constexpr const char* rows[] = {"step_time",
                                         "samples_per_second",
                                         "samples_per_second_per_device",
                                         "tokens_per_second",
                                         "tokens_per_second_per_device",
                                         "flop_rate.model",
                                         "flop_rate.hardware",
                                         "mfu",
                                         "hfu",
                                         "energy.per_step",
                                         "energy.per_token",
                                         "energy.per_sample",
                                         "cost.per_step",
                                         "cost.per_token",
                                         "cost.per_sample"};
  return rows;
}

llvm::ArrayRef<const char*> ir::figuresOfRuns() {
  static constexpr const char* rows[] = {"time", "goodput", "cost", "device_time", "energy"};
  return rows;
}

llvm::ArrayRef<Statistic> ir::statistics() {
  using Kind = Statistic::StatisticKind;
  static constexpr Statistic rows[] = {{"mean", Kind::Mean},          {"sd", Kind::Deviation},
                                       {"p5", Kind::Quantile, 0.05},  {"p50", Kind::Quantile, 0.5},
                                       {"p90", Kind::Quantile, 0.9},  {"p95", Kind::Quantile, 0.95},
                                       {"p99", Kind::Quantile, 0.99}, {"max", Kind::Quantile, 1}};
  return rows;
}

llvm::ArrayRef<SimulatedFigure> ir::simulatedFigures() {
  static constexpr SimulatedFigure rows[] = {{"simulated.waiting", ""},
                                             {"simulated.exchange", "Duration"},
                                             {"simulated.dropped", ""},
                                             {"simulated.staleness.mean", ""},
                                             {"simulated.staleness.p50", ""},
                                             {"simulated.staleness.p99", ""},
                                             {"simulated.staleness.max", ""},
                                             {"simulated.queue.mean", ""},
                                             {"simulated.queue.max", ""},
                                             {"simulated.parameter_servers.busiest", ""},
                                             {"simulated.parameter_servers.mean", ""},
                                             {"simulated.micro_batches.min", ""},
                                             {"simulated.micro_batches.max", ""},
                                             {"simulated.interference", ""},
                                             {"simulated.throttling.best_delay", "Duration"},
                                             {"simulated.throttling.best_step", "Duration"},
                                             {"simulated.throttling.regret", "Duration"}};
  return rows;
}

llvm::ArrayRef<ProblemFigure> ir::problemFigures() {
  static constexpr ProblemFigure rows[] = {{"updates", true},
                                           {"rejected", true},
                                           {"staleness.mean", true},
                                           {"staleness.p50", true},
                                           {"staleness.p95", true},
                                           {"staleness.p99", true},
                                           {"diverges", true},
                                           {"fails.curvature", false},
                                           {"fails.noise_floor", false},
                                           {"stable_below", false},
                                           {"noise_floor", false},
                                           {"drift", false},
                                           {"residual", true},
                                           {"sum", false},
                                           {"exact_sum", false},
                                           {"ulps", false},
                                           {"below_normal", false},
                                           {"above_largest", false},
                                           {"overflow", false},
                                           {"largest_number", false},
                                           {"smallest_normal", false},
                                           {"skipped", false},
                                           {"loss_scale", false}};
  return rows;
}

std::optional<DrawnFigure> ir::drawnFigureNamed(llvm::StringRef path) {
  DrawnFigure out;
  if (isOfProblem(path, out))
    return out;
  if (simulatedNamed(path)) {
    out.kind = DrawnFigure::DrawnFigureKind::OfSteps, out.figure = path.str();
    return out;
  }
  if (isShare(path, out))
    return out;
  out = {};
  if (llvm::StringRef column; !runOf(path, column).empty() && column == "optimal_interval.drawn") {
    out.kind = DrawnFigure::DrawnFigureKind::Interval, out.run = runOf(path, column).str();
    out.figure = path.drop_back(llvm::StringRef(".drawn").size()).str();
    return out;
  }
  const auto [figure, name] = path.rsplit('.');
  const Statistic* row = statisticNamed(name);
  out = {};
  if (!row || !isDrawn(figure, out))
    return std::nullopt;
  out.statistic = row;
  return out;
}

bool DrawnFigure::usesSeeds() const {
  return kind != DrawnFigureKind::OfProblem ||
         llvm::any_of(problemFigures(),
                      [&](const ProblemFigure& row) { return row.drawn && figure == row.name; });
}

Dimension ir::dimensionOfDrawn(llvm::StringRef path) {
  if (const SimulatedFigure* row = simulatedNamed(path))
    return row->dimension[0] ? *dimensionNamed(row->dimension) : Dimension{};
  const std::optional<DrawnFigure> drawn = drawnFigureNamed(path);
  const FigureRow* row = drawn && drawn->kind != DrawnFigure::DrawnFigureKind::Above
                             ? figureNamed(drawn->figure)
                             : nullptr;
  return row ? dimensionOf(*row) : Dimension{};
}

std::optional<ResultValue> ir::numberWritten(llvm::StringRef text) {
  text = text.split(" per ").first.trim();
  const std::size_t digits = std::min(text.size(), text.find_first_not_of("-0123456789._"));
  // An exponent belongs to the number and not to a unit: "2e9".
  std::size_t end = digits;
  if (text.substr(end).startswith("e"))
    if (const std::size_t after = text.find_first_not_of("+-0123456789", end + 1);
        text.size() > end + 1 && after != end + 1)
      end = std::min(text.size(), after);
  const std::optional<Rational> number = Rational::parse(text.take_front(end));
  const llvm::StringRef suffix = text.drop_front(end);
  const Unit* unit = suffix.empty() ? nullptr : findUnit(suffix);
  if (end == 0 || !number || (!suffix.empty() && !unit))
    return std::nullopt;
  return ResultValue{number->toDouble() * (unit ? unit->factor.toDouble() : 1),
                     unit ? unit->dimension : Dimension{}};
}
