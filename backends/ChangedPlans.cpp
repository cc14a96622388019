//===- ChangedPlans.cpp - Changes of a plan that its framework runs ---------------------------===//
#include "backends/ChangedPlans.h"
#include "backends/Target.h"
#include "ir/SetInFile.h"
#include <algorithm>
#include <memory>
#include <optional>
#include <set>

using namespace dpl;

namespace {
using Refusals = std::set<std::string>;

Refusals errorsOf(const Target& target, const ir::Plan& plan) {
  DiagnosticEngine silent;
  (void)check({target, plan, releaseFor(target, plan), {}}, silent);
  Refusals out;
  for (const Diagnostic& d : silent.diagnostics())
    if (d.info.severity == Severity::Error)
      out.insert(d.message);
  return out;
}

/// Whether a framework without a target has an option for a plan's recomputation: nanotron
/// `recompute_layer`, llm-foundry `activation_checkpointing`, Megatron-LM of 2021
/// `--activations-checkpoint-method`, and MaxText `remat_policy`.
bool hasRecompute(llvm::StringRef framework, const ir::Recompute& r) {
  using enum ir::RecomputeKind;
  if (r.inAdvance || r.kind == Selective)
    return false;
  const bool eachLayer = r.method == ir::RecomputeMethod::Uniform && r.layers == 1;
  if (r.kind == Full)
    return eachLayer || framework == "megatron_2021";
  return r.kind == None || framework == "maxtext";
}

/// Whether the framework can run the changed implementation of the loss. Only Megatron-LM has an
/// option for it. In other frameworks it is fixed, or depends on another field.
bool hasLoss(const ir::Plan& plan, const ir::Plan& changed) {
  return plan.framework.name == "megatron" ||
         plan.layout.kernels.loss == changed.layout.kernels.loss ||
         ir::isFilled(changed, "kernels.loss");
}
} // namespace

std::function<bool(const ir::Plan&)> dpl::acceptsOf(const ir::Plan& plan) {
  if (plan.framework.name.empty())
    return {};
  const Target* target = targetNamed(plan.framework.name);
  if (!target)
    return [&plan](const ir::Plan& changed) {
      const auto has = [&](const ir::Plan& of) {
        return hasRecompute(plan.framework.name, of.layout.recompute);
      };
      return hasLoss(plan, changed) && (has(changed) || !has(plan)) &&
             plan.layout.offloadSettings() == changed.layout.offloadSettings();
    };
  return [&plan, target,
          known = std::make_shared<std::optional<Refusals>>()](const ir::Plan& changed) {
    if (!hasLoss(plan, changed))
      return false;
    if (!*known)
      *known = errorsOf(*target, plan);
    const Refusals found = errorsOf(*target, changed);
    return std::includes((*known)->begin(), (*known)->end(), found.begin(), found.end());
  };
}

std::function<Refusals(const ir::Plan&)> dpl::refusalsOf(const ir::Plan& plan) {
  if (plan.framework.name.empty())
    return {};
  if (const Target* target = targetNamed(plan.framework.name))
    return [target](const ir::Plan& changed) { return errorsOf(*target, changed); };
  return [name = plan.framework.name](const ir::Plan& changed) {
    return hasRecompute(name, changed.layout.recompute) ? Refusals() : Refusals{"recompute"};
  };
}

std::vector<std::string> dpl::frameworksThatAccept(const ir::Plan& plan) {
  std::vector<std::string> out;
  for (const Target* target : allTargets())
    if (target->role == TargetRole::Framework && errorsOf(*target, plan).empty())
      out.emplace_back(target->name);
  return out;
}

std::string dpl::whyRefused(const ir::Plan& plan) {
  const Target* target = targetNamed(plan.framework.name);
  if (!target)
    return "";
  DiagnosticEngine diags;
  if (check({*target, plan, releaseFor(*target, plan), {}}, diags).succeeded())
    return "";
  for (const Diagnostic& d : diags.diagnostics())
    if (d.info.severity == Severity::Error)
      return fmt::format("{}: {}{}", d.info.code, d.message,
                         d.notes.empty() ? "" : ": " + d.notes.front().message);
  return "";
}
