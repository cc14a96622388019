//===- CalibrationText.cpp - A calibration as a .dpl file, screen and JSON --------------------===//
#include "driver/calibrate/CalibrationText.h"
#include "backends/report/TextTable.h"
#include "driver/score/Statistics.h"
#include "ir/Names.h"
#include "support/Number.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include <filesystem>
#include <map>
using namespace dpl;
using namespace dpl::score;

namespace {
constexpr std::uint64_t mebibyte = 1 << 20;

/// Errors of a set of rows (all rows, those below 1 MiB, or the others), before and after the fit.
struct ErrorPair {
  Errors before, after;
};
template <class Takes> ErrorPair partOf(llvm::ArrayRef<const Residual*> rows, Takes takes) {
  std::vector<double> before, after;
  for (const Residual* row : rows)
    if (takes(*row)) {
      before.push_back(row->error(row->before));
      after.push_back(row->error(row->after));
    }
  return {errorsOf(before), errorsOf(after)};
}
bool isSmall(const Residual& row) { return row.measured.bytes < mebibyte; }

std::vector<const Residual*> allOf(const Calibration& calibration) {
  std::vector<const Residual*> rows;
  for (const Residual& row : calibration.rows)
    rows.push_back(&row);
  return rows;
}

std::string share(double error) { return fmt::format("{:.1f}", error * 100); }
} // namespace

std::vector<ResidualGroup> score::groupsOf(const Calibration& calibration) {
  std::map<std::tuple<ir::CollectiveKind, std::uint64_t, std::uint64_t>, ResidualGroup> groups;
  for (const Residual& row : calibration.rows) {
    const CollectiveTiming& m = row.measured;
    ResidualGroup& group = groups[{m.kind, m.nodes, m.ranks}];
    group.name =
        fmt::format("{}, {} ranks on {}", ir::name(m.kind), m.ranks, plural(m.nodes, "node"));
    group.rows.push_back(&row);
  }
  std::vector<ResidualGroup> out;
  for (auto& [key, group] : groups) {
    llvm::stable_sort(group.rows, [](const Residual* a, const Residual* b) {
      return a->measured.bytes < b->measured.bytes;
    });
    out.push_back(std::move(group));
  }
  return out;
}

std::string score::headOf(const Calibration& calibration, const CalibrationOf& of) {
  const ErrorPair part = partOf(allOf(calibration), [](const Residual&) { return true; });
  std::string names;
  for (const std::string& log : of.logs)
    names += (names.empty() ? "" : ", ") + std::filesystem::path(log).filename().string();
  std::string text =
      fmt::format("/// Links of {} as `dplc calibrate` finds them in {}.\n"
                  "/// Median error of bus bandwidth over {}: {} %, {} % before.\n",
                  of.cluster, oneLine(names), plural(calibration.rows.size(), "collective"),
                  share(part.after.median), share(part.before.median));
  for (const ResidualGroup& group : groupsOf(calibration))
    text += fmt::format("///   {}: {}, {} to {} B\n", group.name, plural(group.rows.size(), "row"),
                        group.rows.front()->measured.bytes, group.rows.back()->measured.bytes);
  return text;
}

std::string score::importsOf(const CalibrationOf& of) {
  return fmt::format("{}\n\ncluster {} from {}{} {{\n",
                     of.file.empty() ? "import std.clusters"
                                     : fmt::format("import \"{}\" as site", of.file),
                     of.name, of.file.empty() ? "" : "site.", of.cluster);
}

std::string score::clusterLines(const Calibration& calibration) {
  std::string text;
  for (const FittedFact& fact : calibration.facts)
    if (fact.seen)
      text += fmt::format("  {} = {}\n", fact.path, fact.text(fact.is));
  return text;
}

std::string score::fragmentOf(const Calibration& calibration, const CalibrationOf& of) {
  return headOf(calibration, of) + importsOf(of) + clusterLines(calibration) + "}\n";
}

std::string score::screenOf(const Calibration& calibration, const CalibrationOf& of,
                            unsigned width) {
  std::string text =
      fmt::format("{} of {}\n\n", plural(calibration.rows.size(), "collective"), of.cluster);
  report::TextTable facts({"fact", "was", "is"});
  std::vector<std::string> left;
  for (const FittedFact& fact : calibration.facts)
    if (fact.seen)
      facts.row({fact.path, fact.text(fact.was), fact.text(fact.is)});
    else
      left.push_back(fact.path);
  text += facts.render(width);
  if (!left.empty()) {
    text += "  no row depends on";
    for (std::size_t i = 0; i < left.size(); ++i)
      text += (i == 0 ? " " : ", ") + left[i];
    text += "\n";
  }
  report::TextTable errors({"bus bandwidth, predicted over measured", "size", "rows",
                            "median before", "median", "p90", "bias"},
                           2);
  for (const ResidualGroup& group : groupsOf(calibration))
    for (const bool small : {true, false})
      if (const ErrorPair part =
              partOf(group.rows, [&](const Residual& row) { return isSmall(row) == small; });
          part.after.count > 0)
        errors.row({group.name, small ? "below 1 MiB" : "from 1 MiB",
                    std::to_string(part.after.count), share(part.before.median),
                    share(part.after.median), share(part.after.p90),
                    fmt::format("{:+.1f}", part.after.bias * 100)});
  return text + "\n" + errors.render(width);
}

Json score::jsonOf(const Calibration& calibration, const CalibrationOf& of) {
  const Dimension duration = *dimensionNamed("Duration"), bytes = *dimensionNamed("Bytes"),
                  rate = *dimensionNamed("Bandwidth");
  Json facts = Json::array(), rows = Json::array();
  for (const FittedFact& fact : calibration.facts) {
    const auto value = [&](double v) { return quantity(v, fact.isTime ? duration : Dimension{}); };
    facts.push_back({{"path", fact.path},
                     {"determined", fact.seen},
                     {"initial", value(fact.was)},
                     {"fitted", value(fact.is)}});
  }
  for (const Residual& row : calibration.rows)
    rows.push_back({{"operation", ir::name(row.measured.kind)},
                    {"ranks", row.measured.ranks},
                    {"nodes", row.measured.nodes},
                    {"size", quantity(static_cast<double>(row.measured.bytes), bytes)},
                    {"measured", quantity(row.measured.seconds, duration)},
                    {"before", quantity(row.before, duration)},
                    {"predicted", quantity(row.after, duration)},
                    {"bus_bandwidth", quantity(row.busBandwidth(row.measured.seconds), rate)},
                    {"algorithm", ir::name(row.cost.algorithm)},
                    {"protocol", row.cost.protocol ? Json(row.cost.protocol->name) : Json()},
                    {"error", row.error(row.after)}});
  const ErrorPair part = partOf(allOf(calibration), [](const Residual&) { return true; });
  return {{"schema", "dplc.calibrate.1"},
          {"cluster", of.cluster},
          {"parameters", facts},
          {"error",
           {{"median_before", part.before.median},
            {"median", part.after.median},
            {"p90", part.after.p90}}},
          {"rows", rows}};
}
