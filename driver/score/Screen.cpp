//===- Screen.cpp - Scores as text ------------------------------------------------------------===//
#include "driver/score/Screen.h"
#include "backends/Backend.h"
#include "backends/report/Format.h"
#include "backends/report/TextTable.h"
#include "driver/score/MemoryLimit.h"
#include "driver/score/Misses.h"
#include "support/Text.h"
using namespace dpl;
using namespace dpl::score;

namespace {
std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }
std::string bias(double share) { return fmt::format("{:+.1f}", 100 * share); }

std::vector<std::string> cellsOf(const std::string& name, const Errors& e) {
  if (e.count == 0)
    return {name, "0", "-", "-", "-", "-", "-"};
  return {name,         std::to_string(e.count), percent(e.mean), percent(e.median), percent(e.p90),
          bias(e.bias), percent(e.within10)};
}

report::TextTable errorTable(const std::string& what) {
  return report::TextTable({what, "rows", "mean %", "median", "p90", "bias", "within 10"});
}

/// A value in its unit: "12.3s", "51.2GiB", "365GB/s".
std::string shown(std::size_t quantity, float value) {
  if (quantity == Allocated || quantity == Reserved)
    return report::memory(static_cast<double>(value));
  if (quantity == BusBandwidth)
    return fmt::format("{:.4g}GB/s", static_cast<double>(value) / 1e9);
  return report::duration(static_cast<double>(value));
}

std::string quantityTables(const Scores& scores, std::size_t quantity, unsigned width) {
  const QuantityErrors errors = errorsOf(scores, quantity);
  if (errors.all.count == 0)
    return "";
  std::string text = fmt::format("\n{}, predicted over measured\n", quantities()[quantity].words);
  report::TextTable all = errorTable("");
  all.row(cellsOf("all", errors.all));
  text += all.render(width);
  for (const std::string& label : scores.labelNames) {
    const auto by = errors.byLabel.find(label);
    if (by == errors.byLabel.end() || by->second.size() < 2)
      continue;
    report::TextTable table = errorTable("by " + label);
    for (const auto& [value, e] : by->second)
      table.row(cellsOf(value, e));
    text += "\n" + table.render(width);
  }
  return text;
}

std::string collectiveTables(const Scores& scores, unsigned width) {
  const CollectiveErrors errors = collectiveErrors(scores);
  if (errors.small.count + errors.large.count == 0)
    return "";
  std::string text = "\nbus bandwidth, predicted over measured\n";
  report::TextTable all = errorTable("");
  all.row(cellsOf("below 1 MiB", errors.small));
  all.row(cellsOf("from 1 MiB", errors.large));
  text += all.render(width);
  for (const auto& [title, by] :
       {std::pair("below 1 MiB", errors.smallBy), {"from 1 MiB", errors.largeBy}}) {
    if (by.empty())
      continue;
    report::TextTable table = errorTable(title);
    for (const auto& [name, e] : by)
      table.row(cellsOf(name, e));
    text += "\n" + table.render(width);
  }
  return text;
}

void addVerdicts(report::TextTable& table, const std::string& name, const Verdicts& v) {
  table.row({name, std::to_string(v.all()), percent(v.right()), std::to_string(v.rightFits),
             std::to_string(v.rightOutOfMemory), std::to_string(v.falseFits),
             std::to_string(v.falseOutOfMemory)});
}

std::string verdictTable(const Scores& scores, unsigned width) {
  const Verdicts without = verdicts(scores, false), with = verdicts(scores, true);
  if (with.all() == 0)
    return "";
  report::TextTable table({"does it fit", "runs", "right %", "fits", "out of memory", "false fits",
                           "false out of memory"});
  addVerdicts(table, "all", without);
  if (with.all() != without.all())
    addVerdicts(table, "with runs that ran and then did not fit", with);
  if (const auto families = verdictsBy(scores, "family"); families.size() > 1)
    for (const auto& [family, v] : families)
      addVerdicts(table, family, v);
  return "\n" + table.render(width);
}

std::string missesTable(const Scores& scores, unsigned width) {
  const std::vector<AlikeRuns> groups = wrongVerdicts(scores);
  if (groups.empty())
    return "";
  report::TextTable table({"wrong verdicts", "of runs", "false fits", "false out of memory"});
  for (const AlikeRuns& group : groups)
    table.row({group.what, std::to_string(group.verdicts.all()),
               std::to_string(group.verdicts.falseFits),
               std::to_string(group.verdicts.falseOutOfMemory)});
  return "\n" + table.render(width);
}

std::string limitTable(const Scores& scores, unsigned width) {
  const std::vector<MemoryLimit> limits = memoryLimits(scores);
  if (limits.empty())
    return "";
  report::TextTable table({"best limit of tensor memory", "limit", "right %", "false fits",
                           "false out of memory", "on other sizes: right %", "false fits",
                           "false out of memory"});
  for (const MemoryLimit& l : limits)
    table.row({l.family + " " + l.device, report::memory(l.bytes), percent(l.chosen.right()),
               std::to_string(l.chosen.falseFits), std::to_string(l.chosen.falseOutOfMemory),
               percent(l.crossed.right()), std::to_string(l.crossed.falseFits),
               std::to_string(l.crossed.falseOutOfMemory)});
  return "\n" + table.render(width);
}

std::string choiceTable(const Scores& scores, unsigned width) {
  const ChoiceQualities c = choices(scores);
  if (c.model.groups == 0)
    return "";
  report::TextTable table({"choice", "groups", "regret, mean %", "median", "p90", "out of memory",
                           "pairs", "ordered right %"});
  for (const auto& [name, choice] :
       {std::pair("predicted time", c.model), {"three-line rule", c.rule}})
    table.row(
        {name, std::to_string(choice.groups), percent(choice.regret.mean),
         percent(choice.regret.median), percent(choice.regret.p90),
         std::to_string(choice.outOfMemory), std::to_string(choice.pairs),
         choice.pairs == 0 ? "-" : percent(choice.ordered / static_cast<double>(choice.pairs))});
  return "\n" + table.render(width);
}

std::string shortlistTable(const Scores& scores, unsigned width) {
  const std::vector<ShortlistQuality> all = shortlists(scores);
  if (all.empty())
    return "";
  report::TextTable table({"shortlist of", "groups", "holds the fastest run",
                           "holds one within 5 %", "layouts drawn at random, %"});
  for (const ShortlistQuality& q : all)
    table.row({std::to_string(q.length), std::to_string(q.groups), std::to_string(q.held),
               std::to_string(q.heldClosely), percent(q.drawn)});
  return "\n" + table.render(width);
}

/// "smx-001, smx-002, smx-003, smx-004 and 5 more"
std::string someOf(const Scores& scores, const std::vector<const ScoredRow*>& rows) {
  constexpr std::size_t most = 4;
  std::string text;
  for (std::size_t i = 0; i < rows.size() && i < most; ++i)
    text += (i == 0 ? "" : ", ") + scores.id(*rows[i]).str();
  if (rows.size() > most)
    text += fmt::format(" and {} more", rows.size() - most);
  return text;
}

using Reasons = std::vector<std::pair<std::string, std::vector<const ScoredRow*>>>;

std::string reasons(const Scores& scores, const Reasons& found, const char* title, unsigned width) {
  if (found.empty())
    return "";
  std::size_t all = 0;
  for (const auto& [reason, rows] : found)
    all += rows.size();
  std::string text = fmt::format("\n{} ({})\n", title, all);
  constexpr std::size_t most = 12;
  for (std::size_t i = 0; i < found.size() && i < most; ++i)
    text +=
        listRow(fmt::format("  {:>5}", found[i].second.size()),
                fmt::format("{}: {}", found[i].first, someOf(scores, found[i].second)), 9, width);
  if (found.size() > most)
    text += fmt::format("         and {} more reasons\n", found.size() - most);
  return text;
}

std::string worstRows(const Scores& scores, unsigned width, std::size_t most) {
  std::string text;
  for (std::size_t quantity = 0; quantity < quantityCount; ++quantity) {
    const std::vector<const ScoredRow*> rows = worst(scores, quantity, most);
    if (rows.empty())
      continue;
    report::TextTable table({fmt::format("worst, {}", quantities()[quantity].words), "family",
                             "measured", "predicted", "error %"},
                            2);
    for (const ScoredRow* row : rows)
      table.row({scores.id(*row).str(), scores.label(*row, "family").str(),
                 shown(quantity, row->pairs[quantity].measured),
                 shown(quantity, row->pairs[quantity].predicted),
                 bias(row->pairs[quantity].error())});
    text += fmt::format("\n{}  {}\n", table.render(width),
                        explanation(scores, *rows.front(), quantity));
  }
  return text;
}
} // namespace

std::string score::explanation(const Scores& scores, const ScoredRow& row, std::size_t quantity) {
  std::string text = fmt::format("dplc score {} --plan {}", shellWord(scores.tables[row.table]),
                                 shellWord(scores.id(row)));
  if (!scores.mappingFile.empty())
    text += " --mapping " + shellWord(scores.mappingFile);
  for (const auto& [path, value] : scores.fields)
    text += " --set " + shellWord(path + "=" + value);
  text += " > row.dpl; ";
  if (quantity == BusBandwidth)
    return text +
           fmt::format("dplc collective --cluster machine {} --ranks {} --size {:.0f} row.dpl",
                       scores.texts[row.collectiveOptions], row.devices, row.collectiveBytes);
  return text +
         fmt::format("dplc report row.dpl --why {}",
                     quantity == Allocated || quantity == Reserved ? "memory.peak" : "step_time");
}

std::string score::screen(const Scores& scores, unsigned width, std::size_t worstCount) {
  std::string text = plural(scores.rows.size(), "row");
  if (scores.wrong > 0)
    text += fmt::format(", {} more cannot be read", scores.wrong);
  if (scores.filteredOut > 0)
    text += fmt::format(", {} left out by the filter", scores.filteredOut);
  text += "\n";
  for (std::size_t quantity : {StepTime, PartTime, Allocated, Reserved})
    text += quantityTables(scores, quantity, width);
  text += collectiveTables(scores, width);
  text += verdictTable(scores, width);
  text += missesTable(scores, width);
  text += limitTable(scores, width);
  text += choiceTable(scores, width);
  text += shortlistTable(scores, width);
  text +=
      reasons(scores, byReason(scores, ScoredRow::ScoreState::Refused, true),
              "refused by the compiler, but measured: the table or the compiler is wrong", width);
  text += reasons(scores, byReason(scores, ScoredRow::ScoreState::Refused, false),
                  "refused by the compiler, and not known to have run", width);
  std::vector<const ScoredRow*> ran;
  for (const ScoredRow& row : scores.rows)
    if (row.state == ScoredRow::ScoreState::DoesNotFit && row.ran == RunOutcome::Yes)
      ran.push_back(&row);
  if (!ran.empty())
    text += fmt::format("\nmeasured, but predicted not to fit ({})\n", ran.size()) +
            listRow("", someOf(scores, ran), 9, width);
  text += reasons(scores, unknownOf(scores),
                  "network or machine without a matching rule; the library's is used", width);
  text += reasons(scores, byReason(scores, ScoredRow::ScoreState::Inexpressible), "not expressible",
                  width);
  text += reasons(scores, byReason(scores, ScoredRow::ScoreState::Unscored), "not scored", width);
  return text + worstRows(scores, width, worstCount);
}
