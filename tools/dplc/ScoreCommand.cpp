//===- ScoreCommand.cpp - dplc score: measured runs compared with predictions -----------------===//
#include "driver/calibrate/LeaveOut.h"
#include "driver/score/ConstantFit.h"
#include "driver/score/ErrorFit.h"
#include "driver/score/Screen.h"
#include "support/FileIo.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "tools/dplc/PageOutput.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"
#include <thread>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Adds the filter NAME=VALUE of `--where`; false after a report.
bool addFilter(Session& session, score::ScoreOptions& options, llvm::StringRef text) {
  const auto [name, value] = text.split('=');
  if (name.empty() || value.empty()) {
    session.wrongUsage(fmt::format("`--where {}` is not of the form LABEL=VALUE", text));
    return false;
  }
  options.filters.emplace_back(name.str(), value.str());
  return true;
}

/// Adds the field PATH=VALUE of `--set`; false after a report.
bool addField(Session& session, score::ScoreOptions& options, llvm::StringRef text) {
  const auto [path, value] = text.split('=');
  const bool known =
      path.startswith("model.") || path.startswith("cluster.") || path.startswith("layout.");
  if (!known || value.empty()) {
    session.wrongUsage(fmt::format("`--set {}` sets no field of a row", text),
                       "a field of a row's plan is `model.…`, `cluster.…` or `layout.…`");
    return false;
  }
  options.fields.emplace_back(path.str(), value.str());
  return true;
}

/// Reports that filters leave no row, with the first filter that matches no row at all.
void reportFilters(Session& session, const score::ScoreOptions& options,
                   const score::Scores& scores) {
  for (const auto& [name, value] : options.filters) {
    const auto left = scores.filteredValues.find(name);
    const std::set<std::string> values =
        left == scores.filteredValues.end() ? std::set<std::string>() : left->second;
    if (values.count(value) > 0)
      continue;
    const std::vector<std::string> known =
        values.empty() ? scores.labelNames : std::vector(values.begin(), values.end());
    session.wrongUsage(
        fmt::format("--where: no row has `{}{}`", name, values.empty() ? "" : "=" + value),
        didYouMean(nearNames(values.empty() ? name : value, known),
                   "there are " + alternatives(known)));
    return;
  }
  session.wrongUsage("--where: no row has all of these labels");
}

/// Writes `--html`. Returns the text to print.
std::string writeScorePage(Session& session, const ScoreOptions& given, const score::Scores& scores,
                           const Json& json) {
  report::PageContent page;
  std::vector<std::string> names;
  for (const std::string& file : given.files)
    names.push_back(llvm::sys::path::filename(file).str());
  page.kind = "score", page.title = validUtf8("scores of " + llvm::join(names, ", "));
  page.screen = score::screen(scores, widthOfPages, given.worst);
  page.answers = json;
  return writePage(session, given.page, std::move(page));
}

/// Writes the outputs of `--json`, `--compare` and `--html`.
void writeOthers(Session& session, const ScoreOptions& given, const score::Scores& scores) {
  const Json json = score::scoresJson(scores);
  if (given.json)
    session.out += textOf(json);
  if (!given.compareWith.empty()) {
    const FailureOr<std::uint32_t> file =
        loadSource(session.sources, session.diags, given.compareWith);
    if (file.failed())
      return;
    const FailureOr<std::string> text = score::comparison(
        json, given.compareWith, session.sources.text(*file), terminalWidth(), session.diags);
    if (!text.failed())
      session.out += *text;
  }
  if (given.page.empty())
    return;
  const std::string wrote = writeScorePage(session, given, scores, json);
  if (!given.json || Session::isStandardOutput(given.page))
    session.out += wrote;
}
} // namespace

namespace {
/// Prints what constants and rules rest on, or predictions of rows that are left out of the fit.
void runConstants(Session& session, const ScoreOptions& given, const score::ScoreOptions& options) {
  const FailureOr<score::ConstantHistory> history =
      score::constantHistory(given.files, options, session.sources, session.diags);
  if (history.failed())
    return;
  if (given.constants) {
    session.out = score::screenOfConstants(*history, terminalWidth());
    return;
  }
  if (const std::vector<std::string>& known = history->scores.labelNames;
      !llvm::is_contained(known, given.leaveOut)) {
    session.wrongUsage(fmt::format("--leave-out: no row has a label `{}`", given.leaveOut),
                       didYouMean(nearNames(given.leaveOut, known),
                                  known.empty() ? "" : "there are " + alternatives(known)));
    return;
  }
  const FailureOr<std::vector<score::LeftOutSteps>> steps = score::leaveOutSteps(
      *history, given.leaveOut, given.files, options, session.sources, session.diags);
  if (steps.failed())
    return;
  if (!steps->empty())
    session.out = score::screenOf(*steps, given.leaveOut, terminalWidth());
  // Tables of training steps have no collectives that could be left out.
  const bool collectives = llvm::any_of(history->scores.rows, [](const score::ScoredRow& row) {
    return row.pairs[score::BusBandwidth].measured > 0;
  });
  if (!collectives) {
    if (steps->empty())
      session.wrongUsage(fmt::format("--leave-out: measured steps need two values of label `{}`, "
                                     "they have fewer",
                                     given.leaveOut));
    return;
  }
  if (const FailureOr<score::HeldOutResult> left =
          score::leaveOut(given.files, given.leaveOut, options, session.sources, session.diags);
      !left.failed())
    session.out += (session.out.empty() ? "" : "\n") + score::screenOf(*left, terminalWidth());
}
} // namespace

int tool::runScore(Session& session, const ScoreOptions& given) {
  score::ScoreOptions options;
  options.mapping = given.mapping;
  options.jobs = given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  for (const std::string& text : given.where)
    if (!addFilter(session, options, text))
      return session.finish();
  for (const std::string& text : given.set)
    if (!addField(session, options, text))
      return session.finish();
  if (!given.planOf.empty()) {
    if (const FailureOr<std::string> text =
            score::planOfRow(given.files, given.planOf, options, session.sources, session.diags);
        !text.failed())
      session.out = *text;
    return session.finish();
  }
  if (!given.leaveOut.empty() || given.constants) {
    runConstants(session, given, options);
    return session.finish();
  }
  if (given.intervals || given.errorTable) {
    if (const FailureOr<score::ErrorHistory> history =
            score::errorHistory(given.files, options, session.sources, session.diags);
        !history.failed())
      session.out = given.errorTable ? score::errorTable(*history)
                    : given.json     ? textOf(score::intervalsJson(*history))
                                     : score::screenOf(*history, terminalWidth());
    return session.finish();
  }
  options.progress = [&session](std::size_t rows) { session.progress.set(rows, 0, "rows"); };
  const FailureOr<score::Scores> scores =
      score::scoreTables(given.files, options, session.sources, session.diags);
  if (scores.failed())
    return session.finish();
  if (scores->rows.empty() && scores->filteredOut > 0) {
    reportFilters(session, options, *scores);
    return session.finish(); // without writing a file
  }
  if (given.json || !given.page.empty() || !given.compareWith.empty())
    writeOthers(session, given, *scores);
  else
    session.out = score::screen(*scores, terminalWidth(), given.worst);
  return session.finish();
}
