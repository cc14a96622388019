//===- OpenChoices.cpp - Open fields that `mesh = auto` varies, and their values --------------===//
#include "planner/OpenChoices.h"
#include "cost/legality/Legality.h"
#include "ir/FilledFields.h"

using namespace dpl;
using namespace dpl::planner;
using ir::ModuleKind;
using ir::RecomputeKind;
using ir::ScheduleKind;
using ir::ShardAxis;
using ir::SplitKind;

OpenChoice::OpenChoice(const ir::Layout& layout)
    : split(layout.split), recompute(layout.recompute), optimizer(layout.shard.optimizer),
      gradients(layout.shard.gradients), parameters(layout.shard.parameters),
      schedule(layout.schedule), chunks(layout.chunks), inFlight(layout.inFlight) {}

void OpenChoice::write(ir::Layout& layout) const {
  layout.split = split, layout.recompute = recompute;
  layout.shard.optimizer = optimizer, layout.shard.gradients = gradients;
  layout.shard.parameters = parameters;
  layout.schedule = schedule, layout.chunks = chunks, layout.inFlight = inFlight;
}

namespace {
bool hasLatentAttention(const ir::Model& model) {
  return llvm::any_of(model.layerTypes, [](const ir::LayerType& c) {
    return c.attention.kind == ir::AttentionKind::Latent;
  });
}

} // namespace

std::vector<ir::Recompute> dpl::planner::recomputations(const ir::Plan& plan) {
  std::vector<ir::Recompute> all = {plan.layout.recompute};
  if (!plan.layout.mesh.open.recompute)
    return all;
  std::vector<ModuleKind> modules;
  const auto add = [&](llvm::ArrayRef<ModuleKind> more) {
    modules.insert(modules.end(), more.begin(), more.end());
    all.emplace_back();
    all.back().kind = RecomputeKind::Selective, all.back().modules = modules;
  };
  if (const llvm::ArrayRef<ModuleKind> policy = ir::selectivePolicy(plan.framework.name);
      !policy.empty()) {
    add(policy);
  } else {
    if (!plan.layout.fusedAttention)
      add({ModuleKind::CoreAttention});
    add({ModuleKind::Norm});
    add({ModuleKind::Activation});
    if (hasLatentAttention(plan.model))
      add({ModuleKind::MlaUp});
  }
  all.emplace_back();
  all.back().kind = RecomputeKind::Full;
  return all;
}

namespace {
std::vector<OpenChoice> schedules(const ir::Plan& plan, const SupportsSchedule& runs) {
  std::vector<OpenChoice> all = {OpenChoice(plan.layout)};
  if (!plan.layout.scheduleAutomatic)
    return all;
  ir::Layout layout = plan.layout;
  // Tries only a few numbers of chunks. `schedule = auto` later tries other numbers, and schedules
  // ordered by action times, with the chosen mesh.
  for (const ir::ScheduleCandidate& row : scheduleSpace(1, UINT64_MAX / 2)) {
    const bool isFirst = row.schedule == all.front().schedule && row.chunks == 1;
    if (isFirst || cost::scheduleInfo(row.schedule).byTime)
      continue;
    OpenChoice choice = all.front();
    choice.schedule = row.schedule, choice.chunks = row.chunks, choice.inFlight = row.inFlight;
    choice.write(layout);
    if (!runs || runs(layout))
      all.push_back(std::move(choice));
  }
  return all;
}
} // namespace

std::vector<OpenChoice> dpl::planner::openChoices(const ir::Plan& plan,
                                                  const SupportsSchedule& runs) {
  const ir::OpenFields& open = plan.layout.mesh.open;
  const std::vector<ir::Recompute> again = recomputations(plan);
  std::vector<OpenChoice> all;
  ir::Layout layout = plan.layout;
  const auto add = [&](OpenChoice choice) {
    choice.write(layout);
    if (!all.empty() &&
        cost::LegalityInputs(plan.model, plan.cluster, layout).fixed != cost::LegalityRule::None)
      return;
    choice.dealt = all.size();
    for (std::size_t i = 0; i < all.size() && choice.dealt == all.size(); ++i)
      if (all[i].schedule == choice.schedule && all[i].chunks == choice.chunks &&
          all[i].split == choice.split)
        choice.dealt = i;
    all.push_back(std::move(choice));
  };
  for (OpenChoice choice : schedules(plan, runs))
    for (unsigned stage = 0; stage < (open.stage ? 4 : 1); ++stage) {
      if (open.stage) {
        const auto axis = [&](unsigned from) {
          return stage >= from ? ShardAxis::Data : ShardAxis::None;
        };
        choice.optimizer = axis(1), choice.gradients = axis(2), choice.parameters = axis(3);
      }
      for (choice.recomputation = 0; choice.recomputation < again.size(); ++choice.recomputation) {
        choice.recompute = again[choice.recomputation];
        choice.split = plan.layout.split;
        add(choice);
        if (!open.split || choice.split != SplitKind::Even)
          continue;
        choice.split = SplitKind::ByFlop;
        add(choice);
      }
    }
  return all;
}
