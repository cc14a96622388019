//===- StepCalibrationText.cpp - Fitted steps as lines of a file, screen and JSON -------------===//
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "driver/calibrate/StepCalibration.h"
#include "support/Number.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include <cmath>
#include <filesystem>
using namespace dpl;
using namespace dpl::score;

namespace {
std::string valueText(const StepFactKind& kind, double value) {
  return kind.isTime ? fmt::format("{:.1f}us", value * 1e6) : fmt::format("{:.3g}", value);
}
/// The share of the prior's uncertainty that the runs remove.
double determinedOf(const FittedStepFact& fact) {
  return 1 - std::sqrt(std::min(1.0, fact.varianceLeft));
}

std::string errorText(double predicted, double measured) {
  const double error = predicted / measured - 1;
  return std::isfinite(error) ? fmt::format("{:+.1f}", 100 * error) : "-";
}
std::string line(const std::string& field, const std::string& value, const std::string& comment) {
  const bool amends = llvm::StringRef(value).startswith("{");
  return fmt::format("  {}{}{}{}\n", field, amends ? " " : " = ", value,
                     comment.empty() ? "" : "  // " + comment);
}
} // namespace

std::string score::headOf(const StepCalibration& found, const CalibrationOf& of) {
  std::string names;
  for (const std::string& input : of.logs)
    names += (names.empty() ? "" : ", ") + std::filesystem::path(input).filename().string();
  return fmt::format("/// Device and links of {} as `dplc calibrate` finds them in {}: {}.\n",
                     of.cluster, oneLine(names),
                     found.parts.empty() ? plural(found.runs.size(), "run")
                                         : plural(found.runs.size() + found.parts.size(), "time"));
}

std::string score::clusterLines(const StepCalibration& found, const StepRuns& runs) {
  std::string text;
  for (const auto& [field, value] : runs.clusterFields)
    if (llvm::none_of(found.facts, [&, &path = field](const FittedStepFact& fact) {
          return path == fact.kind->path;
        }))
      text += line(field, value, "");
  for (const FittedStepFact& fact : found.facts)
    text += line(fact.kind->path, valueText(*fact.kind, fact.is),
                 fmt::format("{}, 80 %: {} to {}", fact.kind->name, valueText(*fact.kind, fact.low),
                             valueText(*fact.kind, fact.high)));
  if (found.memory)
    text += line("node.gpu.non_tensor_memory", fmt::format("{:.0f}MiB", found.memory->is / 1048576),
                 fmt::format("runs: {:.0f} to {:.0f} MiB", found.memory->low / 1048576,
                             found.memory->high / 1048576));
  return text;
}

std::string score::frameworkOf(const StepRuns& runs, const std::string& name) {
  if (runs.frameworkFields.empty())
    return "";
  std::string text =
      fmt::format("\n/// What the framework of these runs does.\nlayout {} {{\n", name);
  for (const auto& [field, value] : runs.frameworkFields)
    text += line(field, value, "");
  return text + "}\n";
}

std::string score::screenOf(const StepCalibration& found, unsigned width) {
  report::TextTable facts({"field", "was", "is", "80 % from", "to", "determined %"});
  for (const FittedStepFact& fact : found.facts)
    facts.row({fact.kind->path, valueText(*fact.kind, fact.was), valueText(*fact.kind, fact.is),
               valueText(*fact.kind, fact.low), valueText(*fact.kind, fact.high),
               fmt::format("{:.0f}", 100 * determinedOf(fact))});
  if (found.memory) {
    const auto mebibytes = [](double bytes) { return fmt::format("{:.0f}MiB", bytes / 1048576); };
    facts.row({"node.gpu.non_tensor_memory", mebibytes(found.memory->was),
               mebibytes(found.memory->is), mebibytes(found.memory->low),
               mebibytes(found.memory->high), "-"});
  }
  report::TextTable runs({"run", "measured", "error % before", "after", "from the others"});
  for (const JudgedRun& run : found.runs)
    runs.row({run.name, report::duration(run.measured), errorText(run.before, run.measured),
              errorText(run.after, run.measured), errorText(run.heldOut, run.measured)});
  for (std::size_t i = 0; i < found.parts.size(); ++i)
    runs.row({found.parts[i].name, report::duration(found.parts[i].measured),
              errorText(found.partsBefore[i], found.parts[i].measured),
              errorText(found.partsAfter[i], found.parts[i].measured), "-"});
  runs.dropDashes();
  return fmt::format("{}\n{}", facts.render(width), runs.render(width));
}

namespace {
Json stepsJson(const StepCalibration& found) {
  const Dimension duration = *dimensionNamed("Duration");
  Json facts = Json::array(), runs = Json::array();
  for (const FittedStepFact& fact : found.facts) {
    const auto value = [&](double v) {
      return quantity(v, fact.kind->isTime ? duration : Dimension{});
    };
    facts.push_back({{"path", fact.kind->path},
                     {"initial", value(fact.was)},
                     {"fitted", value(fact.is)},
                     {"lower", value(fact.low)},
                     {"upper", value(fact.high)},
                     {"determined", determinedOf(fact)}});
  }
  if (found.memory) {
    const auto value = [](double v) { return quantity(v, *dimensionNamed("Bytes")); };
    facts.push_back({{"path", "node.gpu.non_tensor_memory"},
                     {"initial", value(found.memory->was)},
                     {"fitted", value(found.memory->is)},
                     {"lower", value(found.memory->low)},
                     {"upper", value(found.memory->high)}});
  }
  const auto add = [&](const std::string& name, double measured, double before, double after,
                       double heldOut) {
    Json row{{"name", name}, {"measured", quantity(measured, duration)}};
    for (const auto& [member, seconds] : std::initializer_list<std::pair<const char*, double>>{
             {"before", before}, {"predicted", after}, {"held_out", heldOut}})
      if (std::isfinite(seconds))
        row[member] = quantity(seconds, duration);
    runs.push_back(row);
  };
  for (const JudgedRun& run : found.runs)
    add(run.name, run.measured, run.before, run.after, run.heldOut);
  for (std::size_t i = 0; i < found.parts.size(); ++i)
    add(found.parts[i].name, found.parts[i].measured, found.partsBefore[i], found.partsAfter[i],
        std::nan(""));
  return {{"parameters", facts}, {"rows", runs}};
}
} // namespace

Json score::jsonOf(const Calibration* links, const StepCalibration* steps,
                   const CalibrationOf& of) {
  Json out = links ? jsonOf(*links, of)
                   : Json{{"schema", "dplc.calibrate.1"},
                          {"cluster", of.cluster},
                          {"parameters", Json::array()},
                          {"rows", Json::array()}};
  if (steps)
    out["steps"] = stepsJson(*steps);
  return out;
}
