//===- WorkersReport.cpp - Results of workers as text and JSON --------------------------------===//
#include "backends/report/Format.h"
#include "ir/Names.h"
#include "simulate/plan/Simulation.h"
#include "simulate/plan/WorkersSimulation.h"
#include "support/Text.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;
using simulate::ExchangeMode;
using simulate::WorkerSynchronization;

namespace {
bool meetsBarriers(WorkerSynchronization waiting) {
  return waiting != WorkerSynchronization::Bounded && waiting != WorkerSynchronization::Never;
}
/// The numbers of micro-batches: of each worker if there are few, otherwise the smallest and the
/// largest.
std::string dealtText(const WorkersResult& result) {
  constexpr std::size_t few = 16;
  if (result.shares.empty() || result.shares.size() > few)
    return fmt::format("{} to {} per worker in the last step", result.leastShare, result.mostShare);
  return fmt::format("{} of the workers in the last step", fmt::join(result.shares, ", "));
}
} // namespace

std::string dpl::simulation::renderText(const Plan& plan, const WorkersResult& result,
                                        unsigned width) {
  const simulate::WorkersTime& t = result.time;
  const auto time = [](double ps) { return report::duration(ps * 1e-12); };
  const std::optional<double> halfWidth = result.halfWidth();
  std::string text =
      fmt::format("{}: {} of {}, {}, seed {}\n", plan.layout.name,
                  plural(result.workers.steps, "step"), plural(result.workers.workers, "worker"),
                  result.request.synchronization.text, result.request.seed);
  const auto add = [&](const char* name, const std::string& what) {
    text += listRow(std::string("  ") + name, what, 18, width);
  };
  if (result.workers.steps > result.request.steps)
    add("rounds",
        fmt::format("complete rounds of {}, for {} requested", plural(result.workers.bound, "step"),
                    plural(result.request.steps, "step")));
  add("mean step",
      time(t.step) + (result.workers.apart > 0 ? nearness(halfWidth, result.settles) : ""));
  add("computes", time(result.compute) + ", on the slowest device without variation");
  add("exchange",
      time(result.workers.exchange) +
          (meetsBarriers(result.workers.synchronization)     ? ", after the barrier"
           : result.workers.kind == ExchangeMode::Serial     ? ", before the next step"
           : result.workers.kind == ExchangeMode::Overlapped ? ", overlapped with the next step"
                                                             : ", without a barrier"));
  if (result.workers.synchronization == WorkerSynchronization::Hierarchical)
    add("inside",
        fmt::format("{}, between the ranks of a {}, after {}", time(result.workers.innerExchange),
                    name(result.request.synchronization.among),
                    result.workers.inner == 1
                        ? std::string("each step")
                        : fmt::format("every {} steps", result.workers.inner)));
  add("waits", "for other workers " + report::percent(t.waiting) + " of the time");
  if (result.slowest)
    add("slowest", fmt::format("worker {}, in {} of the steps", result.slowest->index,
                               report::percent(result.slowest->share)));
  if (result.servers) {
    const simulate::ServersTime& at = result.atServers;
    const std::vector<double>& bytes = result.servers->bytes;
    const auto ends = std::minmax_element(bytes.begin(), bytes.end());
    const auto least = ends.first, most = ends.second;
    const double back = result.servers->back;
    const auto range = [&](double times) {
      return (*least < *most ? report::traffic(times * *least) + " to " : "") +
             report::traffic(times * *most);
    };
    add("servers",
        fmt::format("{}, {} from each worker to each{}; load of the busiest one's links {}, "
                    "mean load {}",
                    bytes.size(), range(1),
                    std::abs(back - 1) > 1e-9 ? ", " + range(back) + " back" : "",
                    report::percent(at.busiest), report::percent(at.mean)));
    add("messages",
        fmt::format("{:.4g} at once at the busiest, {} at most", at.waiting, at.atOnce));
  }
  if (result.leastShare != result.mostShare)
    add("micro-batches", dealtText(result));
  if (result.coupling > 1 || result.throttling.bus)
    add("coupling",
        fmt::format("{:.4g}, {}", result.coupling,
                    result.throttling.bus ? "measured on the shared bus of the first group"
                                          : "as set in the cluster"));
  if (result.bestStep > 0)
    add("pacing",
        fmt::format("delay of {} in the last step; a step takes {} without throttling, {} with the "
                    "best fixed delay, {}; these steps take {} {} than that",
                    time(result.delay), time(result.unthrottledStep), time(result.bestStep),
                    time(result.bestDelay), time(std::abs(result.regret())),
                    result.regret() < 0 ? "less" : "more"));
  if (t.lost > 0)
    add("lost", report::percent(t.lost) + " of the gradients");
  if (!t.ages.empty()) {
    const simulate::Sample ages(t.ages);
    add("age",
        fmt::format(
            "{:.4g} updates between reading and writing parameters; 50 % {}, 99 % {}, most {}",
            ages.mean(), ages.quantile(0.5), ages.quantile(0.99), ages.quantile(1)));
  }
  return text;
}

Json dpl::simulation::renderJson(const Plan& plan, const WorkersResult& result) {
  const simulate::WorkersTime& t = result.time;
  const std::optional<double> halfWidth = result.halfWidth();
  Json json = {{"schema", "dplc.simulate.workers.1"},
               {"layout", plan.layout.name},
               {"synchronization", result.request.synchronization.text},
               {"seed", result.request.seed},
               {"workers", result.workers.workers},
               {"steps", result.workers.steps},
               {"step_ps", t.step},
               {"half_width_ps", halfWidth ? Json(*halfWidth) : Json()},
               {"compute_ps", result.compute},
               {"exchange_ps", result.workers.exchange},
               {"waiting", t.waiting},
               {"dropped", t.lost}};
  if (result.workers.synchronization == WorkerSynchronization::Hierarchical)
    json["inner"] = {{"workers", result.workers.workersPerUnit},
                     {"steps", result.workers.inner},
                     {"exchange_ps", result.workers.innerExchange}};
  if (result.servers) {
    const simulate::ServersTime& at = result.atServers;
    json["parameter_servers"] = {
        {"bytes", result.servers->bytes}, {"parameter_bytes", result.servers->back},
        {"max_utilization", at.busiest},  {"mean_utilization", at.mean},
        {"mean_queue", at.waiting},       {"max_queue", at.atOnce}};
  }
  if (result.leastShare != result.mostShare)
    json["micro_batches"] = {
        {"min", result.leastShare}, {"max", result.mostShare}, {"per_worker", result.shares}};
  if (result.coupling > 1 || result.throttling.bus)
    json["interference"] = {{"slowdown", result.coupling}, {"declared", !result.throttling.bus}};
  if (result.slowest)
    json["slowest"] = {{"worker", result.slowest->index}, {"share", result.slowest->share}};
  if (result.bestStep > 0)
    json["throttling"] = {{"delay_ps", result.delay},
                          {"best_delay_ps", result.bestDelay},
                          {"best_step_ps", result.bestStep},
                          {"unthrottled_step_ps", result.unthrottledStep},
                          {"regret_ps", result.regret()}};
  if (!t.ages.empty()) {
    const simulate::Sample ages(t.ages);
    json["staleness"] = {{"mean", ages.mean()},
                         {"p50", ages.quantile(0.5)},
                         {"p99", ages.quantile(0.99)},
                         {"max", ages.quantile(1)}};
  }
  return json;
}
