//===- TorchtitanLayout.cpp - A plan in torchtitan's terms ------------------------------------===//
#include "backends/torchtitan/TorchtitanLayout.h"
#include "backends/KernelDifferences.h"
#include "backends/LaunchScript.h"
#include "ir/FilledFields.h"

using namespace dpl;
using namespace dpl::torchtitan;

TorchtitanLayout::TorchtitanLayout(const TargetRequest& asked)
    : request(asked), plan(asked.plan), old(asked.release.isBefore("0.3")),
      flavor(flavorOf(plan.model, asked.release)), tensor(plan.mesh.size(ir::Axis::Tensor)),
      context(plan.mesh.size(ir::Axis::Context)), pipeline(plan.mesh.size(ir::Axis::Pipeline)),
      data(plan.mesh.size(ir::Axis::Data)), replica(plan.mesh.size(ir::Axis::Replica)),
      chunks(plan.layout.chunks), zero(data > 1 ? plan.layout.shard.stage() : 0),
      schedule(torchScheduleOf(plan.layout)) {
  for (const ir::LayerType& layer : plan.model.layerTypes)
    experts = experts || layer.feedForward.kind == ir::FeedForwardKind::Experts;
  if (plan.mesh.expertAxes.empty()) {
    expertTensor = tensor;
    expertData = context * data;
  } else {
    expert = plan.mesh.size(ir::Axis::Expert);
    expertTensor = plan.mesh.size(ir::Axis::ExpertTensor);
    expertData = plan.mesh.size(ir::Axis::ExpertData);
  }
}

bool TorchtitanLayout::sequenceParallel() const {
  return tensor > 1 && plan.layout.shard.sequence == ir::ShardAxis::Tensor;
}

std::uint64_t TorchtitanLayout::localBatch() const {
  return pipeline > 1 ? plan.layout.microBatch * plan.mesh.microBatches : plan.layout.microBatch;
}

bool TorchtitanLayout::overlapsSends() const { return !schedule || !schedule->awaitsSends; }

bool TorchtitanLayout::fullBf16() const {
  const ir::Precision& p = plan.layout.precision;
  using enum ir::DataType;
  return p.compute == BF16 && p.parameters == BF16 && !p.hasMaster && p.gradients == BF16 &&
         p.moments == BF16;
}

bool TorchtitanLayout::mixed() const {
  return plan.layout.precision.compute != ir::DataType::FP32 && !fullBf16();
}

bool TorchtitanLayout::float8() const { return plan.layout.precision.compute == ir::DataType::FP8; }

bool TorchtitanLayout::compiled() const {
  return plan.framework.compiled || plan.layout.overlap.tensor;
}

bool TorchtitanLayout::compiledLoss() const {
  const ir::LossKind loss = plan.layout.kernels.loss;
  return compiled() ? loss != ir::LossKind::Eager : loss == ir::LossKind::Compiled;
}

/// The kernels of torchtitan's models, which are operators of PyTorch.
static ir::Kernels kernelsOf(const TorchtitanLayout& s) {
  using enum ir::KernelKind;
  ir::Kernels out;
  out.rotary = out.activation = Separate;
  out.loss = s.compiledLoss() ? ir::LossKind::Compiled : ir::LossKind::Eager;
  if (s.compiled())
    out.rotary = out.activation = Fused;
  if (s.compiled() && !s.old)
    out.permutation = Fused;
  return out;
}

std::vector<std::string> dpl::torchtitan::differencesOf(const TorchtitanLayout& s) {
  std::vector<std::string> out = factDifferences(*s.flavor, s.plan.model);
  for (std::string& difference : kernelDifferences(s.plan, kernelsOf(s), true))
    out.push_back(std::move(difference));
  for (std::string& difference : checkpointDifferences(s.plan, /*deletes=*/true, /*async=*/true))
    out.push_back(std::move(difference));
  if (!s.plan.optimizerSettings().learningRate.given)
    out.push_back("the plan has no learning rate, it trains with torchtitan's default of 8e-4");
  if (s.zero == 0 && s.context > 1)
    out.push_back("parameters, gradients and state are sharded over context");
  if (s.plan.model.vocab % (s.plan.layout.vocabMultiple * s.tensor) != 0)
    out.push_back("the vocabulary is not padded");
  if (s.float8() && !s.old && s.plan.layout.precision.recipe == ir::Fp8Recipe::Tensorwise)
    out.push_back("fp8 products scale their inputs by rows and columns, not by tensor");
  if (s.pipeline > 1 && s.plan.layout.overlap.pipeline && !s.overlapsSends())
    out.push_back("1f1b sends between stages without overlap");
  return out;
}

// torchtitan's list _op_sac_save_list saves every second GEMM, the outputs of attention, and
// exchanges. It does not save the outputs of norms and activations. The residual stream is saved at
// layer inputs only.
bool dpl::torchtitan::TorchtitanLayout::byOperator() const {
  const ir::Recompute& r = plan.layout.recompute;
  const llvm::ArrayRef<ir::ModuleKind> policy = ir::selectivePolicy("torchtitan");
  return r.kind == ir::RecomputeKind::Selective && r.modules.size() == policy.size() &&
         llvm::all_of(policy, [&](ir::ModuleKind m) { return r.has(m); });
}
