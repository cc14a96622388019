//===- FilledFields.cpp - Defaults of frameworks that follow other fields ---------------------===//
#include "ir/FilledFields.h"
#include "llvm/ADT/StringRef.h"

using namespace dpl;
using namespace dpl::ir;

namespace {
/// Writes the field if a layout is given, and returns its value as the language writes it.
using Fill = llvm::StringRef (*)(const Layout& from, bool compiled, Layout* to);

struct FillRule {
  llvm::StringRef framework, path;
  Fill fill;
};

/// Nothing overlaps where the host waits for each launch.
llvm::StringRef flag(bool value, Layout* to, bool Overlap::*field) {
  if (to)
    to->overlap.*field = value && !to->launchBlocking;
  return value ? "true" : "false";
}

llvm::StringRef fillPipeline(const Layout& from, bool, Layout* to) {
  return flag(from.schedule != ScheduleKind::OneForwardOneBackward, to, &Overlap::pipeline);
}
llvm::StringRef fillGradientsOfZeRO3(const Layout& from, bool, Layout* to) {
  return flag(from.shard.parameters == ShardAxis::Data, to, &Overlap::gradients);
}
llvm::StringRef fillParametersOfZeRO3(const Layout& from, bool, Layout* to) {
  return flag(from.shard.parameters == ShardAxis::Data, to, &Overlap::parameters);
}
llvm::StringRef fillGradientsOfWholeOptimizer(const Layout& from, bool, Layout* to) {
  return flag(from.shard.optimizer == ShardAxis::None, to, &Overlap::gradients);
}
llvm::StringRef fillMessages(const Layout& from, bool, Layout* to) {
  const bool parts = from.shard.sequence != ShardAxis::Tensor;
  if (to)
    to->shard.messages = parts ? ShardAxis::Tensor : ShardAxis::None;
  return parts ? "tensor" : "none";
}

llvm::StringRef fillKernel(const Layout& from, bool compiled, Layout* to,
                           KernelKind Kernels::*field) {
  const bool fused = compiled || from.overlap.tensor;
  if (to)
    to->kernels.*field = fused ? KernelKind::Fused : KernelKind::Separate;
  return fused ? "fused" : "separate";
}
llvm::StringRef fillRotary(const Layout& from, bool compiled, Layout* to) {
  return fillKernel(from, compiled, to, &Kernels::rotary);
}
llvm::StringRef fillActivation(const Layout& from, bool compiled, Layout* to) {
  return fillKernel(from, compiled, to, &Kernels::activation);
}
llvm::StringRef fillLoss(const Layout& from, bool compiled, Layout* to) {
  const bool fused = compiled || from.overlap.tensor;
  if (to)
    to->kernels.loss = fused ? LossKind::Compiled : LossKind::Eager;
  return fused ? "compiled" : "eager";
}
llvm::StringRef fillKeys(const Layout& from, bool, Layout* to) {
  if (to && !to->callHabits.empty())
    to->callHabits.front().keysCompiled = from.overlap.tensor;
  return from.overlap.tensor ? "gathered { repeated = false, compiled = true }"
                             : "gathered { repeated = false, compiled = false }";
}

constexpr FillRule rules[] = {
    {"megatron", "overlap.pipeline", fillPipeline},
    {"torchtitan", "overlap.pipeline", fillPipeline},
    {"torchtitan", "kernels.rotary", fillRotary},
    {"torchtitan", "kernels.activation", fillActivation},
    {"torchtitan", "kernels.loss", fillLoss},
    {"torchtitan", "calls.keys", fillKeys},
    {"deepspeed", "overlap.gradients", fillGradientsOfZeRO3},
    {"deepspeed", "overlap.parameters", fillParametersOfZeRO3},
    {"deepspeed", "shard.messages", fillMessages},
    {"megatron_2021", "shard.messages", fillMessages},
    {"nanotron", "overlap.gradients", fillGradientsOfWholeOptimizer},
};
} // namespace

void dpl::ir::updateFilledFields(Plan& plan) {
  const Framework& framework = plan.framework;
  for (const FillRule& rule : rules) {
    if (rule.framework != framework.name)
      continue;
    for (FilledField& field : plan.framework.filled)
      if (rule.path == field.path)
        if (const llvm::StringRef value = rule.fill(plan.layout, framework.compiled, nullptr);
            value != field.value) {
          rule.fill(plan.layout, framework.compiled, &plan.layout);
          field.value = value.str();
        }
  }
}
