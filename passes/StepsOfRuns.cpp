//===- StepsOfRuns.cpp - Steps of runs that differ from that of the layout --------------------===//
#include "cost/step/Exposure.h"
#include "figures/Figures.h"
#include "ir/Arithmetic.h"
#include "passes/Passes.h"
#include "passes/PhasesOfRuns.h"
#include "support/Text.h"
#include "support/diagnostics/Cost.h"
#include <algorithm>
#include <cmath>
#include <map>

using namespace dpl;
using ir::real;

namespace {
/// Completes a changed plan again. Fails if it is not legal or does not fit.
LogicalResult complete(ir::Plan& plan, DiagnosticEngine& diags) {
  plan.runs.clear(), plan.assertions.clear(), plan.spaces.clear();
  const LogicalResult legal = runPipeline(plan, diags, withoutAdvice());
  diags.endPhase();
  return legal;
}

double stepOf(const ir::Plan& plan) {
  return figures::Figures(plan).value("step_time").value_or(0);
}

/// The mean of `steps` draws. It is exact for gamma, and close for log-normal and exponential
/// times; the others keep their variation, which is too much.
void average(ir::Jitter& jitter, std::uint64_t steps) {
  if (jitter.kind != ir::JitterKind::LogNormal && jitter.kind != ir::JitterKind::Gamma &&
      jitter.kind != ir::JitterKind::Exponential)
    return;
  if (jitter.kind == ir::JitterKind::Exponential)
    jitter.kind = ir::JitterKind::LogNormal;
  jitter.spread *= std::sqrt(std::min(1.0, real(jitter.lasts) / real(steps)));
}

/// Seconds of a step of data ranks that average after each `period` steps: the slowest rank's mean
/// computation, and a share of all reductions.
double stepWithPeriod(ir::Plan plan, std::uint64_t period, DiagnosticEngine& diags) {
  average(plan.cluster.jitter, period);
  if (complete(plan, diags).failed())
    return 0;
  double reductions = 0;
  for (const ir::Collective& c : plan.collectives)
    reductions += real(c.time) * real(c.count);
  const double compute = stepOf(plan) - cost::Exposure(plan).along("data");
  return compute + ir::toSeconds(static_cast<std::uint64_t>(reductions)) / real(period);
}

/// Makes one node of the cluster slower, as a node type of its own.
void degrade(ir::Cluster& cluster, const ir::Degradation& by) {
  std::uint64_t first = 0;
  std::size_t place = 0;
  while (place < cluster.nodeTypes.size() && first + cluster.nodeTypes[place].nodes <= by.node)
    first += cluster.nodeTypes[place++].nodes;
  if (place == cluster.nodeTypes.size())
    return; // a node that the layout does not use
  const ir::NodeType whole = cluster.nodeTypes[place];
  ir::NodeType slow = whole, after = whole;
  slow.nodes = 1, slow.name = fmt::format("degraded {}", by.node);
  after.nodes = first + whole.nodes - by.node - 1;
  slow.device.speed *= by.speed; // of all its rates
  if (by.bandwidth < 1) {
    ir::LinkType ports = cluster.network.links[slow.ports];
    ports.bandwidth = std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(real(ports.bandwidth) * by.bandwidth + 0.5));
    ports.pool = slow.name;
    slow.ports = cluster.network.links.size();
    cluster.network.links.push_back(std::move(ports));
  }
  std::vector<ir::NodeType>& all = cluster.nodeTypes;
  all[place].nodes = by.node - first;
  const auto at = all.begin() + static_cast<std::ptrdiff_t>(place);
  all.insert(at + 1, {slow, after});
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const ir::NodeType& each) { return each.nodes == 0; }),
            all.end());
  cluster.levels = ir::linkLevels(cluster);
}
} // namespace

LogicalResult dpl::stepsOfPhases(ir::Plan& plan, DiagnosticEngine& diags) {
  struct Tried {
    std::uint64_t step = 0;
    std::string why; ///< why it is not legal or does not fit
  };
  std::map<std::pair<std::uint64_t, std::uint64_t>, Tried> known;
  bool failed = false;
  for (ir::Run& run : plan.runs)
    for (ir::RunPhase& phase : run.phases) {
      if ((phase.batch == plan.layout.batch && !phase.period) || run.problem() || run.numbers())
        continue;
      const auto [tried, added] =
          known.try_emplace({phase.batch, phase.period.value_or(0)}, Tried{});
      if (added) {
        DiagnosticEngine unheard;
        ir::Plan other = plan;
        other.layout.batch = phase.batch;
        const double step = phase.period ? stepWithPeriod(other, *phase.period, unheard)
                            : complete(other, unheard).failed() ? 0
                                                                : stepOf(other);
        tried->second = {ir::toPicoseconds(step), step > 0 ? "" : unheard.firstError()};
      }
      phase.step = tried->second.step;
      if (!added || tried->second.why.empty())
        continue;
      failed = true;
      const bool samples = plan.layout.batchUnit == ir::BatchUnitKind::Samples;
      (void)diags.report<diag::PhaseOfRunIsIllegal>(
          plan.layout.rangeOf(fmt::format("run.{}.phase[{}].batch", run.name, phase.index)),
          phase.index, run.name, plural(phase.batch, samples ? "sample" : "sequence"),
          tried->second.why);
    }
  return failed ? LogicalResult::failure() : LogicalResult::success();
}

void dpl::degradedSteps(ir::Plan& plan) {
  plan.degraded.clear();
  if (plan.cluster.failureDetails.empty())
    return;
  const std::vector<ir::Degradation>& all = plan.cluster.failureDetails.front().degradations;
  const auto endOf = [](const ir::Degradation& one) { return one.end > 0 ? one.end : UINT64_MAX; };
  std::vector<std::uint64_t> changes{UINT64_MAX};
  for (const ir::Degradation& each : all)
    changes.push_back(each.begin), changes.push_back(endOf(each));
  std::sort(changes.begin(), changes.end());
  changes.erase(std::unique(changes.begin(), changes.end()), changes.end());
  std::map<std::vector<std::uint64_t>, std::uint64_t> known; // by the degradations at a time
  for (std::size_t i = 0; i + 1 < changes.size(); ++i) {
    std::vector<std::uint64_t> active;
    ir::Plan other = plan;
    for (const ir::Degradation& each : all)
      if (each.begin <= changes[i] && changes[i] < endOf(each))
        active.push_back(each.index), degrade(other.cluster, each);
    if (active.empty())
      continue;
    const auto [step, added] = known.try_emplace(active, 0);
    DiagnosticEngine unheard;
    if (added && complete(other, unheard).succeeded())
      step->second = ir::toPicoseconds(stepOf(other));
    if (step->second > 0)
      plan.degraded.push_back(
          {changes[i], changes[i + 1] == UINT64_MAX ? 0 : changes[i + 1], step->second});
  }
}
