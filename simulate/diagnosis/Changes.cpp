//===- Changes.cpp - Layouts that differ from a plan by one change ----------------------------===//
#include "simulate/diagnosis/Changes.h"
#include "backends/Target.h"
#include "ir/SetInFile.h"
#include "planner/Neighbourhood.h"
#include "planner/Trial.h"
#include "simulate/diagnosis/Causes.h"
#include "simulate/plan/Simulation.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::diagnosis;
using namespace dpl::ir;

namespace {
constexpr std::uint64_t microsecond = 1'000'000; ///< ps
std::uint64_t microseconds(std::uint64_t ps) { return (ps + microsecond / 2) / microsecond; }
std::string written(std::uint64_t us) {
  return us % 1000 == 0 ? fmt::format("{}ms", us / 1000) : fmt::format("{}us", us);
}

class ChangeSearch {
public:
  ChangeSearch(const Plan& plan, const Trainer& trainer)
      : given(plan), plan(planner::restated(plan)), trainer(trainer) {}

  std::vector<LayoutChange> release() {
    for (const planner::LayoutChange& change : planner::neighbourhood(given, trainer.runs))
      add(change.text, planner::withChange(plan, change), change.field().str());
    if (plan.framework.name.empty())
      dataRanks();
    return std::move(out);
  }

private:
  void add(const std::string& text, Plan with, const std::string& field = "") {
    if (planner::firstErrorOf(with).empty() && (!trainer.accepts || trainer.accepts(with)))
      out.push_back({text, std::move(with), field});
  }

  /// Changes the synchronization mode and the batch balancing of data ranks that are one device
  /// each.
  void dataRanks() {
    const DataRanks now =
        plan.layout.dataRanks.empty() ? DataRanks() : plan.layout.dataRanks.front();
    const auto with = [&](const std::string& text, DataRanks ranks) {
      Plan changed = plan;
      changed.layout.dataRanks = {std::move(ranks)};
      ir::markSetInFile(changed, text.substr(0, text.find(' ')));
      add(text, std::move(changed));
    };
    for (const auto& [kind, text] :
         {std::pair(LoadBalancingKind::Proportional, "batch_balancing = proportional"),
          std::pair(LoadBalancingKind::Adaptive, "batch_balancing = adaptive")})
      if (DataRanks ranks = now; now.loadBalancing != kind) {
        ranks.loadBalancing = kind;
        with(text, ranks);
      }
    if (!plan.cluster.coupling.empty() && now.throttling != ThrottlingKind::Feedback) {
      const auto change =
          std::max<std::uint64_t>(1, microseconds(simulation::steadyStep(given) / 25));
      DataRanks ranks = now;
      ranks.throttling = ThrottlingKind::Feedback, ranks.delay = change * microsecond;
      with(fmt::format("throttling = feedback {{ step_size = {} }}", written(change)), ranks);
    }
    const std::size_t before = out.size();
    const auto waiting = [&](const std::string& text, SynchronizationKind kind,
                             std::uint64_t bound) {
      DataRanks ranks = now;
      ranks.synchronization = kind, ranks.bound = bound;
      if (kind != now.synchronization)
        with("synchronization = " + text, ranks);
    };
    waiting("local { period = 8 }", SynchronizationKind::Local, 8);
    waiting("backup { workers = 1 }", SynchronizationKind::Backup, 1);
    waiting("bounded { staleness = 4 }", SynchronizationKind::Bounded, 4);
    waiting("asynchronous", SynchronizationKind::Asynchronous, 0);
    for (std::size_t i = before; i < out.size(); ++i)
      out[i].learns = true;
  }

  const Plan& given;
  Plan plan;
  const Trainer& trainer;
  std::vector<LayoutChange> out;
};
} // namespace

std::optional<LayoutChange> diagnosis::throttledBy(const Plan& plan, double delay) {
  LayoutChange out{"", restated(plan)};
  if (out.plan.layout.dataRanks.empty())
    out.plan.layout.dataRanks.emplace_back();
  const std::uint64_t whole = microseconds(static_cast<std::uint64_t>(delay));
  DataRanks& ranks = out.plan.layout.dataRanks.front();
  ranks.throttling = ThrottlingKind::Fixed, ranks.delay = whole * microsecond;
  if (!planner::firstErrorOf(out.plan).empty())
    return std::nullopt;
  out.text = fmt::format("throttling = fixed {{ delay = {} }}", written(whole));
  return out;
}

Trainer diagnosis::trainerOf(const Plan& plan) { return {runsOf(plan), acceptsOf(plan)}; }

std::vector<LayoutChange> diagnosis::changesOf(const Plan& plan, const Trainer& trainer) {
  return ChangeSearch(plan, trainer).release();
}

AcceptingTargets diagnosis::acceptingTargets(const ir::Plan& plan, const ir::Plan& changed) {
  if (!plan.framework.name.empty() || !changed.layout.dataRanks.empty())
    return std::nullopt;
  const std::vector<std::string> now = frameworksThatAccept(plan),
                                 then = frameworksThatAccept(changed);
  std::vector<std::string> both;
  for (const std::string& name : now)
    if (llvm::is_contained(then, name))
      both.push_back(name);
  return both == now ? std::nullopt : std::optional(both);
}

std::string diagnosis::acceptingTargetsText(const std::vector<std::string>& names) {
  return names.empty() ? "no framework that takes the layout takes it"
                       : fmt::format("only {} {}", fmt::join(names, ", "),
                                     names.size() == 1 ? "takes it" : "take it");
}
