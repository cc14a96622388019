//===- Results.cpp - The points of a study as a table, CSV and JSON ---------------------------===//
#include "backends/report/TextTable.h"
#include "driver/study/Candidate.h"
#include "driver/study/RowValues.h"
#include "driver/study/Sensitivity.h"
#include "ir/DrawnFigures.h"
#include "ir/Names.h"
#include "support/FileIo.h"
#include "support/Text.h"
#include "support/Utf8.h"
#include <algorithm>
#include <cmath>
#include <csv.h>
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::study;

namespace {
using CandidateText = std::string(const ir::OpenField& field, std::uint64_t index);

std::string wholeCandidate(const ir::OpenField& field, std::uint64_t index) {
  return field.at(index);
}

std::vector<std::string> candidatesAt(const Results& results, const StudyPoint& point,
                                      CandidateText& textOf) {
  const std::vector<std::uint64_t> chosen = StudyPoints(results.space).at(point.number);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < chosen.size(); ++i)
    texts.push_back(textOf(results.space.open[i], chosen[i]));
  return texts;
}

bool variesLevel(const ir::Space& space) {
  return llvm::any_of(
      space.open, [&](const ir::OpenField& field) { return field.path == space.name + ".level"; });
}

/// A line with the number of simulated steps and the confidence interval of their mean. Empty if no
/// steps were simulated.
std::string stepsText(const Results& results) {
  std::uint64_t least = UINT64_MAX, most = 0;
  double widest = 0;
  std::size_t unknown = 0, known = 0, unsettled = 0;
  bool drawn = false, byWorkers = false;
  for (const StudyPoint& point : results.points) {
    if (point.steps == 0)
      continue;
    least = std::min(least, point.steps), most = std::max(most, point.steps);
    widest = std::max(widest, point.halfWidth.value_or(0));
    ++(point.halfWidth ? known : point.unsettled ? unsettled : unknown);
    drawn = drawn || point.drawn;
    byWorkers = byWorkers || point.byWorkers;
  }
  if (most == 0)
    return "";
  if (!drawn)
    return "no random variation";
  // If the synchronization mode of data ranks is simulated, there is no level to name.
  std::string text =
      fmt::format("{} simulated step{} per point{}",
                  least == most ? std::to_string(most) : fmt::format("{} to {}", least, most),
                  most == 1 ? "" : "s",
                  byWorkers || variesLevel(results.space)
                      ? ""
                      : fmt::format(" at {} level", ir::name(results.space.level)));
  if (known > 0)
    text += fmt::format(", mean within ±{:.2g} % (95 % confidence)", 100 * widest);
  if (unknown > 0)
    text += known > 0 ? fmt::format("; too few for an interval at {}", plural(unknown, "point"))
                      : ", too few for an interval of their mean";
  if (unsettled > 0)
    text += fmt::format("{} no mean that converges{}", text.back() == ')' ? ";" : ",",
                        known + unknown > 0 ? " at " + plural(unsettled, "point") : "");
  return text;
}

/// A line with the number of drawn runs and the confidence interval of their mean. Empty if no runs
/// were drawn.
std::string runsText(const Results& results) {
  std::uint64_t least = UINT64_MAX, most = 0;
  double widest = 0;
  bool known = true;
  for (const StudyPoint& point : results.points)
    for (const RunsOfPoint& one : point.runs) {
      least = std::min(least, one.count), most = std::max(most, one.count);
      widest = std::max(widest, one.halfWidth.value_or(0));
      known = known && one.halfWidth;
    }
  if (most == 0)
    return "";
  const std::string count =
      least == most ? plural(most, "drawn run") : fmt::format("{} to {} drawn runs", least, most);
  return count + " a point" +
         (!known       ? ", too few for an interval of their mean"
          : widest > 0 ? fmt::format(", mean within ±{:.2g} % (95 % confidence)", 100 * widest)
                       : ", nothing fails");
}

/// Seeds in words: "seed 1", "seeds 1 to 20", "seeds 3, 5".
std::string seedsText(llvm::ArrayRef<std::uint64_t> seeds) {
  if (seeds.size() > 2 && seeds.back() - seeds.front() == seeds.size() - 1 &&
      llvm::is_sorted(seeds))
    return fmt::format("seeds {} to {}", seeds.front(), seeds.back());
  return fmt::format("seed{} {}", seeds.size() == 1 ? "" : "s", fmt::join(seeds, ", "));
}

/// The seeds of the random numbers in words. Empty if the study uses none, or varies them.
std::string seedsText(const Results& results) {
  const ir::Space& space = results.space;
  std::string text = space.sampling.kind == ir::SamplingKind::Random
                         ? fmt::format("points drawn with seed {}", space.sampling.seed)
                         : "";
  const bool stepsVary =
      llvm::any_of(results.points, [](const StudyPoint& point) { return point.drawn; });
  bool drawn = false;
  const auto read = [&](llvm::StringRef path) {
    const std::optional<ir::DrawnFigure> figure = ir::drawnFigureNamed(path);
    drawn = drawn || (figure && figure->usesSeeds() && (stepsVary || !figure->run.empty()));
  };
  const auto readAll = [&](const ir::Assertion& expression) {
    for (const ir::AssertionNode& node : expression.nodes)
      read(node.path);
  };
  for (const std::string& output : space.outputs)
    if (const ir::DerivedOutput* derived = space.derivedNamed(output))
      readAll(derived->value);
    else
      read(output);
  for (const ir::Assertion& constraint : space.constraints)
    readAll(constraint);
  const bool varied = llvm::any_of(
      space.open, [&](const ir::OpenField& field) { return field.path == space.name + ".seeds"; });
  if (drawn && !varied)
    text += (text.empty() ? "" : ", ") + seedsText(llvm::makeArrayRef(space.seeds));
  return text;
}

/// The text above the table.
std::string heading(const Results& results, unsigned width) {
  const ir::Space& space = results.space;
  // If the study itself names a cluster, its layout has the name of the study.
  std::string text =
      space.name == results.layout ? space.name : space.name + " of " + results.layout;
  text += ": ";
  if (results.points.size() < space.points())
    text += fmt::format("{} of ", results.points.size());
  text += plural(space.points(), "point") + "\n";
  const bool overRows = !results.whole() && !figuresOverRows(space).empty();
  for (const std::string& said :
       {stepsText(results), runsText(results), seedsText(results),
        std::string(overRows ? "values over rows need all points: `--merge` computes them" : "")})
    if (!said.empty())
      text += listRow("", said, 2, width);
  return text;
}

/// The values of the varied fields at a point: "nodes = 8, cv = 0.1".
std::string placeBy(const std::vector<std::string>& names, const Results& results,
                    const StudyPoint& point) {
  std::string where;
  const std::vector<std::string> texts = candidatesAt(results, point, shortCandidate);
  for (std::size_t i = 0; i < texts.size(); ++i)
    where += fmt::format("{}{} = {}", i == 0 ? "" : ", ", names[i], texts[i]);
  return where;
}

/// Whether the columns of all varied fields and one output fit into the width.
bool candidatesFit(const Results& results, const std::vector<std::string>& names, unsigned width) {
  std::size_t figure = 8, all = 0;
  for (const std::string& output : results.space.outputs)
    figure = std::max(figure, output.size());
  std::vector<std::size_t> widths;
  for (const std::string& name : names)
    widths.push_back(name.size());
  for (const StudyPoint& point : results.points) {
    const std::vector<std::string> texts = candidatesAt(results, point, shortCandidate);
    for (std::size_t i = 0; i < texts.size(); ++i)
      widths[i] = std::max(widths[i], texts[i].size());
  }
  for (const std::size_t one : widths)
    all += one + 2;
  return 2 + all + figure <= width;
}

/// A text about the points that did not run, grouped by reason.
std::string refusals(const Results& results, const std::vector<std::string>& names,
                     unsigned width) {
  constexpr std::size_t shown = 10;
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons;
  std::size_t count = 0;
  for (const StudyPoint& point : results.points) {
    if (point.ran())
      continue;
    ++count;
    const std::string where = placeBy(names, results, point);
    const auto same =
        llvm::find_if(reasons, [&](const auto& reason) { return reason.first == point.refused; });
    if (same == reasons.end())
      reasons.push_back({point.refused, {where}});
    else
      same->second.push_back(where);
  }
  if (count == 0)
    return "";
  std::string text = fmt::format("\n{} cannot be run:\n", plural(count, "point"));
  for (std::size_t i = 0; i < std::min(shown, reasons.size()); ++i) {
    const auto& [reason, places] = reasons[i];
    const std::string more =
        places.size() > 1 ? fmt::format(" and {} more", places.size() - 1) : "";
    text += listRow("", fmt::format("{}{}: {}", places.front(), more, reason), 2, width);
  }
  if (reasons.size() > shown)
    text += fmt::format("  and {} other reasons\n", reasons.size() - shown);
  return text;
}

/// A cell of CSV, quoted as libcsv does it.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos)
    return text;
  std::string out(2 * text.size() + 2, '\0');
  out.resize(csv_write(out.data(), out.size(), text.data(), text.size()));
  return out;
}

std::string exact(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }
} // namespace

std::string study::placeOf(const Results& results, const StudyPoint& point) {
  return placeBy(shortNames(results.space.open), results, point);
}

std::string study::screen(const Results& results, unsigned width) {
  const std::vector<std::string> names = shortNames(results.space.open);
  const bool named = candidatesFit(results, names, width);
  std::vector<std::string> header = named ? names : std::vector<std::string>{"point"};
  const auto textColumns = static_cast<unsigned>(header.size());
  header.insert(header.end(), results.space.outputs.begin(), results.space.outputs.end());
  report::TextTable table(header, textColumns);
  std::string legend;
  for (const StudyPoint& point : results.points) {
    std::vector<std::string> cells = {std::to_string(point.number)};
    if (named)
      cells = candidatesAt(results, point, shortCandidate);
    else
      legend +=
          listRow(fmt::format("  {}", point.number), placeBy(names, results, point), 9, width);
    for (std::size_t i = 0; i < results.space.outputs.size(); ++i) {
      const Dimension& of = results.dimensions[i];
      const double value = point.values[i];
      cells.push_back(std::isnan(value)    ? "-"
                      : results.isTruth(i) ? value > 0 ? "yes" : "no"
                                           : human(value, of, of == *dimensionNamed("Bytes")));
    }
    table.row(std::move(cells));
  }
  std::string changes;
  if (const std::optional<Sensitivity> sensitivity = sensitivityOf(results))
    changes = "\n" + listRow("", textOf(*sensitivity, results), 2, width);
  return heading(results, width) + "\n" + table.render(width) + (named ? "" : "\n" + legend) +
         changes + refusals(results, names, width);
}

std::string study::csv(const Results& results) {
  const ir::Space& space = results.space;
  std::string text;
  for (const ir::OpenField& field : space.open)
    text += quoted(field.path) + ",";
  for (std::size_t i = 0; i < space.outputs.size(); ++i) {
    const std::string unit = baseUnit(results.dimensions[i]);
    text += quoted(space.outputs[i] + (unit.empty() ? "" : fmt::format(" [{}]", unit))) + ",";
  }
  text += "steps,half_width,refused\n";
  for (const StudyPoint& point : results.points) {
    for (const std::string& candidate : candidatesAt(results, point, wholeCandidate))
      text += quoted(candidate) + ",";
    for (std::size_t i = 0; i < point.values.size(); ++i)
      text += (results.isTruth(i) && !std::isnan(point.values[i])
                   ? point.values[i] > 0 ? "true" : "false"
                   : exact(point.values[i])) +
              ",";
    text += fmt::format("{},{},{}\n", point.steps, point.halfWidth ? exact(*point.halfWidth) : "",
                        quoted(point.refused));
  }
  return text;
}

Json study::json(const std::vector<RunsOfPoint>& runs) {
  Json out = Json::array();
  for (const RunsOfPoint& one : runs)
    out.push_back({{"run", one.name},
                   {"draws", one.count},
                   {"half_width", one.halfWidth ? Json(*one.halfWidth) : Json()}});
  return out;
}

Json study::json(const Results& results) {
  const ir::Space& space = results.space;
  Json points = Json::array();
  for (const StudyPoint& point : results.points) {
    Json one = {{"point", point.number}, {"values", Json::object()}};
    const std::vector<std::string> texts = candidatesAt(results, point, wholeCandidate);
    for (std::size_t i = 0; i < texts.size(); ++i)
      one["values"][space.open[i].path] = texts[i];
    one["outputs"] = Json::object();
    for (std::size_t i = 0; i < space.outputs.size(); ++i)
      one["outputs"][space.outputs[i]] = std::isnan(point.values[i]) ? Json(nullptr)
                                         : results.isTruth(i)
                                             ? Json(point.values[i] > 0)
                                             : quantity(point.values[i], results.dimensions[i]);
    one["steps"] = point.steps;
    one["half_width"] = point.halfWidth ? Json(*point.halfWidth) : Json();
    if (!point.runs.empty())
      one["runs"] = json(point.runs);
    one["refused"] = point.ran() ? Json(nullptr) : Json(validUtf8(point.refused));
    one["failed_assertions"] = point.broken;
    one["missing"] = point.unknown;
    points.push_back(std::move(one));
  }
  return {{"schema", "dplc.study.1"},  {"study", space.name},
          {"layout", results.layout},  {"points", space.points()},
          {"seeds", space.seeds},      {"outputs", space.outputs},
          {"rows", std::move(points)}, {"sensitivity", json(sensitivityOf(results), results)}};
}

LogicalResult study::writeResults(const Results& results, const std::string& folder,
                                  DiagnosticEngine& diags) {
  if (writeFile(folder + "/results.csv", csv(results), diags).failed() ||
      writeFile(folder + "/results.json", textOf(json(results)), diags).failed())
    return LogicalResult::failure();
  if (results.space.plot.x.empty() || !results.ran())
    return LogicalResult::success();
  return writeFile(folder + "/plot.svg", picture(results).svg(), diags);
}
