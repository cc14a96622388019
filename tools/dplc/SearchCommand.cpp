//===- SearchCommand.cpp - dplc search: the best layouts of a space ---------------------------===//
#include "backends/report/Format.h"
#include "driver/search/SearchRun.h"
#include "support/Json.h"
#include "support/diagnostics/Search.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/FigureChoice.h"
#include "tools/dplc/SearchQuestions.h"
#include <thread>
using namespace dpl;
using namespace dpl::tool;

namespace {
const NamedBlock* blockNamed(const std::vector<NamedBlock>& blocks, const std::string& name) {
  const auto found =
      llvm::find_if(blocks, [&](const NamedBlock& block) { return block.name == name; });
  return found == blocks.end() ? nullptr : &*found;
}

/// The search that the command line names, or the only one; null after a report.
const NamedBlock* chooseSearch(Session& session, const CompiledFile& file, const std::string& path,
                               const std::string& asked) {
  std::vector<std::string> names;
  for (const NamedBlock& block : file.searches)
    names.push_back(block.name);
  if (asked.empty() && names.size() == 1)
    return &file.searches.front();
  if (asked.empty() && !names.empty()) {
    (void)session.diags.report<diag::SearchNeeded>({}, path, names.size())
        .help(fmt::format("name it: `dplc search {} {}`; it has {}", path, names.front(),
                          alternatives(names)));
    return nullptr;
  }
  const NamedBlock* block = blockNamed(file.searches, asked);
  if (!block)
    (void)session.diags
        .report<diag::NoSuchSearch>({}, path, asked.empty() ? "" : fmt::format(" `{}`", asked))
        .help(names.empty()
                  ? "a search is `search layout NAME for MODEL on CLUSTER { … minimize step_time }`"
                  : didYouMean(nearNames(asked, names), "it has " + alternatives(names)));
  return block;
}

/// Writes the file with the search replaced by its best layout. Returns the line "wrote FILE".
std::string writeBest(Session& session, const CompiledUnit& unit, const report::SearchTable& table,
                      const std::string& path) {
  std::vector<WrittenField> values;
  for (std::size_t i = 0; i < table.space.open.size(); ++i)
    values.push_back({table.space.open[i].path, table.layouts.front().values[i], ""});
  const std::string text = unit.searchAsLayout(table.space.name, values);
  // What is written compiles: fields of a base that is a search, for one, cannot be set this way.
  Workspace workspace;
  workspace.overlay(path, text);
  DiagnosticEngine mistakes;
  const std::unique_ptr<CompiledUnit> written = workspace.compile(path, mistakes);
  if (written->file.failed() || mistakes.errors() > 0) {
    (void)session.diags.report<diag::FileNotWritten>(
        {}, fmt::format("search `{}` cannot be written as a layout: {}", table.space.name,
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
} // namespace

int tool::runSearch(Session& session, const SearchCommandOptions& given) {
  if (!given.near.empty())
    return answerNear(session, given);
  if (!knowsFigures(session, given.figures) || !session.prepare())
    return session.finish();
  search::RunOptions options;
  options.request = {session.options.files.front(), "", {}, session.settings()};
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
  const NamedBlock* block = chooseSearch(session, *unit->file, shown, given.search);
  if (!block)
    return session.finish();
  const ir::Plan* plan = nullptr;
  for (const ir::Plan& searched : unit->file->searched)
    if (searched.layout.name == block->name)
      plan = &searched;
  if (!plan) {
    (void)session.diags.report<diag::NoSuchSearch>(block->range, shown, " that can be run")
        .help(fmt::format("`search layout {} for MODEL on CLUSTER` names both", block->name));
    return session.finish();
  }
  if (path == "-") {
    path = session.sources.name(*unit->source()).str();
    options.request.text = session.sources.text(*unit->source()).str();
  }
  options.request.search = block->name;
  options.keep = given.top;
  options.figures = given.figures;
  options.threads = given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  const ir::Space& space = *plan->search();
  options.progress = [&session, byStep = space.objectives.front().source == "step_time"](
                         std::uint64_t done, std::uint64_t all, std::optional<double> best) {
    const std::string found = !best    ? ""
                              : byStep ? report::duration(*best)
                                       : fmt::format("{}", *best);
    session.progress.set(done, all, "candidates", best ? ", best so far " + found : "");
  };
  const FailureOr<report::SearchTable> table = search::run(*plan, *block, options, session.diags);
  if (!table.failed() && !given.whyNot.empty() && !table->layouts.empty())
    answerWhyNot(session, *unit, *table, given);
  else if (!table.failed())
    session.out = given.json  ? textOf(report::searchJson(*table))
                  : given.csv ? report::searchCsv(*table)
                              : report::searchText(*table, terminalWidth());
  if (!table.failed() && !given.write.empty() && !table->layouts.empty()) {
    const std::string line = writeBest(session, *unit, *table, given.write);
    session.out += given.json || given.csv ? "" : line;
  }
  return session.finish();
}
