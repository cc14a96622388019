//===- ComparisonText.cpp - A comparison as a screen and as JSON ------------------------------===//
#include "driver/compare/ComparisonText.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "support/Number.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include <cmath>
using namespace dpl;
using namespace dpl::compare;
using PartKind = ComparedPart::PartKind;

namespace {
std::string time(double seconds) { return seconds > 1e-9 ? report::duration(seconds) : "-"; }
std::string ratioText(const ComparedPart& part) {
  return part.ratio() ? fmt::format("{:.2f}", *part.ratio()) : "-";
}
/// A count of one step: "96", "0.5".
std::string countText(double count) { return count > 0 ? fmt::format("{:.4g}", count) : "-"; }

/// The numbers of a step, predicted and measured: "96", "96 / 100".
std::string numberText(const ComparedPart& part) {
  const std::string predicted = countText(part.predictedCount),
                    measured = countText(part.measuredCount);
  return predicted == measured ? measured : predicted + " / " + measured;
}

const char* titleOf(PartKind kind) {
  static constexpr const char* titles[] = {"time of a step", "operators", "GEMMs by shape",
                                           "collectives",    "actions",   "inside actions"};
  return titles[static_cast<std::size_t>(kind)];
}

/// Parts below this share of the step are in the JSON only.
constexpr double leastShare = 0.0005;

std::string tableOf(const Comparison& comparison, PartKind kind, double step, unsigned width) {
  const bool counts = kind != PartKind::Step && kind != PartKind::Gemm;
  std::vector<std::string> header{titleOf(kind), "predicted", "measured", "ratio", "% of step"};
  if (counts)
    header.emplace_back("number");
  report::TextTable table(header);
  for (const ComparedPart& part : comparison.parts) {
    if (part.kind != kind ||
        (kind != PartKind::Step && std::max(part.predicted, part.measured) < leastShare * step))
      continue;
    std::vector<std::string> cells{
        part.name, time(part.predicted), time(part.measured), ratioText(part),
        step > 0 ? fmt::format("{:+.1f}", 100 * part.difference() / step) : "-"};
    if (counts)
      cells.push_back(numberText(part));
    table.row(std::move(cells));
  }
  return table.empty() ? "" : "\n" + table.render(width);
}

std::string unassignedText(const Comparison& comparison, unsigned width) {
  if (comparison.unassigned.empty())
    return "";
  report::TextTable table({"not in the plan", "measured", "% of kernel time", "number"});
  constexpr std::size_t most = 8, longest = 60;
  for (std::size_t i = 0; i < std::min(most, comparison.unassigned.size()); ++i) {
    const UnassignedWork& work = comparison.unassigned[i];
    std::string name = oneLine(work.name);
    if (name.size() > longest)
      name.resize(longest - 2), name.append("..");
    table.row({std::move(name), time(work.seconds),
               fmt::format("{:.1f}", 100 * work.seconds / comparison.kernelTime),
               countText(work.count)});
  }
  std::string text = "\n" + table.render(width);
  if (comparison.unassigned.size() > most)
    text += fmt::format("  and {} more names\n", comparison.unassigned.size() - most);
  return text;
}
} // namespace

std::string compare::screenOf(const Comparison& comparison, const ComparisonOf& of,
                              unsigned width) {
  double step = 0;
  for (const ComparedPart& part : comparison.parts)
    if (part.kind == PartKind::Step && part.name == "step")
      step = std::max(part.predicted, part.measured);
  const double share = comparison.kernelTime > 0 ? comparison.assigned / comparison.kernelTime : 0;
  std::string text = fmt::format(
      "{} with {} against `{}`: {:.1f} % of the {} time belongs to the plan\n",
      plural(comparison.traces, "trace"), plural(comparison.steps, "step"), of.layout, 100 * share,
      comparison.hostOnly  ? "operator"
      : comparison.emitted ? "slice"
                           : "kernel");
  if (!comparison.marked)
    text += "a trace marks no steps, so it counts as `--steps` of them\n";
  for (const std::string& note : comparison.notes)
    text += note + "\n";
  for (const std::string& path : comparison.withoutRank)
    text += fmt::format("{} does not say its rank, so it counts as rank 0\n", oneLine(path));
  if (comparison.hostOnly)
    text += "there is no device in the traces: times are those of operators on the host\n";
  text += "ratio is measured over predicted; % of step is the difference\n";
  for (const PartKind kind : {PartKind::Step, PartKind::Operator, PartKind::Gemm,
                              PartKind::Collective, PartKind::Action, PartKind::Segment})
    text += tableOf(comparison, kind, step, width);
  return text + unassignedText(comparison, width);
}

Json compare::jsonOf(const Comparison& comparison, const ComparisonOf& of) {
  const Dimension duration = *dimensionNamed("Duration"), bytes = *dimensionNamed("Bytes");
  Json parts = Json::array(), rest = Json::array();
  for (const ComparedPart& part : comparison.parts) {
    Json row{{"kind", nameOf(part.kind)},
             {"name", part.name},
             {"predicted", quantity(part.predicted, duration)},
             {"measured", quantity(part.measured, duration)},
             {"ratio", part.ratio() ? Json(*part.ratio()) : Json()},
             {"predicted_count", part.predictedCount},
             {"measured_count", part.measuredCount}};
    if (part.kind == PartKind::Collective) {
      row["predicted_bytes"] = quantity(part.predictedBytes, bytes);
      row["measured_bytes"] = quantity(part.measuredBytes, bytes);
    }
    parts.push_back(std::move(row));
  }
  for (const UnassignedWork& work : comparison.unassigned)
    rest.push_back({{"name", work.name},
                    {"measured", quantity(work.seconds, duration)},
                    {"count", work.count}});
  return {{"schema", "dplc.compare.1"},
          {"layout", of.layout},
          {"traces", of.traces},
          {"steps", comparison.steps},
          {"notes", comparison.notes},
          {"without_rank", comparison.withoutRank},
          {"kernel_time", quantity(comparison.kernelTime, duration)},
          {"assigned_share",
           comparison.kernelTime > 0 ? Json(comparison.assigned / comparison.kernelTime) : Json()},
          {"parts", parts},
          {"unassigned", rest}};
}
