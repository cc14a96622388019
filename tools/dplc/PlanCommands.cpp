//===- PlanCommands.cpp - dplc report, emit and ir: one layout of a file ----------------------===//
#include "backends/KeptCheckpoint.h"
#include "backends/megatron/Megatron.h"
#include "backends/report/Collectives.h"
#include "backends/report/Format.h"
#include "backends/report/Memory.h"
#include "backends/report/Report.h"
#include "backends/report/TimelineJson.h"
#include "backends/slurm/Slurm.h"
#include "ir/Locations.h"
#include "simulate/diagnosis/Rewrites.h"
#include "simulate/diagnosis/WhatIf.h"
#include "support/FileIo.h"
#include "support/Json.h"
#include "support/Text.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/AdviceOutput.h"
#include "tools/dplc/ArrayJobChoice.h"
#include "tools/dplc/FigureChoice.h"
#include "tools/dplc/NodeQuestions.h"
#include "tools/dplc/PageOutput.h"
#include "tools/dplc/PrintedPlan.h"
#include "tools/dplc/RunSums.h"
#include "tools/dplc/Targets.h"
#include "tools/dplc/WhyAnswer.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The text of `--memory`, with changes that make the plan fit, or the largest values that still
/// fit.
std::string memoryText(const ir::Plan& plan, bool json) {
  const report::TriedChanges changes = triedChanges(plan);
  const double step = plan.step->step;
  return json ? textOf(report::memoryJson(plan, changes, step))
              : report::renderMemory(plan, changes, step, terminalWidth());
}

/// Prints `--timeline` and `--memory`, and writes the picture of `--svg`.
void drawSchedule(Session& session, const ReportOptions& options, const ir::Plan& plan) {
  if (options.memory)
    session.out = memoryText(plan, options.json);
  if (options.timeline && options.json)
    session.out = textOf(report::timelineJson(plan));
  else if (options.timeline)
    session.out = report::renderTimeline(plan, pictureWidth(), hasColour(STDOUT_FILENO));
  if (options.svg.empty())
    return;
  const std::string wrote = session.writePicture(
      options.svg, options.memory ? report::renderMemorySvg(plan) : report::renderSvg(plan));
  session.out = Session::isStandardOutput(options.svg) ? wrote : session.out + wrote;
}

/// Prints `--collectives` as text or JSON, or writes its picture.
void answerCollectives(Session& session, const ReportOptions& options, const ir::Plan& plan) {
  const std::vector<cost::CollectiveChoices> all = cost::collectiveChoices(plan);
  const std::string title = fmt::format("collectives of {}", plan.layout.name);
  if (options.json)
    session.out = textOf(Json{{"schema", "dplc.collectives.1"},
                              {"layout", plan.layout.name},
                              {"cluster", plan.cluster.name},
                              {"collectives", report::collectivesJson(all, plan.cluster)}});
  else if (options.svg.empty())
    session.out = title + "\n\n" + report::collectivesText(all, plan.cluster, terminalWidth());
  else
    session.out = session.writePicture(options.svg, report::collectivesSvg(all, title));
}

/// Prints `--rewrites` as text or JSON.
void answerRewrites(Session& session, bool json, const ir::Plan& plan) {
  const diagnosis::RewriteTable table = diagnosis::rewritesOf(plan);
  if (!json) {
    session.out = diagnosis::rewritesText(plan, table, terminalWidth());
    return;
  }
  Json out{{"schema", "dplc.rewrites.1"}, {"layout", plan.layout.name}};
  out.update(diagnosis::rewritesJson(table));
  session.out = textOf(out);
}

/// Prints `--what-if` as text or JSON, or writes it as a picture.
void answerWhatIf(Session& session, const ReportOptions& options, const ir::Plan& plan) {
  const diagnosis::SensitivityTable table = diagnosis::sensitivitiesOf(plan);
  if (!options.svg.empty()) {
    session.out = session.writePicture(options.svg, diagnosis::sensitivitiesSvg(plan, table));
    return;
  }
  if (!options.json) {
    session.out = diagnosis::sensitivitiesText(plan, table, terminalWidth());
    return;
  }
  Json out{{"schema", "dplc.what_if.1"}, {"layout", plan.layout.name}};
  out.update(diagnosis::sensitivitiesJson(table));
  session.out = textOf(out);
}

/// Writes `--html`, with the screen and the JSON of the report.
void writeReportPage(Session& session, const std::string& path, const ir::Plan& plan,
                     const CompiledUnit& unit) {
  report::PageContent page = pageOf(session, "report", titleOf(plan.layout.name, plan.file));
  page.screen =
      report::renderReport(plan, widthOfPages) + phasesElsewhere(*unit.file, plan, widthOfPages);
  addLayout(session, page, plan, &unit);
  session.out = writePage(session, path, std::move(page));
}

/// The files of all targets. With several targets, each has its own folder. Refusals are reported.
std::vector<EmittedFile> emitAll(Session& session, const ir::Plan& plan,
                                 const std::vector<ChosenTarget>& targets) {
  std::vector<EmittedFile> out;
  for (const ChosenTarget& chosen : targets) {
    const TargetRequest request = requestFor(chosen, plan, targets);
    FailureOr<std::vector<EmittedFile>> files = emit(request, session.diags);
    session.diags.endPhase();
    if (files.failed())
      continue;
    for (EmittedFile& file : *files) {
      if (targets.size() > 1)
        file.path = fmt::format("{}/{}", chosen.target->name, file.path);
      out.push_back(std::move(file));
    }
  }
  return out;
}

/// Each layout of `--min-nodes N`, and the script that picks one; none after a report.
std::vector<EmittedFile> emitRows(Session& session, const EmitOptions& options,
                                  const CompiledUnit& unit, const ir::Plan& plan,
                                  const std::vector<ChosenTarget>& targets) {
  const auto slurm = llvm::find_if(targets, [](const ChosenTarget& chosen) {
    return llvm::StringRef(chosen.target->name) == "slurm";
  });
  if (slurm == targets.end()) {
    session.wrongUsage("`--min-nodes` is for a job of `slurm`",
                       "`dplc emit megatron slurm FILE --min-nodes N -o DIR`");
    return {};
  }
  const auto rows = nodeRows(session, unit, plan, options.minNodes, 0);
  if (!rows)
    return {};
  std::vector<EmittedFile> out;
  std::vector<slurm::RowOfNodes> counts;
  const bool converts =
      llvm::any_of(*rows, [](const search::NodeRow& row) { return !row.condition.empty(); });
  for (const search::NodeRow& row : *rows) {
    counts.push_back({row.nodes, row.used});
    if (row.nodes != row.used)
      continue;
    std::vector<Override> settings = session.settings();
    for (const WrittenField& field : row.fields)
      settings.push_back({plan.layout.name + "." + field.path, field.value, "emit", {}});
    for (const WrittenField& field : row.ofCluster)
      settings.push_back({field.path, field.value, "emit", {}});
    const std::unique_ptr<CompiledUnit> changed = session.workspace.compile(
        session.sources.name(*unit.source()).str(), session.diags, std::move(settings));
    ir::Plan* other =
        changed->file.failed()
            ? nullptr
            : session.choose(*changed->file, Session::nameOf(session.options.files.front()));
    if (!other || !chooseLaunch(session, *other, targets, options.launch) ||
        !complete(session, *other))
      return {};
    if (converts)
      saveForOtherLayouts(*other);
    for (EmittedFile& file : emitAll(session, *other, targets)) {
      file.path =
          fmt::format("nodes-{}/{}{}", row.nodes, targets.size() == 1 ? "slurm/" : "", file.path);
      out.push_back(std::move(file));
    }
  }
  const TargetRequest request = requestFor(*slurm, plan, targets);
  out.push_back({"rows.sbatch", slurm::rowsFile(launcher::Job(request), counts), true, {}});
  return out;
}

/// The files of `--json`, with their texts if no folder has them.
Json listOf(const EmitOptions& options, const std::vector<EmittedFile>& files) {
  Json list = Json::array();
  for (const EmittedFile& file : files)
    list.push_back({{"path", file.path},
                    {"executable", file.executable},
                    {"content", options.dryRun ? Json(validUtf8(file.text())) : Json()}});
  return {{"schema", "dplc.emit.1"},
          {"targets", options.targets},
          {"folder", options.dryRun ? Json() : Json(options.output)},
          {"files", std::move(list)}};
}

/// Writes the folder, or prints the files (`--dry-run`) or the differences (`--diff`). Returns the
/// exit code for the case that no error was reported.
int deliver(Session& session, const EmitOptions& options, const std::vector<EmittedFile>& files) {
  if (options.diff) {
    // Reports a folder that emit would refuse to change, instead of the differences.
    if (mayWriteFolder(options.output, session.diags).failed())
      return ExitOk;
    FailureOr<std::string> changed = differences(options.output, files, session.diags);
    if (changed.failed())
      return ExitOk;
    const bool same = changed->empty();
    session.out = std::move(*changed);
    if (options.json) {
      Json list = listOf(options, files);
      list["differences"] = validUtf8(session.out);
      session.out = textOf(list);
    }
    return same ? ExitOk : ExitWrong;
  }
  if (options.json)
    session.out = textOf(listOf(options, files));
  else
    for (const EmittedFile& file : files)
      session.out += options.dryRun ? fmt::format("==> {} <==\n{}", file.path, file.text())
                                    : fmt::format("{}/{}\n", options.output, file.path);
  if (!options.dryRun && writeFolder(options.output, files, session.diags).failed())
    session.out.clear();
  return ExitOk;
}

int emitArrayJob(Session& session, const EmitOptions& options) {
  const std::optional<study::ArrayJobRequest> job = arrayJobOf(session, options);
  if (!job)
    return session.finish();
  const int code = deliver(session, options, study::arrayJob(*job));
  const int finished = session.finish();
  return finished == ExitOk ? code : finished;
}
} // namespace

int tool::runReport(Session& session, const ReportOptions& options) {
  if (!knowsFigures(session, options.figures))
    return session.finish();
  session.withPlan([&](ir::Plan& plan, const CompiledUnit& unit) {
    if (!complete(session, plan) && plan.memory.empty())
      return;
    if (!options.figures.empty())
      session.out = options.json ? textOf(report::chosenFiguresJson(plan, options.figures))
                                 : report::chosenFigures(plan, options.figures, terminalWidth());
    else if (!options.why.empty())
      answerWhy(session, options.why, plan, unit);
    else if (!options.html.empty())
      writeReportPage(session, options.html, plan, unit);
    else if (options.collectives)
      answerCollectives(session, options, plan);
    else if (options.rewrites)
      answerRewrites(session, options.json, plan);
    else if (options.whatIf)
      answerWhatIf(session, options, plan);
    else if (options.advice)
      answerAdvice(session, options, plan, unit);
    else if (options.timeline || options.memory || !options.svg.empty())
      drawSchedule(session, options, plan);
    else
      session.out = options.json ? textOf(report::reportJson(plan, session.whereSet(plan, unit)))
                                 : report::renderReport(plan, terminalWidth()) +
                                       phasesElsewhere(*unit.file, plan, terminalWidth());
  });
  return session.finish();
}

int tool::runEmit(Session& session, const EmitOptions& options) {
  if (options.list) {
    session.out = targetList();
    return session.finish();
  }
  if (options.targets.empty() || (options.output.empty() && !options.dryRun)) {
    const bool targets = !options.targets.empty();
    return session.refuse(
        targets ? "emit needs a folder to write" : "emit needs a target and a file",
        targets ? "`-o DIR`, or `--dry-run` to print the files"
                : "`dplc emit megatron plan.dpl -o DIR`; `dplc emit --list` names the targets");
  }
  if (!options.study.empty() || !options.search.empty())
    return emitArrayJob(session, options);
  if (options.array > 0)
    return session.refuse("`--array` needs `--study` or `--search`",
                          "`dplc help emit` lists its arguments and options");
  const FailureOr<std::vector<ChosenTarget>> targets = chooseTargets(session, options.targets);
  if (targets.failed())
    return session.finish();
  int code = ExitOk;
  session.withPlan([&](ir::Plan& plan, const CompiledUnit& unit) {
    if (!chooseLaunch(session, plan, *targets, options.launch))
      return;
    if (!complete(session, plan)) { // reports the refusals of targets too, since the user must
                                    // repair them as well
      (void)askTargets(session, *targets, plan);
      return;
    }
    // A run that only sets its length matters only to launchers.
    const bool starts = llvm::any_of(*targets, [](const ChosenTarget& chosen) {
      return chosen.target->role == TargetRole::Launcher;
    });
    for (const UnstartedRun& run : unit.file->unstarted)
      if (plan.launches.empty() && llvm::is_contained(run.layouts, plan.layout.name) &&
          (starts || !run.lengthAlone))
        session.diags.report<diag::RunNotStarted>(run.block.range, run.block.name)
            .help(fmt::format("`launch NAME for {} {{ … }}` starts it", run.block.name));
    const std::vector<EmittedFile> files = options.minNodes > 0
                                               ? emitRows(session, options, unit, plan, *targets)
                                               : emitAll(session, plan, *targets);
    if (session.diags.errors() == 0)
      code = deliver(session, options, files);
  });
  const int finished = session.finish();
  return finished == ExitOk ? code : finished;
}

int tool::runIr(Session& session, const IrOptions& options) {
  session.exact = session.plansOfSearches = true;
  if (options.listPasses) {
    for (const PassInfo& pass : allPasses())
      session.out += listRow(pass.name, pass.summary, 21, terminalWidth());
    return session.finish();
  }
  if (options.files.empty())
    return session.refuse("ir needs a file", "`dplc help ir` lists its arguments and options");
  if (options.read || !options.passes.empty()) {
    runOnPrinted(session, options);
    return session.finish();
  }
  const std::string& dump = options.dumpBefore.empty() ? options.dumpAfter : options.dumpBefore;
  if (!dump.empty() && !knownPass(session, dump))
    return session.finish();
  std::string times;
  session.withPlan([&](ir::Plan& plan, const CompiledUnit&) {
    const auto show = [&](const ir::Plan& now) {
      session.out = ir::print(now);
      if (options.locations)
        session.out += ir::print(ir::locationsOf(now, session.sources));
      if (session.out.size() <= largestSourceFile)
        return;
      session.out.clear();
      (void)session.diags.report<diag::OutputFailed>(
          {}, fmt::format("the plan as text is longer than the {} that `ir --read` takes",
                          largestSourceText()));
    };
    if (plan.search())
      return show(plan);
    PipelineOptions pipeline;
    pipeline.before = [&](llvm::StringRef pass, const ir::Plan& now) {
      if (pass == options.dumpBefore)
        show(now);
    };
    pipeline.after = [&](llvm::StringRef pass, double seconds, const ir::Plan& now) {
      times += fmt::format("{:<20} {:>9.1f} us\n", pass, seconds * 1e6);
      if (pass == options.dumpAfter)
        show(now);
    };
    const bool worked = complete(session, plan, pipeline);
    if (worked && dump.empty())
      show(plan);
  });
  if (options.timePasses)
    (void)writeAll(2, times);
  return session.finish();
}
