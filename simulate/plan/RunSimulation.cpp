//===- RunSimulation.cpp - Runs drawn many times, with each failure ---------------------------===//
#include "simulate/plan/RunSimulation.h"
#include "backends/report/Format.h"
#include "cost/run/Availability.h"
#include "figures/Figures.h"
#include "figures/WorkRate.h"
#include "ir/Arithmetic.h"
#include "simulate/engine/SharedStorage.h"
#include "support/Text.h"
#include "support/Threads.h"
#include "support/math/Statistics.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>
#include <limits>

using namespace dpl;
using namespace dpl::simulation;

namespace {
constexpr double mostEvents = 2e9;

simulate::Sample sampleOf(const RunResult& result, double simulate::RunTime::*part) {
  std::vector<double> values;
  for (const simulate::RunTime& one : result.draws)
    values.push_back(one.*part);
  return simulate::Sample(std::move(values));
}
std::optional<double> halfWidthOf(const RunResult& result, const simulate::Sample& times) {
  return result.drawn ? times.halfWidth() : 0;
}
std::string time(double seconds) { return report::duration(seconds); }

/// Lines about losses that only some runs have.
std::string besides(const RunResult& result) {
  std::string out;
  if (result.longRun)
    out += "  missing nodes   the expected value is the long-run mean; drawn runs begin with all "
           "nodes\n";
  for (const auto& [what, part] : {std::pair("waits for nodes", &simulate::RunTime::waiting),
                                   std::pair("slower by", &simulate::RunTime::slower)})
    if (const double mean = sampleOf(result, part).mean(); mean > 0)
      out += fmt::format("  {:<15} {}\n", what, time(mean));
  if (result.storage)
    out += fmt::format("  storage         shared with {}: a checkpoint takes {}, alone {}\n",
                       result.storage->with, time(result.storage->shared),
                       time(result.storage->alone));
  return out;
}

simulate::SavedRun savedRun(const ir::Plan& plan, const figures::Figures& figures,
                            const ir::Run& run, double work) {
  const auto of = [&](const char* column) {
    return figures.value(fmt::format("run[{}].{}", run.name, column));
  };
  simulate::SavedRun out;
  out.work = work;
  out.interval = of("checkpoint_interval").value_or(work);
  out.blocked = of("checkpoint_stall").value_or(0);
  if (run.checkpoint.mode == ir::CheckpointMode::Async)
    out.written = figures.value("checkpoint.write").value_or(0);
  out.between = figures.value("failures.mtbf").value_or(std::numeric_limits<double>::infinity());
  out.restart = of("restart").value_or(0);
  if (!plan.cluster.failureDetails.empty())
    out.shape = plan.cluster.failureDetails.front().shape;
  out.rate = figures::workRateOf(plan, figures.value("step_time").value_or(0));
  for (const ir::IncrementalCheckpoints& given : run.checkpoint.incremental) {
    out.blocked = figures.value("checkpoint.write").value_or(0);
    out.everyFull = given.everyFull, out.share = given.share;
    out.restart = figures.value("failures.restart").value_or(0);
    out.readEach = given.share * figures.value("checkpoint.read").value_or(0);
  }
  return out;
}

simulate::EventfulRun eventfulRun(const ir::Plan& plan, const figures::Figures& figures,
                                  const ir::Run& run, const ir::FailureDetails& other,
                                  const simulate::SavedRun& saved) {
  const auto rateOf = [&](const char* path, const char* count) {
    return figures.value(path).value_or(0) * figures.value(count).value_or(0);
  };
  simulate::EventfulRun out;
  out.saved = saved;
  out.spares = static_cast<double>(run.spares);
  out.working = cost::workingNodesOf(plan, run);
  out.slow = rateOf("failures.fail_slow", "cluster.devices");
  out.slowdown = other.slowdown, out.found = ir::toSeconds(other.slowDetection);
  out.repair = ir::toSeconds(other.repair);
  // Only one device is slow at a time, which makes the rate at which slow devices are found
  // smaller.
  const double found = out.slow / (1 + out.slow * out.found);
  const double all = figures.value("failures.rate").value_or(0) - found;
  const double taking = rateOf("failures.gpu", "cluster.devices") +
                        rateOf("failures.nic", "cluster.ports") +
                        rateOf("failures.node", "cluster.nodes");
  out.saved.between = all > 0 ? 1 / all : std::numeric_limits<double>::infinity();
  out.nodeLossShare = all > 0 ? std::min(1.0, taking / all) : 0;
  return out;
}

simulate::TieredRun tieredRun(const figures::Figures& figures, const ir::CheckpointTiers& tiers,
                              const simulate::SavedRun& saved) {
  const auto of = [&](const char* path) { return figures.value(path).value_or(0); };
  const double nodes = of("failures.node") * of("cluster.nodes"),
               leaves = of("failures.leaf") * of("cluster.leaves");
  const double read = of("checkpoint.read"), stated = of("failures.restart") - read;
  const double node = ir::toSeconds(tiers.node), peers = ir::toSeconds(tiers.peers);
  const auto between = [](double rate) {
    return rate > 0 ? 1 / rate : std::numeric_limits<double>::infinity();
  };
  simulate::TieredRun out;
  out.work = saved.work, out.interval = saved.interval;
  out.shape = saved.shape, out.rate = saved.rate;
  out.tiers = {{{1, node, 0, between(of("failures.rate") - nodes - leaves), stated + node},
                {tiers.everyPeers, peers, 0, between(nodes), stated + peers},
                {tiers.everyStorage, 0, of("checkpoint.write"), between(leaves), stated + read}}};
  return out;
}

/// An upper bound on the number of events of a run: twice the expected checkpoints and failures.
double eventsOf(const simulate::SavedRun& run, double time) {
  return 2 * (time / run.interval + time / run.between);
}
} // namespace

std::optional<DrawnRun> dpl::simulation::drawnRun(const ir::Plan& plan, const std::string& name) {
  const figures::Figures figures(plan);
  const auto* run = llvm::find_if(llvm::makeArrayRef(plan.runs),
                                  [&](const ir::Run& one) { return one.name == name; });
  const auto work = figures.value(fmt::format("run[{}].productive_time", name));
  if (run == plan.runs.data() + plan.runs.size() || !work)
    return std::nullopt;
  DrawnRun out;
  out.name = name;
  out.saved = savedRun(plan, figures, *run, *work);
  out.all = out.saved;
  const auto mode = run->checkpoint.mode;
  if (run->checkpoint.every == 0)
    out.notStored = fmt::format("`{}` has no checkpoints", name);
  else if (mode == ir::CheckpointMode::Peers || mode == ir::CheckpointMode::Tiers)
    out.notStored = fmt::format("checkpoints of `{}` do not all go to storage", name);
  else if (mode == ir::CheckpointMode::Incremental)
    out.notStored = fmt::format("checkpoints of `{}` are incremental", name);
  else if (out.saved.rate.varies())
    out.notStored = fmt::format("nodes of `{}` are degraded during the run", name);
  else if (!figures.value("checkpoint.write"))
    out.notStored = "the cluster does not set the write bandwidth of its storage";
  // If every failed part is replaced at once, only checkpoints matter.
  const ir::FailureDetails* other = nullptr;
  if (!plan.cluster.failureDetails.empty())
    other = &plan.cluster.failureDetails.front();
  const bool eventful = other && (other->slow > 0 || other->repair > 0);
  if (eventful)
    out.all = eventfulRun(plan, figures, *run, *other, out.saved);
  if (run->checkpoint.tiers.empty())
    return out;
  if (eventful)
    out.refused =
        "checkpoints in several tiers are simulated without `repair` and `fail_slow` only";
  out.all = tieredRun(figures, run->checkpoint.tiers.front(), out.saved);
  return out;
}

std::string dpl::simulation::whyNotTogether(const DrawnRun& run, const DrawnRun& beside) {
  for (const DrawnRun* one : {&run, &beside}) {
    if (!one->notStored.empty())
      return one->notStored;
    if (!std::holds_alternative<simulate::SavedRun>(one->all))
      return "runs that share storage are simulated without `repair` and `fail_slow` only";
  }
  return "";
}

std::string dpl::simulation::whyTooLong(const DrawnRun& run, const DrawnRun* beside,
                                        const RunRequest& request) {
  const double each =
      eventsOf(run.saved, run.saved.work) + (beside ? eventsOf(beside->saved, run.saved.work) : 0);
  const double all = each * static_cast<double>(request.draws);
  return all > mostEvents
             ? fmt::format("{} runs have some {:.2g} checkpoints and failures, at most "
                           "{:.2g} can be drawn",
                           request.draws, all, mostEvents)
             : "";
}

RunResult dpl::simulation::drawRuns(const ir::Plan& plan, const DrawnRun& run,
                                    const DrawnRun* beside, const RunRequest& request) {
  RunResult result;
  result.name = run.name, result.seed = request.seed, result.run = run.saved;
  const figures::Figures figures(plan);
  result.expected = figures.value(fmt::format("run[{}].time", run.name)).value_or(0);
  result.longRun = figures.value(fmt::format("run[{}].availability", run.name)).has_value();
  result.drawn = beside || figures.value("failures.rate").value_or(0) > 0;
  result.draws.resize(request.draws);
  std::vector<simulate::SharedTime> times(beside ? request.draws : 0);
  onThreads(request.draws, request.threads, [&](unsigned, std::uint64_t i) {
    simulate::Draws draws({request.seed, static_cast<std::uint32_t>(i), 0, 0});
    if (beside) {
      times[i] = simulate::draw(run.saved, simulate::anywhere(beside->saved, draws), draws);
      result.draws[i] = times[i].time;
    } else {
      result.draws[i] =
          std::visit([&](const auto& kind) { return simulate::draw(kind, draws); }, run.all);
    }
  });
  if (!beside)
    return result;
  double written = 0, writing = 0;
  for (const simulate::SharedTime& time : times)
    written += time.written, writing += time.writing;
  const double alone = run.saved.written > 0 ? run.saved.written : run.saved.blocked;
  result.storage = {beside->name, alone, written > 0 ? writing / written : alone};
  return result;
}

std::string dpl::simulation::renderText(const ir::Plan& plan, const RunResult& result) {
  using simulate::RunTime;
  const simulate::Sample all = sampleOf(result, &RunTime::time);
  const auto mean = [&](double RunTime::*part) { return time(sampleOf(result, part).mean()); };
  return fmt::format("run {} of {}: {}, seed {}\n"
                     "  time            {}{}; expected {}\n"
                     "  percentiles     5 % {}, 50 % {}, 95 % {}, most {}\n"
                     "  failures        {:.4g} per run, restarts take {}\n"
                     "  work            {}, and {} of rework\n"
                     "  checkpoints     {}\n{}",
                     result.name, plan.layout.name, plural(result.draws.size(), "run"), result.seed,
                     time(all.mean()), report::within(halfWidthOf(result, all)),
                     time(result.expected), time(all.quantile(0.05)), time(all.quantile(0.5)),
                     time(all.quantile(0.95)), time(all.quantile(1)),
                     sampleOf(result, &RunTime::failures).mean(), mean(&RunTime::restarting),
                     time(result.run.work), mean(&RunTime::rework), mean(&RunTime::saving),
                     besides(result));
}

Json dpl::simulation::renderJson(const ir::Plan& plan, const RunResult& result) {
  using simulate::RunTime;
  const simulate::Sample all = sampleOf(result, &RunTime::time);
  const std::optional<double> halfWidth = halfWidthOf(result, all);
  // Rounds to microseconds, because the last bits of an exponential differ between machines.
  const auto seconds = [](double exact) { return std::round(exact * 1e6) / 1e6; };
  const auto mean = [&](double RunTime::*part) { return seconds(sampleOf(result, part).mean()); };
  Json times = Json::array();
  for (const RunTime& one : result.draws)
    times.push_back(seconds(one.time));
  Json out = {{"schema", "dplc.simulate.run.1"},
              {"run", result.name},
              {"layout", plan.layout.name},
              {"seed", result.seed},
              {"expected_s", seconds(result.expected)},
              {"time",
               {{"mean_s", seconds(all.mean())},
                {"half_width_s", halfWidth ? Json(seconds(*halfWidth)) : Json()},
                {"p5_s", seconds(all.quantile(0.05))},
                {"p50_s", seconds(all.quantile(0.5))},
                {"p95_s", seconds(all.quantile(0.95))},
                {"max_s", seconds(all.quantile(1))}}},
              {"productive_s", seconds(result.run.work)},
              {"rework_s", mean(&RunTime::rework)},
              {"checkpoint_s", mean(&RunTime::saving)},
              {"restart_s", mean(&RunTime::restarting)},
              {"node_wait_s", mean(&RunTime::waiting)},
              {"fail_slow_s", mean(&RunTime::slower)},
              {"failures", mean(&RunTime::failures)},
              {"times_s", times}};
  if (result.storage)
    out["storage"] = {{"shared_with", result.storage->with},
                      {"write_s", seconds(result.storage->shared)},
                      {"isolated_s", seconds(result.storage->alone)}};
  return out;
}
