//===- StepTimeline.cpp - What each rank does over a step -------------------------------------===//
#include "simulate/plan/StepTimeline.h"
#include "backends/report/Format.h"
#include "backends/report/Table.h"
#include "simulate/plan/Lane.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::simulation;

namespace {
constexpr std::size_t mostRows = 24;

struct Word {
  const char* json;
  const char* column; ///< of the table
  char sign;
  const char* legend;
};
/// In the order of Doing.
constexpr std::array<Word, doings> words = {{
    {"computes", "computes", '#', "# computes"},
    {"communicates", "communicates", '=', "= what it needs is under way"},
    {"waits", "waits for others", '.', ". waits for others"},
    {"samples", "for samples", ':', ": samples are loaded"},
    {"idle", "idle", ' ', "blank: at the barrier, or through"},
}};
const Word& wordOf(Doing doing) { return words[static_cast<std::size_t>(doing)]; }

/// All, or as many in equal distances, and the slowest.
std::vector<const UnitTimeline*> rowsOf(const StepTimeline& timeline) {
  std::vector<const UnitTimeline*> all;
  for (const UnitTimeline& unit : timeline.units)
    all.push_back(&unit);
  llvm::stable_sort(all, [](const UnitTimeline* a, const UnitTimeline* b) {
    return std::pair(a->pipelineRank, a->device) < std::pair(b->pipelineRank, b->device);
  });
  if (all.size() <= mostRows)
    return all;
  std::vector<const UnitTimeline*> rows;
  for (std::size_t i = 0; i < mostRows; ++i) {
    const std::size_t from = i * all.size() / mostRows, to = (i + 1) * all.size() / mostRows;
    const auto slow = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(from),
                                   all.begin() + static_cast<std::ptrdiff_t>(to),
                                   [](const UnitTimeline* unit) { return unit->slowest; });
    rows.push_back(slow != all.begin() + static_cast<std::ptrdiff_t>(to) ? *slow : all[from]);
  }
  return rows;
}

std::string labelOf(const UnitTimeline& unit) {
  return fmt::format("rank {}, device {}{}", unit.pipelineRank, unit.device,
                     unit.slowest ? ", slowest" : "");
}

using Sums = std::array<std::uint64_t, doings>;
Sums sumsOf(const StepTimeline& timeline) {
  Sums all{};
  for (const UnitTimeline& unit : timeline.units) {
    const Sums of = unit.sums();
    for (std::size_t i = 0; i < doings; ++i)
      all[i] += of[i];
  }
  return all;
}

/// What signs mean, as many on a line as fit; of what nobody does nothing.
std::string legendOf(const Sums& all, unsigned width) {
  std::string text;
  std::size_t at = width;
  for (std::size_t i = 0; i < doings; ++i) {
    if (all[i] == 0)
      continue;
    const std::size_t more = 3 + llvm::StringRef(words[i].legend).size();
    const bool fits = at + more <= width;
    text += fmt::format("{}{}", fits ? "   " : text.empty() ? "  " : "\n  ", words[i].legend);
    at = fits ? at + more : more - 1;
  }
  return text + "\n";
}
} // namespace

std::vector<TimelinePart> dpl::simulation::timelineOf(const std::vector<StepWait>& waits,
                                                      std::uint64_t through, std::uint64_t end) {
  std::vector<TimelinePart> parts;
  std::uint64_t at = 0;
  const auto until = [&](std::uint64_t to, Doing doing) {
    if (to <= at)
      return;
    if (!parts.empty() && parts.back().doing == doing)
      parts.back().to = to;
    else
      parts.push_back({doing, at, to});
    at = to;
  };
  for (const StepWait& wait : waits) {
    until(wait.from, Doing::Computes);
    if (wait.what == WaitFor::Message || wait.what == WaitFor::Collective)
      until(std::min(wait.since, wait.until), Doing::Waits);
    until(wait.until, wait.what == WaitFor::Samples   ? Doing::Samples
                      : wait.what == WaitFor::Barrier ? Doing::Idle
                                                      : Doing::Communicates);
  }
  until(through, Doing::Computes);
  until(end, Doing::Idle);
  return parts;
}

std::array<std::uint64_t, doings> UnitTimeline::sums() const {
  std::array<std::uint64_t, doings> out{};
  for (const TimelinePart& part : parts)
    out[static_cast<std::size_t>(part.doing)] += part.to - part.from;
  return out;
}

std::string dpl::simulation::renderText(const ir::Plan& plan, const StepTimeline& timeline,
                                        unsigned width) {
  std::string text =
      fmt::format("what ranks do in {}, {}\n\n",
                  timeline.drawn ? fmt::format("step {} of {}", timeline.step + 1, plan.layout.name)
                                 : plan.layout.name,
                  report::fromPicoseconds(timeline.time));
  const std::vector<const UnitTimeline*> rows = rowsOf(timeline);
  std::size_t label = 0;
  for (const UnitTimeline* unit : rows)
    label = std::max(label, labelOf(*unit).size());
  const std::size_t columns = std::max<std::size_t>(width, 60) - label - 4;
  for (const UnitTimeline* unit : rows) {
    Lane lane(columns, std::max<std::uint64_t>(timeline.time, 1));
    for (const TimelinePart& part : unit->parts)
      lane.add(wordOf(part.doing).sign, part.from, part.to);
    text += fmt::format("  {:<{}}  {}\n", labelOf(*unit), label,
                        llvm::StringRef(lane.text()).rtrim().str());
  }
  const Sums all = sumsOf(timeline);
  text += "\n" + legendOf(all, width) + "\n";
  std::vector<std::string> head = {"of the step"};
  for (const Word& word : words)
    head.emplace_back(word.column);
  report::Table table(head);
  const auto row = [&](const std::string& name, const Sums& of, std::size_t units) {
    std::vector<std::string> cells = {name};
    const double whole = static_cast<double>(timeline.time) * static_cast<double>(units);
    for (const std::uint64_t ps : of)
      cells.push_back(ps > 0 ? report::percent(static_cast<double>(ps) / whole) : "-");
    table.row(cells);
  };
  for (const UnitTimeline* unit : rows)
    row(labelOf(*unit), unit->sums(), 1);
  if (timeline.units.size() > 1)
    row(fmt::format("all {}", timeline.units.size()), all, timeline.units.size());
  table.dropDashes();
  return text + table.render(width);
}

Json dpl::simulation::renderJson(const StepTimeline& timeline) {
  Json ranks = Json::array();
  const std::vector<const UnitTimeline*> rows = rowsOf(timeline);
  for (const UnitTimeline& unit : timeline.units) {
    Json of = {{"pipeline_rank", unit.pipelineRank}, {"device", unit.device}};
    const Sums sums = unit.sums();
    for (std::size_t i = 0; i < doings; ++i)
      of[fmt::format("{}_ps", words[i].json)] = sums[i];
    if (llvm::is_contained(rows, &unit)) { // all would be gigabytes
      Json parts = Json::array();
      for (const TimelinePart& part : unit.parts)
        parts.push_back(
            {{"activity", wordOf(part.doing).json}, {"from_ps", part.from}, {"to_ps", part.to}});
      of["parts"] = std::move(parts);
    }
    ranks.push_back(std::move(of));
  }
  return {{"step", timeline.step}, {"time_ps", timeline.time}, {"ranks", ranks}};
}
