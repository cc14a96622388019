//===- SimulateCommand.cpp - dplc simulate: steps, runs and workers of one layout -------------===//
#include "cost/step/RoutedPrograms.h"
#include "simulate/diagnosis/Diagnosis.h"
#include "simulate/plan/BestInterval.h"
#include "simulate/plan/LinkRates.h"
#include "simulate/plan/PathPicture.h"
#include "simulate/plan/Simulation.h"
#include "simulate/plan/StepTimeline.h"
#include "simulate/plan/WorkersSimulation.h"
#include "support/Json.h"
#include "support/Near.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/PageOutput.h"
#include "tools/dplc/RunSums.h"
#include "tools/dplc/Session.h"
#include "tools/dplc/Targets.h"
using namespace dpl;
using namespace dpl::tool;

namespace {

/// The run of the plan with this name, ready to be drawn; empty after a report.
std::optional<simulation::DrawnRun> drawnRun(Session& session, const ir::Plan& plan,
                                             const std::string& name) {
  const std::optional<simulation::DrawnRun> run = simulation::drawnRun(plan, name);
  if (run && run->refused.empty())
    return run;
  if (run) {
    (void)session.diags.report<diag::NotSimulated>({}, name, run->refused);
    return std::nullopt;
  }
  llvm::SmallVector<llvm::StringRef> known;
  for (const ir::Run& one : plan.runs)
    known.push_back(one.name);
  (void)session.diags.report<diag::NoSuchRun>({}, plan.layout.name, name)
      .help(llvm::is_contained(known, name) ? "its phases have no steps with this layout"
                                            : suggest(name, known).help);
  return std::nullopt;
}

/// Runs `simulate --run NAME`. Relies on: the plan is complete.
void simulateRun(Session& session, const SimulateOptions& options, const ir::Plan& plan) {
  const std::optional<simulation::DrawnRun> run = drawnRun(session, plan, options.run);
  std::optional<simulation::DrawnRun> beside;
  if (run && !options.concurrentRun.empty()) {
    beside = drawnRun(session, plan, options.concurrentRun);
    if (beside)
      if (const std::string why = simulation::whyNotTogether(*run, *beside); !why.empty())
        (void)session.diags.report<diag::NotSimulated>({}, options.run, why);
  }
  if (session.diags.errors() > 0)
    return;
  const simulation::DrawnRun* other = beside ? &*beside : nullptr;
  const simulation::RunRequest request{options.draws, options.seed, options.jobs};
  if (const std::string why = simulation::whyTooLong(*run, other, request); !why.empty()) {
    (void)session.diags.report<diag::NotSimulated>({}, options.run, why)
        .help("fewer `--draws` need less time");
    return;
  }
  const simulation::RunResult result = simulation::drawRuns(plan, *run, other, request);
  const simulation::IntervalSearch search =
      other ? simulation::IntervalSearch()
            : simulation::bestInterval(plan, *run, request, request.seed);
  if (!options.json) {
    session.out = simulation::renderText(plan, result) + renderText(search, request.draws);
    return;
  }
  Json all = simulation::renderJson(plan, result);
  if (search.best)
    all["optimal_interval"] = renderJson(*search.best);
  session.out = textOf(all);
}

/// The plan that is simulated, its file, and the options.
struct SimulatedPlan {
  const ir::Plan& plan;
  const CompiledUnit& unit;
  const SimulateOptions& options;
};

/// The request for a page, which also has the critical path and the timeline of a step if there is
/// memory for them.
simulation::SimulationRequest requestOfPage(const SimulatedPlan& of,
                                            simulation::SimulationRequest request) {
  simulation::SimulationRequest recorded = request;
  recorded.path = recorded.timeline = true;
  const bool records =
      !of.options.html.empty() && simulation::whyNotSimulated(of.plan, recorded).empty();
  return records ? recorded : request;
}

/// The answer of a page: the JSON, with the timeline of a step unless it is long.
Json answersOfPage(Json all, const simulation::SimulationResult& result) {
  constexpr std::size_t mostParts = 40'000;
  std::size_t parts = 0;
  if (result.timeline)
    for (const simulation::RankTimeline& rank : result.timeline->ranks)
      parts += rank.parts.size();
  if (parts > mostParts)
    all.erase("timeline");
  return all;
}

/// Prints an answer as text or JSON, and writes the page of `--html`. `text` gets a width, and
/// `json` whether it is for a page.
void print(Session& session, const SimulatedPlan& of,
           llvm::function_ref<std::string(unsigned)> text, llvm::function_ref<Json(bool)> json) {
  std::string wrote;
  if (!of.options.html.empty()) {
    report::PageContent page =
        pageOf(session, "simulate", titleOf(of.plan.layout.name, of.plan.file));
    page.screen = text(widthOfPages);
    page.answers = json(true);
    addLayout(session, page, of.plan, &of.unit);
    wrote = writePage(session, of.options.html, std::move(page));
    if (Session::isStandardOutput(of.options.html)) {
      session.out = std::move(wrote);
      return;
    }
  }
  session.out = of.options.json ? textOf(json(false))
                : wrote.empty() ? text(terminalWidth())
                                : text(terminalWidth()) + "\n" + wrote;
}

/// Runs `simulate --synchronization MODE`. Relies on: the plan is complete.
void simulateWorkers(Session& session, const SimulatedPlan& of,
                     const simulation::WorkersRequest& request) {
  const ir::Plan& plan = of.plan;
  if (const std::string why = simulation::whyNotSimulated(plan, request); !why.empty()) {
    (void)session.diags.report<diag::NotSimulated>({}, plan.layout.name, why);
    return;
  }
  const simulation::WorkersResult result = simulation::runWorkers(plan, request);
  print(
      session, of, [&](unsigned width) { return simulation::renderText(plan, result, width); },
      [&](bool) { return simulation::renderJson(plan, result); });
}

/// Runs `simulate --diagnose`. Relies on: the plan is complete.
void diagnose(Session& session, const SimulatedPlan& of,
              const simulation::SimulationRequest& request) {
  const ir::Plan& plan = of.plan;
  if (const std::string why = diagnosis::whyNotDiagnosed(plan, request); !why.empty()) {
    auto error = session.diags.report<diag::NotSimulated>({}, plan.layout.name, why);
    if (!simulation::stepsByWorkers(plan)) // the limit for steps by workers does not depend on the
                                           // number of causes
      (void)std::move(error).help(
          "a diagnosis simulates the steps once for each cause; fewer `--steps` need less time");
    return;
  }
  const diagnosis::Diagnosis found = diagnosis::diagnose(plan, request, diagnosis::trainerOf(plan));
  const diagnosis::MeasuredSteps& step = found.step;
  print(
      session, of,
      [&](unsigned width) {
        return (step.workers ? simulation::renderText(plan, *step.workers, width)
                             : simulation::renderText(plan, *step.ranks, width)) +
               "\n" + diagnosis::renderText(plan, found, width);
      },
      [&](bool ofPage) {
        Json all = step.workers ? simulation::renderJson(plan, *step.workers)
                                : simulation::renderJson(plan, *step.ranks);
        if (ofPage && step.ranks) {
          const auto recorded = simulation::runSteps(plan, requestOfPage(of, request));
          all = answersOfPage(simulation::renderJson(plan, recorded), recorded);
        }
        all["diagnosis"] = diagnosis::renderJson(found);
        return all;
      });
}

/// Runs `simulate` for steps that end with a barrier. Relies on: the plan is complete.
void simulateSteps(Session& session, const SimulatedPlan& of,
                   const simulation::SimulationRequest& request) {
  const ir::Plan& plan = of.plan;
  const SimulateOptions& options = of.options;
  const simulation::SimulationResult result =
      simulation::runSteps(plan, requestOfPage(of, request));
  print(
      session, of,
      [&](unsigned width) {
        std::string text = simulation::renderText(plan, result, width);
        if (options.timeline)
          text += "\n" + simulation::renderText(plan, *result.timeline, width);
        if (options.path)
          text += "\n" + simulation::renderText(plan, *result.path, width);
        return text;
      },
      [&](bool ofPage) {
        Json all = simulation::renderJson(plan, result);
        if (ofPage)
          return answersOfPage(std::move(all), result);
        if (!options.path)
          all.erase("critical_path");
        if (!options.timeline)
          all.erase("timeline");
        return all;
      });
  if (!options.svg.empty())
    if (const std::string wrote =
            session.writePicture(options.svg, simulation::renderSvg(plan, *result.path));
        !options.json)
      session.out += "\n" + wrote;
}

/// Reports why a plan is not simulated: no level can simulate it, only another level can, or the
/// simulation needs too much time or memory.
void notSimulated(Session& session, const ir::Plan& plan,
                  const simulation::SimulationRequest& request, const std::string& why) {
  const auto report = [&](const char* field) {
    return session.diags.report<diag::NotSimulated>(
        field ? plan.layout.rangeOf(field) : SourceRange(), plan.layout.name, why);
  };
  if (!plan.steady.empty())
    return (void)report("schedule");
  const bool vary = simulation::LinkRates::has(plan), routed = cost::RoutedPrograms::has(plan);
  if (!request.messages && vary)
    return (void)report("cluster.link_jitter").help("`--level message` simulates links that vary");
  if (!request.messages || !routed)
    return (void)report(nullptr).help("`--level action` and fewer `--steps` need less time");
  auto error = report(nullptr);
  if (!vary)
    (void)std::move(error).help("`--level action` draws the experts of tokens");
}
} // namespace

int tool::runSimulate(Session& session, const SimulateOptions& options) {
  simulation::SimulationRequest request;
  request.steps = options.steps, request.seed = options.seed, request.threads = options.jobs;
  request.detail =
      options.level == "action" ? simulation::Detail::Operation : simulation::Detail::Collective;
  request.messages = options.level == "message", request.fold = !options.unfolded;
  request.path = options.path, request.timeline = options.timeline;
  if (options.steps == 0 || options.steps > UINT32_MAX)
    session.wrongUsage(fmt::format("--steps: 1 to {} steps can be simulated, found {}", UINT32_MAX,
                                   options.steps));
  if (options.draws == 0 || options.draws > mostDraws)
    session.wrongUsage(
        fmt::format("--draws: 1 to {} runs can be drawn, found {}", mostDraws, options.draws));
  const std::optional<simulation::SynchronizationMode> synchronization =
      simulation::synchronizationNamed(options.synchronization);
  if (!synchronization && !options.synchronization.empty())
    session.wrongUsage(
        fmt::format("--synchronization: there is no `{}`", options.synchronization),
        "there are barrier, local=STEPS, backup=WORKERS, bounded=STALENESS, asynchronous, "
        "detached and hierarchical=STEPS, with whole numbers; STEPS must be above 0");
  if (session.diags.errors() > 0)
    return session.finish();
  session.withPlan([&](ir::Plan& plan, const CompiledUnit& unit) {
    const SimulatedPlan of{plan, unit, options};
    if (synchronization && options.diagnose) // because the diagnosis compares with layouts of this
                                             // mode
      simulation::stepBy(plan, *synchronization);
    if (!complete(session, plan))
      return;
    if (!options.run.empty())
      return simulateRun(session, options, plan);
    if ((synchronization || simulation::stepsByWorkers(plan)) && plan.steady.empty()) {
      if (options.level != "action" || options.unfolded) {
        session.wrongUsage(fmt::format(
            "{}: data ranks of `{}` step independently, which has no levels",
            options.unfolded ? "--no-fold" : "--level " + options.level, plan.layout.name));
        return;
      }
      if (options.path || options.timeline) {
        (void)session.diags.report<diag::NotSimulated>(
            plan.layout.rangeOf("synchronization"), plan.layout.name,
            options.timeline
                ? "a timeline needs steps that end with a barrier, and ranks that share nothing"
                : "a critical path needs steps that end with a barrier, and ranks that share "
                  "nothing");
        return;
      }
      if (options.diagnose)
        return diagnose(session, of, request);
      return simulateWorkers(session, of,
                             {synchronization.value_or(simulation::synchronizationOf(plan)),
                              options.steps, options.seed});
    }
    if (const std::string why = simulation::whyNotSimulated(plan, request); !why.empty())
      return notSimulated(session, plan, request, why);
    if (options.diagnose)
      return diagnose(session, of, request);
    simulateSteps(session, of, request);
  });
  return session.finish();
}
