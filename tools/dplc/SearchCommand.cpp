//===- SearchCommand.cpp - dplc search: the best layouts of a space ---------------------------===//
#include "backends/report/Format.h"
#include "backends/report/FrontPlot.h"
#include "driver/search/DefaultSearch.h"
#include "driver/search/SearchRun.h"
#include "planner/search/DefaultSpace.h"
#include "support/Json.h"
#include "support/diagnostics/Search.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/FigureChoice.h"
#include "tools/dplc/PageOutput.h"
#include "tools/dplc/SearchChoice.h"
#include "tools/dplc/SearchQuestions.h"
#include "tools/dplc/Shard.h"
#include "tools/dplc/Shortlist.h"
#include <csignal>
#include <thread>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// Set by Ctrl-C.
volatile std::sig_atomic_t interrupted = 0;

/// From now on the first Ctrl-C lets the search end and print what it has found, and the second one
/// ends the process. The returned function says whether there was one.
std::function<bool()> stopOnInterrupt() {
  struct sigaction action {};
  action.sa_handler = [](int) { interrupted = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  (void)::sigaction(SIGINT, &action, nullptr);
  return [] { return interrupted != 0; };
}

/// Lets a search find the Pareto front of its objectives. If it has one objective, a second is
/// added.
void addFront(ir::Space& space) {
  space.pareto = true;
  if (space.objectives.size() > 1)
    return;
  ir::Objective second;
  second.source = space.objectives.front().source == "memory.peak" ? "step_time" : "memory.peak";
  second.nodes.emplace_back();
  second.nodes.back().operation = ir::Operation::Result;
  second.nodes.back().path = second.source;
  space.objectives.push_back(std::move(second));
}

/// Writes the file with the search replaced by a layout. Returns the line "wrote FILE".
std::string writeBest(Session& session, const CompiledUnit& unit, const report::SearchTable& table,
                      const std::string& path, std::size_t index = 0) {
  const std::string text = fileWithBest(unit, table, index);
  if (text.empty()) {
    const auto other = llvm::find_if(table.space.open, [](const auto& f) { return f.otherBlock; });
    (void)session.diags.report<diag::FileNotWritten>(
        {}, fmt::format("`{}` cannot be set in a block without braces", other->path));
    return "";
  }
  // The file must compile with the best layout. It does not, for example, if fields of a base that
  // is itself a search would be set.
  Workspace workspace;
  workspace.overlay(path, text);
  DiagnosticEngine mistakes;
  const std::unique_ptr<CompiledUnit> written = workspace.compile(path, mistakes);
  if (written->file.failed() || mistakes.errors() > 0) {
    (void)session.diags.report<diag::FileNotWritten>(
        {}, fmt::format("`{}` cannot be written as a layout: {}", table.space.name,
                        mistakes.firstError()));
    return "";
  }
  const FailureOr<std::string> formatted =
      format(workspace.sources(), *written->source(), mistakes);
  const std::string& shown = formatted.failed() ? text : *formatted;
  if (Session::isStandardOutput(path)) {
    session.exact = true, session.out = shown;
    return "";
  }
  return session.writeNextTo(path, shown).succeeded() ? fmt::format("\nwrote {}\n", path) : "";
}
/// Searches the part of this process and writes the result to the folder. Returns true if the
/// process must then rank the layouts of all parts, as the first task of a launcher does.
bool runPart(Session& session, const SearchCommandOptions& given, const SearchedBlock& of,
             search::RunOptions& options) {
  const TaskPart task = given.shard.empty() ? partOfTask() : TaskPart{};
  if (task.shards > 1)
    options.shard = task.shard, options.shards = task.shards;
  const FailureOr<std::uint64_t> executed =
      search::runShard(*of.plan, of.block, options, session.sources, session.diags);
  if (executed.failed() || task.shard > 1)
    return false;
  if (task.shards == 1) {
    session.out = fmt::format("kept shard {} of {} in {}: {} executed; `--merge {}` ranks the "
                              "layouts of all shards\n",
                              options.shard, options.shards, given.output,
                              plural(*executed, "candidate"), given.output);
    return false;
  }
  if (search::waitForShards(*of.plan, options, session.sources, given.wait, session.diags).failed())
    return false;
  options.merge = {given.output};
  return true;
}

/// Writes `--html`: the table with the best layout in full. Returns the text to print.
std::string writeSearchPage(Session& session, const SearchCommandOptions& given,
                            const CompiledUnit& unit, const report::SearchTable& table) {
  report::PageContent page = pageOf(session, "search", titleOf(table.space.name, table.file));
  page.screen = report::searchText(table, widthOfPages);
  if (given.pareto)
    page.screen += report::frontText(table, widthOfPages);
  page.answers = report::searchJson(table);
  if (const std::optional<ir::Plan> best = bestPlan(session, unit, table))
    addLayout(session, page, *best, nullptr);
  return writePage(session, given.html, std::move(page));
}

/// Adds the line "wrote FILE" to the screen, or replaces it by a file that is written to standard
/// output.
void addWritten(Session& session, const SearchCommandOptions& given, const std::string& path,
                const std::string& wrote) {
  session.out = Session::isStandardOutput(path) ? wrote
                : given.json || given.csv       ? session.out
                                                : session.out + wrote;
}

void show(Session& session, const SearchCommandOptions& given, const CompiledUnit& unit,
          const report::SearchTable& table) {
  session.out = given.json  ? textOf(report::searchJson(table))
                : given.csv ? report::searchCsv(table)
                            : report::searchText(table, terminalWidth());
  if (given.pareto && !given.json && !given.csv)
    session.out += report::frontText(table, terminalWidth());
  if (table.unsearched > 0)
    (void)session.diags.report<diag::SearchStopped>({}, table.space.name, table.unsearched,
                                                    plural(table.space.candidates(), "candidate"));
  if (table.layouts.empty())
    return;
  if (!given.svg.empty())
    addWritten(session, given, given.svg, session.writePicture(given.svg, report::frontSvg(table)));
  if (!given.html.empty())
    addWritten(session, given, given.html, writeSearchPage(session, given, unit, table));
  if (!given.write.empty()) {
    std::string lines;
    if (given.shortlist == 0)
      lines = writeBest(session, unit, table, given.write);
    for (std::size_t i = 0; given.shortlist > 0 && i < table.layouts.size(); ++i)
      lines += writeBest(session, unit, table, numberedFile(given.write, i + 1), i);
    session.out += given.json || given.csv ? "" : lines;
  }
}

/// Gives a layout without a search the default space of its open fields. False after a report.
bool addDefaultSpace(Session& session, const CompiledUnit& unit, ir::Plan& plan,
                     search::RunOptions& options) {
  FailureOr<ir::Space> space = search::spaceOfLayout(unit, plan, session.diags);
  if (space.failed())
    return false;
  plan.spaces.push_back(std::move(*space));
  options.request.ofLayout = true;
  if (plan.layout.mesh.automatic)
    options.request.base.push_back({fmt::format("{}.mesh", plan.layout.name),
                                    planner::meshOfDefaultSpace(plan),
                                    "search",
                                    {}});
  return true;
}

void showProgress(Session& session, const planner::SearchProgress& now, bool byStep) {
  std::string note;
  if (now.best)
    note = ", best so far " + (byStep ? report::duration(*now.best) : fmt::format("{}", *now.best));
  if (now.best && now.least && *now.least < *now.best)
    note += ", gap " + report::percent(1 - *now.least / *now.best);
  session.progress.set(now.done, now.all, "candidates", note);
}
} // namespace

int tool::runSearch(Session& session, const SearchCommandOptions& given) {
  if (!given.near.empty())
    return answerNear(session, given);
  if (!session.prepare())
    return session.finish();
  search::RunOptions options;
  options.request.path = session.options.files.front();
  options.request.overrides = session.settings();
  std::string& path = options.request.path;
  const std::unique_ptr<CompiledUnit> unit = session.compile(path);
  if (unit->file.failed() || session.diags.errors() > 0)
    return session.finish();
  const std::string shown = Session::nameOf(path);
  if (!given.whyNot.empty()) {
    session.options.layout = given.whyNot;
    if (!session.choose(*unit->file, shown))
      return session.finish();
  }
  const std::optional<SearchedBlock> chosen =
      chooseSearch(session, *unit->file, shown, given.search);
  if (!chosen)
    return session.finish();
  const auto& [block, plan] = *chosen;
  if (!plan->search() && !addDefaultSpace(session, *unit, *plan, options))
    return session.finish();
  if (!knowsFigures(session, given.figures, plan->search()))
    return session.finish();
  for (ir::Space& space : plan->spaces)
    if (space.kind == ir::SpaceKind::Search && given.pareto)
      addFront(space);
  if (!given.svg.empty() && !plan->search()->pareto) {
    (void)session.diags.report<diag::NoFront>(block.range, block.name)
        .help("`--pareto` or `minimize pareto(a, b)` makes it find a front");
    return session.finish();
  }
  if (path == "-") {
    path = session.sources.name(*unit->source()).str();
    options.request.text = session.sources.text(*unit->source()).str();
  }
  options.request.search = block.name;
  options.keep = given.top;
  options.figures = given.figures;
  options.threads = given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  const ir::Space& space = *plan->search();
  options.progress = [&session, byStep = space.objectives.front().source ==
                                         "step_time"](const planner::SearchProgress& now) {
    showProgress(session, now, byStep);
  };
  options.folder = given.output, options.merge = given.merge;
  if (!readShard(session, given.shard, options.shard, options.shards))
    return session.finish();
  if (!given.output.empty() && !runPart(session, given, *chosen, options))
    return session.finish();
  if (options.merge.empty())
    options.stop = stopOnInterrupt();
  if (given.shortlist > 0 && (space.pareto || space.objectives.front().source != "step_time")) {
    session.wrongUsage("--shortlist is for searches whose first objective is `minimize step_time`");
    return session.finish();
  }
  const FailureOr<report::SearchTable> table =
      given.shortlist > 0
          ? runShortlist(*plan, block, options, given.shortlist, session.sources, session.diags)
          : search::run(*plan, block, options, session.sources, session.diags);
  if (table.failed())
    return session.finish();
  if (!given.whyNot.empty() && !table->layouts.empty())
    answerWhyNot(session, *unit, *table, given);
  else
    show(session, given, *unit, *table);
  const int code = session.finish();
  return table->unsearched > 0 ? ExitInterrupted : code;
}
