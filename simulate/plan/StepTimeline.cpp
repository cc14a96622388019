//===- StepTimeline.cpp - Activities of each rank over a step ---------------------------------===//
#include "simulate/plan/StepTimeline.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "simulate/plan/Lane.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::simulation;

namespace {
constexpr std::size_t mostRows = 24;

struct ActivityWord {
  const char* json;
  const char* column; ///< heading of the column in the table
  char sign;
  const char* legend;
};
/// In the order of RankActivity.
constexpr std::array<ActivityWord, rankActivities> words = {{
    {"computes", "computes", '#', "# computes"},
    {"communicates", "communicates", '=', "= communicates"},
    {"waits", "waits for others", '.', ". waits for others"},
    {"samples", "for samples", ':', ": samples are loaded"},
    {"idle", "idle", ' ', "blank: at the barrier, or finished"},
}};
const ActivityWord& wordOf(RankActivity doing) { return words[static_cast<std::size_t>(doing)]; }

/// All ranks if there are few. Otherwise evenly spaced ones, and the slowest.
std::vector<const RankTimeline*> rowsOf(const StepTimeline& timeline) {
  std::vector<const RankTimeline*> all;
  for (const RankTimeline& unit : timeline.ranks)
    all.push_back(&unit);
  llvm::stable_sort(all, [](const RankTimeline* a, const RankTimeline* b) {
    return std::pair(a->pipelineRank, a->device) < std::pair(b->pipelineRank, b->device);
  });
  if (all.size() <= mostRows)
    return all;
  std::vector<const RankTimeline*> rows;
  for (std::size_t i = 0; i < mostRows; ++i) {
    const std::size_t from = i * all.size() / mostRows, to = (i + 1) * all.size() / mostRows;
    const auto slow = std::find_if(all.begin() + static_cast<std::ptrdiff_t>(from),
                                   all.begin() + static_cast<std::ptrdiff_t>(to),
                                   [](const RankTimeline* unit) { return unit->slowest; });
    rows.push_back(slow != all.begin() + static_cast<std::ptrdiff_t>(to) ? *slow : all[from]);
  }
  return rows;
}

std::string labelOf(const RankTimeline& unit) {
  return fmt::format("rank {}, device {}{}", unit.pipelineRank, unit.device,
                     unit.slowest ? ", slowest" : "");
}

using Sums = std::array<std::uint64_t, rankActivities>;
Sums sumsOf(const StepTimeline& timeline) {
  Sums all{};
  for (const RankTimeline& unit : timeline.ranks) {
    const Sums of = unit.sums();
    for (std::size_t i = 0; i < rankActivities; ++i)
      all[i] += of[i];
  }
  return all;
}

/// The meanings of the signs that occur, as text wrapped to `width`.
std::string legendOf(const Sums& all, unsigned width) {
  std::string text;
  std::size_t at = width;
  for (std::size_t i = 0; i < rankActivities; ++i) {
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
  const auto until = [&](std::uint64_t to, RankActivity doing) {
    if (to <= at)
      return;
    if (!parts.empty() && parts.back().activity == doing)
      parts.back().to = to;
    else
      parts.push_back({doing, at, to});
    at = to;
  };
  for (const StepWait& wait : waits) {
    until(wait.from, RankActivity::Computes);
    if (wait.what == WaitFor::Message || wait.what == WaitFor::Collective)
      until(std::min(wait.since, wait.until), RankActivity::Waits);
    until(wait.until, wait.what == WaitFor::Samples   ? RankActivity::Samples
                      : wait.what == WaitFor::Barrier ? RankActivity::Idle
                                                      : RankActivity::Communicates);
  }
  until(through, RankActivity::Computes);
  until(end, RankActivity::Idle);
  return parts;
}

std::array<std::uint64_t, rankActivities> RankTimeline::sums() const {
  std::array<std::uint64_t, rankActivities> out{};
  for (const TimelinePart& part : parts)
    out[static_cast<std::size_t>(part.activity)] += part.to - part.from;
  return out;
}

std::string dpl::simulation::renderText(const ir::Plan& plan, const StepTimeline& timeline,
                                        unsigned width) {
  std::string text =
      fmt::format("what ranks do in {}, {}\n\n",
                  timeline.drawn ? fmt::format("step {} of {}", timeline.step + 1, plan.layout.name)
                                 : plan.layout.name,
                  report::fromPicoseconds(timeline.time));
  const std::vector<const RankTimeline*> rows = rowsOf(timeline);
  std::size_t label = 0;
  for (const RankTimeline* unit : rows)
    label = std::max(label, labelOf(*unit).size());
  const std::size_t columns = std::max<std::size_t>(width, 60) - label - 4;
  for (const RankTimeline* unit : rows) {
    Lane lane(columns, std::max<std::uint64_t>(timeline.time, 1));
    for (const TimelinePart& part : unit->parts)
      lane.add(wordOf(part.activity).sign, part.from, part.to);
    text += fmt::format("  {:<{}}  {}\n", labelOf(*unit), label,
                        llvm::StringRef(lane.text()).rtrim().str());
  }
  const Sums all = sumsOf(timeline);
  text += "\n" + legendOf(all, width) + "\n";
  std::vector<std::string> head = {"of the step"};
  for (const ActivityWord& word : words)
    head.emplace_back(word.column);
  report::TextTable table(head);
  const auto row = [&](const std::string& name, const Sums& of, std::size_t units) {
    std::vector<std::string> cells = {name};
    const double whole = static_cast<double>(timeline.time) * static_cast<double>(units);
    for (const std::uint64_t ps : of)
      cells.push_back(ps > 0 ? report::percent(static_cast<double>(ps) / whole) : "-");
    table.row(cells);
  };
  for (const RankTimeline* unit : rows)
    row(labelOf(*unit), unit->sums(), 1);
  if (timeline.ranks.size() > 1)
    row(fmt::format("all {}", timeline.ranks.size()), all, timeline.ranks.size());
  table.dropDashes();
  return text + table.render(width);
}

Json dpl::simulation::renderJson(const StepTimeline& timeline) {
  Json ranks = Json::array();
  const std::vector<const RankTimeline*> rows = rowsOf(timeline);
  for (const RankTimeline& unit : timeline.ranks) {
    Json of = {{"pipeline_rank", unit.pipelineRank}, {"device", unit.device}};
    const Sums sums = unit.sums();
    for (std::size_t i = 0; i < rankActivities; ++i)
      of[fmt::format("{}_ps", words[i].json)] = sums[i];
    if (llvm::is_contained(rows, &unit)) { // the parts of all ranks would be gigabytes
      Json parts = Json::array();
      for (const TimelinePart& part : unit.parts)
        parts.push_back(
            {{"activity", wordOf(part.activity).json}, {"from_ps", part.from}, {"to_ps", part.to}});
      of["parts"] = std::move(parts);
    }
    ranks.push_back(std::move(of));
  }
  return {{"step", timeline.step}, {"time_ps", timeline.time}, {"ranks", ranks}};
}
