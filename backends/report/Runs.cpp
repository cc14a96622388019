//===- Runs.cpp - Duration and cost of a layout's runs ----------------------------------------===//
#include "backends/report/Runs.h"
#include "backends/report/Format.h"
#include "backends/report/Intervals.h"
#include "backends/report/TextTable.h"
#include "support/Number.h"
#include "support/Text.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::report;

namespace {
/// Access to the figures of one run.
class OfRun {
public:
  OfRun(const ir::Run& run, const figures::Figures& figures) : run(run), figures(figures) {}
  std::optional<double> value(const char* column) const {
    return figures.value(fmt::format("run[{}].{}", run.name, column));
  }
  std::string cell(const char* column, std::string (*text)(double)) const {
    const auto found = value(column);
    return found ? text(*found) : "-";
  }
  /// The same with the interval of the figure.
  std::string interval(const char* column, std::string (*text)(double)) const {
    const auto found = value(column);
    return found ? withInterval(text(*found), figures, fmt::format("run[{}].{}", run.name, column))
                 : "-";
  }

private:
  const ir::Run& run;
  const figures::Figures& figures;
};

std::string whole(double n) { return fmt::format("{:.0f}", n); }
std::string ofDimension(double value, const char* dimension) {
  return human(value, *dimensionNamed(dimension));
}
std::string money(double dollars) { return ofDimension(dollars, "Money"); }
std::string energy(double joules) { return ofDimension(joules, "Energy"); }
std::string every(const ir::Run& run) {
  return run.checkpoint.every > 0 ? std::to_string(run.checkpoint.every) : "-";
}
} // namespace

std::string report::hours(double seconds) {
  const double n = seconds / 3600;
  return n < 100 ? fmt::format("{:.3g}", n) : fmt::format("{:.0f}", n);
}

std::string report::runText(const ir::Run& run, const figures::Figures& figures) {
  if (run.problem() || run.numbers())
    return fmt::format("{}: steps known in a study, until problem `{}` is solved", run.name,
                       run.problem() ? run.problem()->name : run.numbers()->name);
  const OfRun of(run, figures);
  const auto time = of.value("time");
  if (!time)
    return "";
  const std::string steps =
      plural(static_cast<std::uint64_t>(of.value("steps").value_or(0)), "step");
  if (!std::isfinite(*time))
    return fmt::format("{}: {} that never end", run.name, steps);
  std::string out = fmt::format("{}: {} in {}", run.name, steps, of.interval("time", duration));
  if (const auto goodput = of.value("goodput"))
    out += fmt::format(", goodput {}", percent(*goodput));
  if (const auto devices = of.value("device_time"))
    out += fmt::format(", {} device-hours", hours(*devices));
  if (const auto used = of.value("energy"))
    out += ", " + energy(*used);
  if (of.value("cost"))
    out += ", " + of.interval("cost", money);
  // Runs exclude what the file does not set.
  std::string without;
  if (!figures.value("failures.mtbf"))
    without = "failures left out";
  if (!of.value("cost"))
    without += std::string(without.empty() ? "" : ", ") + "price not set" +
               (run.budget ? ", so that its budget is not compared" : "");
  return without.empty() ? out : out + "; " + without;
}

std::string report::runsTable(const ir::Plan& plan, const figures::Figures& figures,
                              unsigned width) {
  TextTable table({"run", "steps", "work", "saves every", "best", "in memory", "goodput", "time",
                   "device-hours", "energy", "price"},
                  1);
  for (const ir::Run& run : plan.runs) {
    const OfRun of(run, figures);
    if (of.value("time"))
      table.row({run.name, of.cell("steps", whole), of.cell("productive_time", duration),
                 every(run), of.cell("optimal_interval_steps", whole),
                 of.cell("checkpoint_staging", memory), of.cell("goodput", percent),
                 of.interval("time", duration), of.cell("device_time", hours),
                 of.cell("energy", energy), of.interval("cost", money)});
  }
  if (table.empty())
    return "";
  table.dropDashes();
  std::string out = table.render(width), facts;
  const auto fact = [&](const char* what, const char* path) {
    if (const auto found = figures.value(path))
      facts += fmt::format("{}{} {}", facts.empty() ? "" : ", ", what, duration(*found));
  };
  fact("a failure every", "failures.mtbf");
  fact("a restart takes", "failures.restart");
  fact("a checkpoint", "checkpoint.write");
  const auto lacksNodes = [&](const ir::Run& run) {
    return OfRun(run, figures).value("availability");
  };
  if (llvm::any_of(plan.runs, lacksNodes))
    facts += std::string(facts.empty() ? "" : ", ") +
             "missing nodes are the long-run mean, although a run begins with all nodes";
  if (!facts.empty())
    out += "  " + wrapped(facts, width - 2, 2) + "\n";
  return out;
}
