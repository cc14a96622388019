//===- FilledFields.cpp - Framework defaults that depend on other fields ----------------------===//
#include "ir/FilledFields.h"
#include "ir/Names.h"
#include "support/Release.h"
#include "llvm/ADT/StringRef.h"

using namespace dpl;
using namespace dpl::ir;

namespace {
/// Sets the field if `to` is given, and returns its value as the language writes it.
using Fill = llvm::StringRef (*)(const Layout& from, const Framework& framework, Layout* to);

struct FillRule {
  llvm::StringRef framework, path;
  Fill fill;
};

/// Sets a field of `overlap`. Nothing overlaps if the host waits for each launch.
llvm::StringRef flag(bool value, Layout* to, bool Overlap::*field) {
  if (to)
    to->overlap.*field = value && !to->launchBlocking;
  return value ? "true" : "false";
}

llvm::StringRef fillPipeline(const Layout& from, const Framework&, Layout* to) {
  return flag(from.schedule != ScheduleKind::OneForwardOneBackward, to, &Overlap::pipeline);
}
llvm::StringRef fillGradientsOfZeRO3(const Layout& from, const Framework&, Layout* to) {
  return flag(from.shard.parameters == ShardAxis::Data, to, &Overlap::gradients);
}
llvm::StringRef fillParametersOfZeRO3(const Layout& from, const Framework&, Layout* to) {
  return flag(from.shard.parameters == ShardAxis::Data, to, &Overlap::parameters);
}
llvm::StringRef fillGradientsOfWholeOptimizer(const Layout& from, const Framework&, Layout* to) {
  return flag(from.shard.optimizer == ShardAxis::None, to, &Overlap::gradients);
}
llvm::StringRef fillGradientsOfPlugIn(const Layout& from, const Framework&, Layout* to) {
  return flag(from.shard.parameters == ShardAxis::Data || from.shard.optimizer == ShardAxis::None,
              to, &Overlap::gradients);
}
llvm::StringRef fillMessages(const Layout& from, const Framework&, Layout* to) {
  const bool parts = from.shard.sequence != ShardAxis::Tensor;
  if (to)
    to->shard.messages = parts ? ShardAxis::Tensor : ShardAxis::None;
  return parts ? "tensor" : "none";
}

/// Asynchronous tensor parallelism of torchtitan also compiles layers.
bool compilesLayers(const Layout& from, const Framework& framework) {
  return framework.compiled || from.overlap.tensor;
}
llvm::StringRef kernel(bool fused, Layout* to, KernelKind Kernels::*field) {
  if (to)
    to->kernels.*field = fused ? KernelKind::Fused : KernelKind::Separate;
  return fused ? "fused" : "unfused";
}
llvm::StringRef fillRotary(const Layout& from, const Framework& framework, Layout* to) {
  return kernel(compilesLayers(from, framework), to, &Kernels::rotary);
}
llvm::StringRef fillActivation(const Layout& from, const Framework& framework, Layout* to) {
  return kernel(compilesLayers(from, framework), to, &Kernels::activation);
}
llvm::StringRef fillPermutation(const Layout& from, const Framework& framework, Layout* to) {
  const std::optional<Release> release = Release::parse(framework.version);
  const bool old = release && release->isBefore("0.3");
  return kernel(!old && compilesLayers(from, framework), to, &Kernels::permutation);
}
llvm::StringRef fillLoss(const Layout& from, const Framework& framework, Layout* to) {
  const bool fused = compilesLayers(from, framework);
  if (to)
    to->kernels.loss = fused ? LossKind::Compiled : LossKind::Eager;
  return fused ? "compiled" : "eager";
}
llvm::StringRef fillKeys(const Layout& from, const Framework&, Layout* to) {
  if (to && !to->communicationOptions.empty())
    to->communicationOptions.front().keysCompiled = from.overlap.tensor;
  return from.overlap.tensor ? "all_gather { repeat_kv = false, compiled = true }"
                             : "all_gather { repeat_kv = false, compiled = false }";
}
llvm::StringRef fillUpdateGradients(const Layout& from, const Framework&, Layout* to) {
  const bool copied = from.precision.gradients != DataType::FP32;
  if (to)
    to->buffers.hasUpdateGradients = copied, to->buffers.updateGradients = DataType::FP32;
  return copied ? "fp32" : "none";
}
llvm::StringRef fillWholeGradients(const Layout& from, const Framework&, Layout* to) {
  if (to)
    to->buffers.hasWholeGradients = true, to->buffers.wholeGradients = from.precision.reduce;
  return name(from.precision.reduce);
}

constexpr FillRule rules[] = {
    {"megatron", "overlap.pipeline", fillPipeline},
    {"torchtitan", "overlap.pipeline", fillPipeline},
    {"torchtitan", "kernels.rotary", fillRotary},
    {"torchtitan", "kernels.activation", fillActivation},
    {"torchtitan", "kernels.loss", fillLoss},
    {"torchtitan", "kernels.permutation", fillPermutation},
    {"torchtitan", "communication_options.context_exchange", fillKeys},
    {"torchtitan", "buffers.unsharded_gradients", fillWholeGradients},
    {"deepspeed", "overlap.gradients", fillGradientsOfZeRO3},
    {"deepspeed", "overlap.parameters", fillParametersOfZeRO3},
    {"deepspeed", "shard.messages", fillMessages},
    {"deepspeed", "buffers.optimizer_gradients", fillUpdateGradients},
    {"accelerate", "overlap.gradients", fillGradientsOfPlugIn},
    {"accelerate", "overlap.parameters", fillParametersOfZeRO3},
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
        if (const llvm::StringRef value = rule.fill(plan.layout, framework, nullptr);
            value != field.value) {
          rule.fill(plan.layout, framework, &plan.layout);
          field.value = value.str();
        }
  }
}

llvm::ArrayRef<ModuleKind> dpl::ir::selectivePolicy(llvm::StringRef framework) {
  using enum ModuleKind;
  static constexpr ModuleKind torchtitan[] = {Norm, Activation, AlternateProducts};
  return framework == "torchtitan" ? llvm::ArrayRef<ModuleKind>(torchtitan)
                                   : llvm::ArrayRef<ModuleKind>();
}
