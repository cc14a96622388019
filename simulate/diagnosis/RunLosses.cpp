//===- RunLosses.cpp - Losses of a run by failures and checkpoints ----------------------------===//
#include "simulate/diagnosis/RunLosses.h"
#include "figures/Figures.h"
#include "simulate/plan/RunSimulation.h"
#include "support/math/Statistics.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
/// Number of draws of the run, both with and without each loss.
constexpr std::uint64_t draws = 400;
constexpr std::uint64_t boundless = 1'000'000'000'000'000'000; // bits/s of a link that is never a
                                                               // bottleneck

struct LossCause {
  const char* key;
  const char* words;
  void (*remove)(Plan& plan, Run& run);
};

void other(Plan& plan, double FailureDetails::*rate) {
  if (!plan.cluster.failureDetails.empty())
    plan.cluster.failureDetails.front().*rate = 0;
}

const LossCause all[] = {
    {"checkpoints", "checkpoints",
     [](Plan& plan, Run& run) {
       if (plan.cluster.storageWrite > 0)
         plan.cluster.storageWrite = boundless;
       run.checkpoint.snapshot = 0;
       for (CheckpointTiers& tiers : run.checkpoint.tiers)
         tiers.node = tiers.peers = 0;
     }},
    {"gpu", "failing devices", [](Plan& plan, Run&) { plan.cluster.failures.gpu = 0; }},
    {"nic", "failing ports", [](Plan& plan, Run&) { plan.cluster.failures.nic = 0; }},
    {"node", "failing nodes", [](Plan& plan, Run&) { plan.cluster.failures.node = 0; }},
    {"link", "failing links", [](Plan& plan, Run&) { other(plan, &FailureDetails::link); }},
    {"leaf", "failing switches", [](Plan& plan, Run&) { other(plan, &FailureDetails::leaf); }},
    {"storage", "failing storage", [](Plan& plan, Run&) { other(plan, &FailureDetails::storage); }},
    {"fail_slow", "devices that get slow",
     [](Plan& plan, Run&) { other(plan, &FailureDetails::slow); }},
    {"degradation", "nodes that are degraded",
     [](Plan& plan, Run&) {
       if (!plan.cluster.failureDetails.empty())
         plan.cluster.failureDetails.front().degradations.clear();
       plan.degraded.clear();
     }},
    {"repair", "nodes that are away",
     [](Plan& plan, Run&) {
       if (!plan.cluster.failureDetails.empty())
         plan.cluster.failureDetails.front().repair = 0;
     }},
};

std::optional<double> goodputOf(const Plan& plan, const std::string& run) {
  return figures::Figures(plan).value(fmt::format("run[{}].goodput", run));
}

/// Run time in seconds of each draw; empty if the run cannot be drawn.
std::vector<double> timesOf(const Plan& plan, const std::string& name,
                            const simulation::RunRequest& request) {
  std::vector<double> times;
  const std::optional<simulation::DrawnRun> run = simulation::drawnRun(plan, name);
  if (!run || !run->refused.empty() || !simulation::whyTooLong(*run, nullptr, request).empty())
    return times;
  for (const simulate::RunTime& one : simulation::drawRuns(plan, *run, nullptr, request).draws)
    times.push_back(one.time);
  return times;
}

/// Sets the savings: the relative difference of the mean run times `with` and `without` a loss.
void compare(const std::vector<double>& with, const std::vector<double>& without, RunSaving& out) {
  if (with.empty() || with.size() != without.size())
    return;
  std::vector<double> differences;
  for (std::size_t i = 0; i < with.size(); ++i)
    differences.push_back(with[i] - without[i]);
  const double mean = simulate::Sample(with).mean();
  const simulate::Sample saved(std::move(differences));
  out.drawn = saved.mean() / mean;
  if (saved.alike()) // the savings do not depend on the draws
    out.halfWidth = 0;
  else if (const std::optional<double> halfWidth = saved.halfWidth())
    out.halfWidth = *halfWidth / mean;
}
} // namespace

const RunLoss* RunLosses::largest() const {
  const auto found =
      std::max_element(losses.begin(), losses.end(),
                       [](const RunLoss& a, const RunLoss& b) { return a.saved() < b.saved(); });
  return found == losses.end() ? nullptr : &*found;
}

std::optional<RunLosses> diagnosis::runLossesOf(const Plan& plan, std::uint64_t seed,
                                                unsigned threads) {
  RunLosses out;
  std::size_t which = 0;
  for (std::size_t i = 0; i < plan.runs.size(); ++i)
    if (const auto goodput = goodputOf(plan, plan.runs[i].name); goodput && *goodput < out.goodput)
      out.goodput = *goodput, out.run = plan.runs[i].name, which = i;
  if (out.run.empty())
    return std::nullopt;
  const simulation::RunRequest request{draws, seed, threads};
  const std::vector<double> times = timesOf(plan, out.run, request);
  Plan none = plan;
  for (const LossCause& loss : all) {
    Plan without = plan;
    loss.remove(without, without.runs[which]);
    loss.remove(none, none.runs[which]);
    RunLoss of{loss.key, loss.words};
    of.goodput = goodputOf(without, out.run).value_or(1);
    of.inTheLongRun = 1 - out.goodput / of.goodput;
    if (std::abs(of.goodput - out.goodput) < 1e-12)
      continue;
    compare(times, timesOf(without, out.run, request), of);
    out.losses.push_back(of);
  }
  out.together.goodput = goodputOf(none, out.run).value_or(1);
  out.together.inTheLongRun = 1 - out.goodput / out.together.goodput;
  compare(times, timesOf(none, out.run, request), out.together);
  return out;
}
