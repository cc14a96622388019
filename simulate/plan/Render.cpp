//===- Render.cpp - Results of simulated steps as text and JSON -------------------------------===//
#include "backends/report/Format.h"
#include "backends/report/StepComponents.h"
#include "backends/report/TextTable.h"
#include "cost/step/ExpertVolume.h"
#include "cost/step/RoutedPrograms.h"
#include "figures/Figures.h"
#include "figures/LaunchBound.h"
#include "ir/Uplinks.h"
#include "simulate/plan/PathPicture.h"
#include "support/Text.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::simulation;

namespace {
const char* nameOf(Detail detail) {
  switch (detail) {
  case Detail::Folded:
    return "folded";
  case Detail::Operation:
    return "action";
  case Detail::Collective:
    return "collective";
  }
  return "";
}

const char* levelOf(const SimulationResult& result) {
  return result.messages ? "message" : nameOf(result.detail);
}

std::string time(double ps) { return report::duration(ps * 1e-12); }

/// E[max]/mean of one barrier over all devices, as the report shows it.
double expected(const ir::Plan& plan) {
  const figures::Figures figures(plan);
  const figures::Figure* figure = figures.find("barrier_amplification");
  return figure ? figure->value : 1;
}

/// The amplification of the step; that of a single barrier if the mean step does not converge.
std::string amplification(const ir::Plan& plan, const SimulationResult& result) {
  const std::string barrier =
      fmt::format("{:.4f} for one barrier over all devices", expected(plan));
  return result.settles ? fmt::format("{:.4f}; {}", result.amplification(), barrier) : barrier;
}
} // namespace

std::string dpl::simulation::nearness(std::optional<double> halfWidth, bool settles) {
  return settles ? report::within(halfWidth ? std::optional(*halfWidth * 1e-12) : halfWidth)
                 : ", no mean that converges: the variance is infinite";
}

std::string dpl::simulation::renderText(const ir::Plan& plan, const SimulationResult& result,
                                        unsigned width) {
  const simulate::Sample sample = result.sample();
  std::string text;
  if (result.apart == 0) {
    text =
        fmt::format("{}: one step{}, without variation\n  step            {}\n", plan.layout.name,
                    result.messages ? ", message by message" : "", time(sample.mean()));
  } else {
    text =
        fmt::format("{}: {} at {} level, seed {}\n"
                    "  step            {}{}\n"
                    "{}"
                    "  no variation    {}\n"
                    "{}",
                    plan.layout.name, plural(sample.size(), "step"), levelOf(result), result.seed,
                    time(sample.mean()), nearness(result.halfWidth(), result.settles),
                    listRow("  percentiles",
                            fmt::format("50 % {}, 90 % {}, 99 % {}, most {}",
                                        time(sample.quantile(0.5)), time(sample.quantile(0.9)),
                                        time(sample.quantile(0.99)), time(sample.quantile(1))),
                            18, width),
                    time(static_cast<double>(result.steady)),
                    listRow("  amplification", amplification(plan, result), 18, width));
    if (result.slowest)
      text += fmt::format("  slowest         device {} of pipeline rank {}, in {} of the steps\n",
                          result.slowest->device, result.slowest->pipelineRank,
                          report::percent(result.slowest->share));
    if (result.detail == Detail::Operation && result.simulatedRanks < plan.mesh.devices)
      text += listRow("  hidden",
                      "waits inside groups that synchronize in each micro-batch: their slowest "
                      "device represents the group",
                      18, width);
  }
  if (ir::hashesFlows(plan.cluster))
    text += result.messages
                ? fmt::format("  uplinks         seed {} assigns flows to uplinks\n", result.seed)
                : listRow("  uplinks",
                          "flows spread evenly over them here; `--level message` hashes them", 18,
                          width);
  if (LinkRates::has(plan))
    text += "  links           their bandwidth varies; the values below are means\n";
  if (result.sharedMessages > 0)
    text += fmt::format("  shared links    {} messages of a step shared their link with another\n",
                        result.sharedMessages);
  const std::vector<double> launches = figures::launchBoundOfRanks(plan);
  report::TextTable table({"pipeline rank", "computes", "of it launch-bound",
                           "waits for collectives", "of it for late ranks", "for samples",
                           "for input", "for sends", "at the barrier", "last"});
  for (std::size_t rank = 0; rank < result.ranks.size(); ++rank) {
    const MeanRankTimes& of = result.ranks[rank];
    const auto cell = [](double ps) { return ps > 0 ? time(ps) : std::string("-"); };
    const double waits = launches[rank] / ir::picosecond;
    table.row({std::to_string(rank), cell(of.compute),
               waits >= report::leastShareOfLosses * of.compute ? cell(waits) : "-",
               cell(of.collectives), cell(of.peerWait), cell(of.loading), cell(of.inputWait),
               cell(of.sending), cell(of.barrier), of.last > 0 ? report::percent(of.last) : "-"});
  }
  table.dropDashes();
  if (result.messages)
    text += renderText(*result.messages, width);
  return text + "\n" + table.render(width);
}

Json dpl::simulation::renderJson(const ir::Plan& plan, const SimulationResult& result) {
  const simulate::Sample sample = result.sample();
  const std::optional<double> halfWidth = result.halfWidth();
  const auto whole = [](double ps) { return static_cast<std::uint64_t>(std::llround(ps)); };
  Json ranks = Json::array();
  const std::vector<double> launches = figures::launchBoundOfRanks(plan);
  for (const MeanRankTimes& of : result.ranks)
    ranks.push_back({{"compute_ps", whole(of.compute)},
                     {"launch_bound_ps", whole(launches[ranks.size()] / ir::picosecond)},
                     {"collective_wait_ps", whole(of.collectives)},
                     {"straggler_wait_ps", whole(of.peerWait)},
                     {"receive_wait_ps", whole(of.inputWait)},
                     {"send_wait_ps", whole(of.sending)},
                     {"barrier_wait_ps", whole(of.barrier)},
                     {"data_wait_ps", whole(of.loading)},
                     {"straggler_fraction", of.last}});
  Json all = {{"schema", "dplc.simulate.1"},
              {"layout", plan.layout.name},
              {"level", levelOf(result)},
              {"seed", result.seed},
              {"simulated_ranks", result.simulatedRanks},
              {"step",
               {{"mean_ps", whole(sample.mean())},
                {"half_width_ps", halfWidth ? Json(whole(*halfWidth)) : Json()},
                {"p50_ps", whole(sample.quantile(0.5))},
                {"p90_ps", whole(sample.quantile(0.9))},
                {"p99_ps", whole(sample.quantile(0.99))},
                {"max_ps", whole(sample.quantile(1))}}},
              {"noise_free_ps", result.steady},
              {"amplification", result.amplification()},
              {"barrier_amplification", expected(plan)},
              {"contended_messages", result.sharedMessages},
              {"pipeline_ranks", ranks},
              {"steps_ps", result.steps}};
  if (const auto& slowest = result.slowest)
    all["slowest"] = {{"pipeline_rank", slowest->pipelineRank},
                      {"device", slowest->device},
                      {"share", slowest->share}};
  if (result.path)
    all["critical_path"] = renderJson(*result.path);
  if (result.timeline)
    all["timeline"] = renderJson(*result.timeline);
  if (result.messages)
    all["messages"] = renderJson(*result.messages);
  if (cost::RoutedPrograms::has(plan) &&
      plan.mesh.size(ir::Axis::Expert) <= cost::mostVolumeRanks) {
    const cost::ExpertVolume volume = cost::expertVolume(plan, result.seed);
    all["routing"] = {{"experts", volume.experts}, {"ranks", volume.ranks}, {"sent", volume.sent}};
  }
  return all;
}
