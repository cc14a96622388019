//===- Changes.cpp - Layouts that differ from a plan by one change ----------------------------===//
#include "simulate/diagnosis/Changes.h"
#include "backends/Target.h"
#include "backends/report/Format.h"
#include "cost/legality/Legality.h"
#include "ir/BatchUnit.h"
#include "ir/SetInFile.h"
#include "planner/MeshSpace.h"
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
      : plan(restated(plan)), trainer(trainer), candidate(planner::candidateOf(plan)),
        experts(cost::hasExperts(plan.model)) {
    // The pasted file computes its split anew, as any change may affect it; so does this plan.
    this->plan.layout.split = plan.layout.split;
    this->plan.layout.splitLayers = plan.layout.splitLayers;
    this->plan.layout.embeddingSlots = plan.layout.embeddingSlots;
    this->plan.layout.headSlots = plan.layout.headSlots;
  }

  std::vector<LayoutChange> release() {
    overlaps();
    batches();
    schedules();
    degrees();
    if (plan.layout.split != SplitKind::Balanced && candidate.pipeline > 1 &&
        plan.layout.embeddingSlots + plan.layout.headSlots == 0)
      add("split = balanced",
          [](Layout& l) { l.split = SplitKind::Balanced, l.splitLayers.clear(); });
    if (plan.layout.recompute.kind != RecomputeKind::None)
      add("recompute = none", [](Layout& l) { l.recompute = {}; });
    if (!plan.layout.graphs)
      add("cuda_graphs = true", [](Layout& l) { l.graphs = true; });
    if (plan.framework.name.empty())
      dataRanks();
    return std::move(out);
  }

private:
  template <class Edit> void add(const std::string& text, Edit edit) {
    Plan with = plan;
    edit(with.layout);
    if (const std::string field = text.substr(0, text.find(' ')); !field.empty())
      ir::markSetInFile(with, field);
    if (planner::firstErrorOf(with).empty() && (!trainer.accepts || trainer.accepts(with)))
      out.push_back({text, std::move(with)});
  }

  void overlaps() {
    if (plan.layout.launchBlocking)
      return; // nothing overlaps with a kernel
    struct Field {
      const char* name;
      bool Overlap::*field;
    };
    for (const Field& of : {Field{"gradients", &Overlap::gradients},
                            {"parameters", &Overlap::parameters},
                            {"pipeline", &Overlap::pipeline},
                            {"tensor", &Overlap::tensor},
                            {"experts", &Overlap::experts}})
      if (!(plan.layout.overlap.*of.field))
        add(fmt::format("overlap.{} = true", of.name),
            [&](Layout& l) { l.overlap.*of.field = true; });
  }

  void batches() {
    const char* unit = suffixOf(plan.layout.batchUnit);
    const std::uint64_t now = plan.layout.microBatch;
    for (const std::uint64_t size : {now * 2, now / 2})
      if (size > 0)
        add(fmt::format("micro_batch = {}{}", size, unit), [&](Layout& l) { l.microBatch = size; });
  }

  void schedules() {
    if (candidate.pipeline < 2 || plan.layout.schedule == ScheduleKind::Listed)
      return;
    for (const ScheduleCandidate& row :
         planner::scheduleSpace(candidate.pipeline, plan.mesh.microBatches)) {
      const bool same = row.schedule == plan.layout.schedule && row.chunks == plan.layout.chunks &&
                        row.inFlight == plan.layout.inFlight;
      Layout with = plan.layout;
      with.schedule = row.schedule, with.chunks = row.chunks, with.inFlight = row.inFlight;
      with.group = 0;
      if (!same && (!trainer.runs || trainer.runs(with)))
        add("schedule = " + row.text(), [&](Layout& l) { l = with; });
    }
  }

  /// Changes what data ranks of one device each wait for, and their micro-batches.
  void dataRanks() {
    const DataRanks now =
        plan.layout.dataRanks.empty() ? DataRanks() : plan.layout.dataRanks.front();
    const auto with = [&](const std::string& text, DataRanks ranks) {
      add(text, [&](Layout& l) { l.dataRanks = {std::move(ranks)}; });
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
          std::max<std::uint64_t>(1, microseconds(simulation::steadyStep(plan) / 25));
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

  /// Moves a factor of two from one axis to another.
  void degrees() {
    if (plan.layout.split == SplitKind::Listed)
      return;
    using Degree = std::uint32_t cost::LayoutCandidate::*;
    constexpr Degree all[] = {&cost::LayoutCandidate::pipeline, &cost::LayoutCandidate::data,
                              &cost::LayoutCandidate::context, &cost::LayoutCandidate::tensor};
    for (const Degree from : all)
      for (const Degree to : all) {
        if (from == to || candidate.*from % 2 != 0)
          continue;
        cost::LayoutCandidate moved = candidate;
        moved.*from /= 2, moved.*to *= 2;
        moved.sequenceParallel = candidate.sequenceParallel && moved.tensor > 1;
        const std::size_t before = out.size();
        add("", [&](Layout& l) { planner::writeCandidate(moved, l, experts); });
        if (out.size() > before)
          out.back().text = report::meshLines(out.back().plan).front();
      }
  }

  Plan plan;
  const Trainer& trainer;
  cost::LayoutCandidate candidate;
  bool experts;
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
