//===- PathPicture.cpp - The critical path of a step as text ----------------------------------===//
#include "simulate/plan/PathPicture.h"
#include "backends/report/Format.h"
#include "backends/report/SvgParts.h"
#include "backends/report/TextTable.h"
#include "simulate/plan/Lane.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <numeric>

using namespace dpl;
using namespace dpl::simulation;

namespace {
constexpr std::size_t mostRows = 24; ///< rows for the ranks with most of the path

std::string time(std::uint64_t ps) { return report::fromPicoseconds(ps); }

/// Names and signs of one kind of part of the path.
struct PathKind {
  const char* word;
  const char* column; ///< heading of the column in the table
  char sign;
  const char* svg;
  double thick; ///< height of the bar
};
constexpr std::array<PathKind, 4> kinds = {{
    {"computes", "computes", '#', "fill=\"#1b9e77\"", 1},
    {"message", "messages", '>', "fill=\"#fff\" stroke=\"#7570b3\"", 0.5},
    {"collective", "collectives", '=', "fill=\"#d95f02\"", 0.5},
    {"samples", "samples", ':', "fill=\"#e6ab02\"", 0.5},
}};
constexpr std::size_t samples = 3; ///< index of the row that is shown only if the plan loads
                                   ///< samples
std::size_t kindOf(const PathPart& part) {
  return part.computes                   ? 0
         : part.what == WaitFor::Message ? 1
         : part.what == WaitFor::Samples ? samples
                                         : 2;
}

/// The ranks with the largest shares of the path, in the order of pipeline ranks.
std::vector<std::uint32_t> rowsOf(const StepPath& path) {
  std::map<std::uint32_t, std::uint64_t> on;
  for (const PathPart& part : path.parts)
    on[part.rank] += part.to - part.from;
  std::vector<std::uint32_t> rows;
  for (const auto& [unit, ps] : on)
    rows.push_back(unit);
  llvm::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) { return on[a] > on[b]; });
  rows.resize(std::min(rows.size(), mostRows));
  llvm::stable_sort(rows, [&](std::uint32_t a, std::uint32_t b) {
    return std::pair(path.pipelineRank[a], a) < std::pair(path.pipelineRank[b], b);
  });
  return rows;
}

std::string labelOf(const StepPath& path, std::uint32_t unit) {
  return fmt::format("rank {}, device {}", path.pipelineRank[unit], path.device[unit]);
}

std::uint64_t endOf(const StepPath& path) { return path.parts.empty() ? 0 : path.parts.back().to; }

/// The signs of a rank's row: in each column the activity with most time, blank if the path is on
/// other ranks.
std::string laneOf(const StepPath& path, std::uint32_t unit, std::size_t columns) {
  Lane lane(columns, endOf(path));
  for (const PathPart& part : path.parts)
    if (part.rank == unit)
      lane.add(kinds[kindOf(part)].sign, part.from, part.to);
  return lane.text();
}

bool waitsFor(const StepPath& path, WaitFor what) {
  return llvm::any_of(path.parts,
                      [&](const PathPart& part) { return !part.computes && part.what == what; });
}

/// The meanings of the signs, as text wrapped to `width`.
std::string legendOf(const StepPath& path, unsigned width) {
  std::string text;
  std::size_t at = width;
  for (const char* of :
       {"# computes", "> a message is sent", "= a collective, from the call of its last rank"}) {
    const std::size_t more = 3 + llvm::StringRef(of).size();
    const bool fits = at + more <= width;
    text += fmt::format("{}{}", fits ? "   " : text.empty() ? "  " : "\n  ", of);
    at = fits ? at + more : more - 1;
  }
  return text + (waitsFor(path, WaitFor::Samples) ? "\n  : samples are loaded\n" : "\n");
}

using TimeByKind = std::array<std::uint64_t, kinds.size()>; ///< time by kind of part
} // namespace

std::string dpl::simulation::renderText(const ir::Plan& plan, const StepPath& path,
                                        unsigned width) {
  std::string text = fmt::format(
      "the critical path of {}, {}\n\n",
      path.drawn ? fmt::format("step {} of {}", path.step + 1, plan.layout.name) : plan.layout.name,
      time(path.time));
  const std::vector<std::uint32_t> rows = rowsOf(path);
  std::size_t label = 0;
  for (const std::uint32_t unit : rows)
    label = std::max(label, labelOf(path, unit).size());
  const std::size_t columns = std::max<std::size_t>(width, 60) - label - 4;
  for (const std::uint32_t unit : rows)
    text += fmt::format("  {:<{}}  {}\n", labelOf(path, unit), label,
                        llvm::StringRef(laneOf(path, unit, columns)).rtrim().str());
  text += "\n" + legendOf(path, width) + "\n";
  std::map<std::uint32_t, TimeByKind> byRank;
  TimeByKind all{};
  for (const PathPart& part : path.parts)
    for (TimeByKind* const of : {&byRank[path.pipelineRank[part.rank]], &all})
      (*of)[kindOf(part)] += part.to - part.from;
  std::vector<std::string> head = {"pipeline rank"};
  for (const PathKind& kind : kinds)
    head.emplace_back(kind.column);
  head.emplace_back("of the path");
  report::TextTable table(head);
  const auto row = [&](const std::string& name, const TimeByKind& of) {
    std::vector<std::string> cells = {name};
    for (const std::uint64_t ps : of)
      cells.push_back(ps > 0 ? time(ps) : "-");
    const auto sum = std::accumulate(of.begin(), of.end(), std::uint64_t{0});
    cells.push_back(report::percent(static_cast<double>(sum) /
                                    static_cast<double>(std::max<std::uint64_t>(endOf(path), 1))));
    table.row(cells);
  };
  for (const auto& [rank, of] : byRank)
    row(std::to_string(rank), of);
  if (byRank.size() > 1)
    row("all", all);
  table.dropDashes();
  return text + table.render(width);
}

std::string dpl::simulation::renderSvg(const ir::Plan& plan, const StepPath& path) {
  constexpr double left = 150, right = 840, top = 50, lane = 22, bar = 14;
  const std::vector<std::uint32_t> rows = rowsOf(path);
  const auto across = [&](std::uint64_t ps) {
    return left + (right - left) * static_cast<double>(ps) /
                      static_cast<double>(std::max<std::uint64_t>(endOf(path), 1));
  };
  const auto upper = [&](std::size_t row) { return top + lane * static_cast<double>(row); };
  std::map<std::uint32_t, std::size_t> rowOf;
  std::string out;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rowOf[rows[i]] = i;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n"
                       "<path d=\"M{:.1f} {:.1f} L{:.1f} {:.1f}\" stroke=\"#ddd\"/>\n",
                       left - 8, upper(i) + 11, report::escaped(labelOf(path, rows[i])), left,
                       upper(i) + bar / 2, right, upper(i) + bar / 2);
  }
  const auto box = [&](const PathKind& kind, double y, double x1, double x2,
                       const std::string& title) {
    const double thick = bar * kind.thick;
    return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" "
                       "{}><title>{}</title></rect>\n",
                       x1, y + (bar - thick) / 2, std::max(0.3, x2 - x1), thick, kind.svg, title);
  };
  const PathPart* before = nullptr;
  for (const PathPart& part : path.parts) {
    const auto row = rowOf.find(part.rank);
    if (row == rowOf.end()) {
      before = nullptr;
      continue;
    }
    if (before && before->rank != part.rank)
      out += fmt::format("<path d=\"M{0:.2f} {1:.2f} L{0:.2f} {2:.2f}\" stroke=\"#333\"/>\n",
                         across(part.from), upper(rowOf[before->rank]) + bar / 2,
                         upper(row->second) + bar / 2);
    const PathKind& kind = kinds[kindOf(part)];
    out += box(kind, upper(row->second), across(part.from), across(part.to),
               fmt::format("{} {}", kind.word, time(part.to - part.from)));
    before = &part;
  }
  const double below = upper(rows.size()) + 22;
  double x = left;
  for (const PathKind& kind : kinds) {
    if (llvm::none_of(path.parts,
                      [&](const PathPart& part) { return &kinds[kindOf(part)] == &kind; }))
      continue;
    out += box(kind, below - 11, x, x + 24, kind.word);
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", x + 30, below, kind.word);
    x += 130;
  }
  const std::string title =
      fmt::format("critical path of a step of {}, {}", plan.layout.name, time(path.time));
  out +=
      fmt::format("<text x=\"{:.1f}\" y=\"20\" font-size=\"13\">{}</text>\n"
                  "<text x=\"{:.1f}\" y=\"{:.1f}\">0</text>\n"
                  "<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
                  left, report::escaped(title), left, top - 8, right, top - 8, time(endOf(path)));
  return report::svgPage(right + 20, below + 20, report::escaped(title), out);
}

Json dpl::simulation::renderJson(const StepPath& path) {
  Json parts = Json::array();
  for (const PathPart& part : path.parts)
    parts.push_back({{"pipeline_rank", path.pipelineRank[part.rank]},
                     {"device", path.device[part.rank]},
                     {"activity", kinds[kindOf(part)].word},
                     {"from_ps", part.from},
                     {"to_ps", part.to}});
  return {{"step", path.step}, {"time_ps", path.time}, {"parts", parts}};
}
