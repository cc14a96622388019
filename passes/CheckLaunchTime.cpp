//===- CheckLaunchTime.cpp - Time limits of launches against the runs that they start ---------===//
#include "passes/CheckLaunchTime.h"
#include "ir/Arithmetic.h"
#include "support/diagnostics/Cost.h"
#include <cmath>
#include <limits>

using namespace dpl;

namespace {
std::string duration(double seconds) { return human(seconds, *dimensionNamed("Duration")); }

/// Seconds after which the scheduler ends the job; 0 if it never does.
std::uint64_t limitOf(const ir::Launch& launch) {
  switch (launch.via) {
  case ir::ViaKind::Slurm:
    return launch.slurm.time;
  case ir::ViaKind::Kubernetes:
    return launch.kubernetes.time;
  case ir::ViaKind::Torchrun:
  case ir::ViaKind::Mpirun:
    break;
  }
  return 0;
}

/// Whether the scheduler starts a job again, with a new limit, that comes to its limit. Slurm does
/// if the job gets a signal before its limit, ends with an error and requeues itself
/// (backends/slurm/Render.cpp). A job that the limit itself ends is not queued again. Kubernetes
/// counts activeDeadlineSeconds over all attempts.
bool renewsLimit(const ir::Launch& launch) {
  return launch.via == ir::ViaKind::Slurm && launch.notice > 0;
}

/// Seconds of the phases that a job of this layout runs. Phases with another batch size are other
/// jobs.
double timeOfJob(const ir::Plan& plan, const ir::Run& run, const figures::Figures& figures) {
  const double step = figures.value("step_time").value_or(0);
  const std::string prefix = fmt::format("run[{}].", run.name);
  double steps = 0;
  for (const ir::RunPhase& phase : run.phases)
    if (phase.batch == plan.layout.batch)
      steps += ir::real(phase.steps);
  const double goodput = figures.value(prefix + "goodput").value_or(1);
  return goodput > 0 ? steps * step / goodput : 0;
}

/// Help on how the run can continue after the job.
std::string adviceFor(const ir::Launch& launch, const ir::Run& run, const EarlyEnd& end) {
  if (run.checkpoint.every == 0)
    return fmt::format(
        "`checkpoint {{ interval = 1000step }}` in run `{}` and `checkpoint_dir` in the "
        "launch let another job continue from the last checkpoint",
        run.name);
  const double jobs = std::ceil(end.duration / end.each);
  if (!end.byLimit)
    return fmt::format("the run needs `max_restarts = {:.0f}` on average", jobs - 1);
  const std::string chained =
      fmt::format("{:.0f} jobs in sequence finish the run", std::ceil(end.duration / end.limit));
  if (launch.via != ir::ViaKind::Slurm)
    return chained + ", each from the last checkpoint; without `time` there is no limit";
  const bool restarts = ir::real(launch.restarts) < jobs - 1, notice = launch.notice == 0;
  const std::string lacking =
      (restarts ? fmt::format("`max_restarts = {:.0f}`", jobs - 1) : std::string()) +
      (restarts && notice ? " and " : "") + (notice ? "`grace_period = 10min`" : "");
  return fmt::format("{} in the launch {} the job save, end and queue itself again; without {} {}",
                     lacking, restarts && notice ? "let" : "lets",
                     restarts && notice ? "them" : "it", chained);
}

/// A text about phases of the run that belong to other jobs; "" if there are none.
std::string otherJobs(const ir::Plan& plan, const ir::Run& run) {
  for (const ir::RunPhase& phase : run.phases)
    if (phase.batch != plan.layout.batch)
      return "phases with another batch than the layout's are other jobs";
  return "";
}
} // namespace

std::optional<EarlyEnd> dpl::earlyEndOf(const ir::Plan& plan, const ir::Launch& launch,
                                        const figures::Figures& figures) {
  constexpr double never = std::numeric_limits<double>::infinity();
  // A failure takes one restart. Without restarts, other jobs follow by hand.
  const double between =
      launch.restarts > 0 ? figures.value("failures.mtbf").value_or(never) : never;
  EarlyEnd end;
  end.duration = timeOfJob(plan, plan.runOf(launch), figures);
  end.limit = ir::real(limitOf(launch));
  end.byFailures = std::isfinite(between);
  if (end.limit > 0 && !renewsLimit(launch) && end.duration > end.limit) {
    end.byLimit = true, end.byFailures = false, end.each = end.limit;
    return end;
  }
  end.byLimit = end.limit > 0 && renewsLimit(launch);
  end.starts = launch.restarts + 1;
  // The mean of an exponential time that the limit cuts.
  end.each = !end.byLimit      ? between
             : !end.byFailures ? end.limit
                               : between * -std::expm1(-end.limit / between);
  if ((!end.byLimit && !end.byFailures) || end.duration <= end.each * ir::real(end.starts))
    return std::nullopt;
  return end;
}

void dpl::checkLaunchTime(const ir::Plan& plan, const figures::Figures& figures,
                          DiagnosticEngine& diags) {
  for (const ir::Launch& launch : plan.launches)
    if (const std::optional<EarlyEnd> end = earlyEndOf(plan, launch, figures)) {
      const char* const ends = !end->byFailures ? "the time limit ends"
                               : !end->byLimit  ? "failures end"
                                                : "the time limit and failures end";
      const std::string after =
          (end->starts > 1 ? fmt::format("{} times {}", end->starts, duration(end->each))
                           : duration(end->each)) +
          (end->byFailures ? " on average" : "");
      (void)diags
          .report<diag::LaunchEndsEarly>(
              launch.rangeOf(end->byLimit ? "launch.launcher.time" : "launch.max_restarts"), ends,
              launch.name, after, launch.run, duration(end->duration))
          .label(otherJobs(plan, plan.runOf(launch)))
          .help(adviceFor(launch, plan.runOf(launch), *end));
    }
}
