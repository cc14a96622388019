//===- StudyCommand.cpp - dplc study: the points of a study, run ------------------------------===//
#include "backends/report/PageLayout.h"
#include "driver/study/Derivations.h"
#include "driver/study/Sensitivity.h"
#include "support/Json.h"
#include "tools/dplc/FigureChoice.h"
#include "tools/dplc/PageOutput.h"
#include "tools/dplc/Shard.h"
#include "tools/dplc/StudyRequest.h"
#include <thread>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The study that runs.
const ir::Space* spaceOf(CompiledFile& file, const study::StudyRequest& request) {
  for (const ir::Plan* plan : study::plansOfStudy(file, request.study))
    for (const ir::Space& space : plan->spaces)
      if (plan->layout.name == request.layout && space.name == request.study)
        return &space;
  return nullptr;
}

/// Writes `--html`. Returns the text to print.
std::string writeStudyPage(Session& session, const std::string& path,
                           const study::StudyRequest& request, const study::Results& results) {
  const ir::Space& space = results.space;
  report::PageContent page =
      pageOf(session, "study", titleOf(space.name, Session::nameOf(session.options.files.front())));
  page.screen = study::screen(results, widthOfPages);
  page.answers = study::json(results);
  if (const std::optional<study::Sensitivity> sensitivity = study::sensitivityOf(results))
    page.answers["sensitivity_text"] = study::textOf(*sensitivity, results);
  report::thinRows(page.answers);
  page.derivations = study::derivationsOf(request, results);
  if (!space.plot.x.empty())
    page.plot = {{"x", space.plot.x}, {"y", space.plot.y}, {"series", space.plot.series}};
  return writePage(session, path, std::move(page));
}

void show(Session& session, const StudyOptions& given, const study::StudyRequest& request,
          const study::Results& results) {
  const std::string& folder = given.output;
  const bool whole = results.points.size() == results.space.points();
  if (!folder.empty() && whole && study::writeResults(results, folder, session.diags).failed())
    return;
  session.out = given.json  ? textOf(study::json(results))
                : given.csv ? study::csv(results)
                            : study::screen(results, terminalWidth());
  if (!folder.empty() && !given.json && !given.csv)
    session.out += whole ? fmt::format("\nwrote {}\n", folder)
                         : fmt::format("\nkept {} points in {}; `--merge` puts the shards "
                                       "together\n",
                                       results.points.size(), folder);
  if (given.html.empty())
    return;
  const std::string wrote = writeStudyPage(session, given.html, request, results);
  if (Session::isStandardOutput(given.html))
    session.out = wrote;
  else if (!given.json && !given.csv)
    session.out += "\n" + wrote;
}
} // namespace

int tool::runStudy(Session& session, const StudyOptions& given) {
  study::RunOptions options;
  options.folder = given.output;
  options.merge = given.merge;
  options.threads = given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  if (!readShard(session, given.shard, options.shard, options.shards) || !session.prepare())
    return session.finish();
  const std::unique_ptr<CompiledUnit> unit = compileStudy(session, given.study, options.request);
  if (!unit)
    return session.finish();
  if (!knowsFigures(session, given.figures, spaceOf(*unit->file, options.request)))
    return session.finish();
  options.figures = given.figures;
  options.progress = [&session](std::uint64_t done, std::uint64_t all) {
    session.progress.set(done, all, "points");
  };
  const FailureOr<study::Results> results =
      study::run(*unit->file, options, session.sources, session.diags);
  if (!results.failed())
    show(session, given, options.request, *results);
  return session.finish();
}
