//===- StudyCommand.cpp - dplc study: the points of a study, run ------------------------------===//
#include "study/ArrayJob.h"
#include "study/Study.h"
#include "support/FileIo.h"
#include "support/Near.h"
#include "support/diagnostics/Study.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Session.h"
#include <chrono>
#include <thread>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// `--shard i/n`; false after a report.
bool readShard(Session& session, study::RunOptions& options) {
  const std::string& given = session.options.shard;
  if (given.empty())
    return true;
  const auto [shard, shards] = llvm::StringRef(given).split('/');
  if (!shard.getAsInteger(10, options.shard) && !shards.getAsInteger(10, options.shards) &&
      options.shard >= 1 && options.shard <= options.shards)
    return true;
  (void)session.diags.report<diag::UsageError>(
      {}, fmt::format("--shard: `{}` is not of the form I/N with I from 1 to N", given));
  return false;
}

/// The study and the layout that the command line means; false after a report.
bool choose(Session& session, CompiledFile& file, study::Request& request) {
  std::vector<std::string> studies, layouts;
  for (const NamedBlock& block : file.studies)
    studies.push_back(block.name);
  if (request.study.empty() && studies.size() == 1)
    request.study = studies.front();
  if (request.study.empty() && !studies.empty()) {
    (void)session.diags.report<diag::StudyNeeded>({}, request.path, studies.size())
        .help(fmt::format("name it: `dplc study {} {}`; it has {}", request.path, studies.front(),
                          alternatives(studies)));
    return false;
  }
  if (!llvm::is_contained(studies, request.study)) {
    const std::string which = request.study.empty() ? "" : fmt::format(" `{}`", request.study);
    (void)session.diags.report<diag::NoSuchStudy>({}, request.path, which)
        .help(studies.empty() ? "a study is `study NAME for LAYOUT { vary { … } outputs = [ … ] }`"
                              : didYouMean(nearNames(request.study, studies),
                                           "it has " + alternatives(studies)));
    return false;
  }
  for (const ir::Plan* plan : study::plansOfStudy(file, request.study))
    layouts.push_back(plan->layout.name);
  if (layouts.empty()) {
    (void)session.diags.report<diag::NoLayout>({}, request.path)
        .help(fmt::format("study `{}` is for nothing that is checked with a model and a cluster",
                          request.study));
    return false;
  }
  if (request.layout.empty() && layouts.size() == 1)
    request.layout = layouts.front();
  if (llvm::is_contained(layouts, request.layout))
    return true;
  if (request.layout.empty())
    (void)session.diags.report<diag::StudyOfLayouts>({}, request.study, layouts.size())
        .help("choose with `--layout`: " + alternatives(layouts));
  else
    (void)session.diags.report<diag::NoSuchLayout>({}, request.path, request.layout)
        .help("the study is of " + alternatives(layouts));
  return false;
}

/// Writes over the line before, on a terminal, at most ten times a second.
std::function<void(std::uint64_t, std::uint64_t)> progress() {
  if (!::isatty(STDERR_FILENO))
    return {};
  using Clock = std::chrono::steady_clock;
  return [begin = Clock::now(), shown = Clock::time_point()](std::uint64_t done,
                                                             std::uint64_t all) mutable {
    const Clock::time_point now = Clock::now();
    if (now - shown < std::chrono::milliseconds(100) && done < all)
      return;
    shown = now;
    const double left = std::chrono::duration<double>(now - begin).count() /
                        static_cast<double>(done) * static_cast<double>(all - done);
    (void)writeAll(STDERR_FILENO,
                   done < all ? fmt::format("\r{} of {} points, {:.0f} s left   ", done, all, left)
                              : "\r" + std::string(48, ' ') + "\r");
  };
}

void show(Session& session, const study::Results& results, const std::string& folder) {
  const Options& given = session.options;
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
}

/// `--array N`: the files of the job in the place of its points.
void writeArray(Session& session, const study::Request& request) {
  const Options& given = session.options;
  if (given.files.front() == "-") {
    (void)session.diags.report<diag::UsageError>({}, "--array: the job reads a file, found `-`");
    return;
  }
  const std::vector<OutputFile> files = study::arrayJob({request, given.array, given.output});
  if (writeFolder(given.output, files, session.diags).failed())
    return;
  for (const OutputFile& file : files)
    session.out += fmt::format("{}/{}\n", given.output, file.path);
}
} // namespace

int tool::runStudy(Session& session) {
  const Options& given = session.options;
  study::RunOptions options;
  options.request = {given.files.front(), given.topic, given.layout, {}, {}};
  options.folder = given.output;
  options.merge = given.merge;
  options.threads = given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  if (!readShard(session, options) || !session.prepare())
    return session.finish();
  options.request.overrides = session.settings();
  const std::unique_ptr<CompiledUnit> unit = session.compile(options.request.path);
  if (unit->file.failed() || session.diags.errors() > 0)
    return session.finish();
  if (options.request.path == "-") {
    options.request.path = session.sources.name(*unit->source()).str();
    options.request.text = session.sources.text(*unit->source()).str();
  }
  if (!choose(session, *unit->file, options.request))
    return session.finish();
  if (given.array > 0) {
    writeArray(session, options.request);
    return session.finish();
  }
  options.progress = progress();
  const FailureOr<study::Results> results =
      study::run(*unit->file, options, session.sources, session.diags);
  if (!results.failed())
    show(session, *results, options.folder);
  return session.finish();
}
