//===- ActionTensors.cpp - The tensors that the actions of a chunk allocate -------------------===//
#include "cost/memory/ActionTensors.h"
#include "cost/compute/GatheredParameters.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <utility>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

std::uint64_t dpl::cost::tensorBytes(double bytes) {
  return bytes < 1 ? 0 : whole(std::min(bytes, 0x1p62));
}

namespace {
bool isProduct(const OperatorCost& op) {
  return op.kind == OperatorCost::OperatorKind::Matmul && op.weights > 0 && op.k > 0;
}
using OperatorResult = OperatorCost::OperatorResult;
bool isResidual(const OperatorCost& op) { return op.result == OperatorResult::ResidualSum; }
bool isLoss(const OperatorCost& op) { return op.result == OperatorResult::Loss; }
bool isOrder(const OperatorCost& op) { return op.result == OperatorResult::GatheredOrder; }
/// Bytes of the output of an operator: its saved bytes, or the output of a GEMM that saves nothing.
double written(const OperatorCost& op) {
  if (op.saved > 0)
    return op.saved;
  return isProduct(op) ? op.forward.flop / (2 * op.k) * activationBytes(op.type) : 0;
}
/// Elements of the weights of a product.
double weightsOf(const OperatorCost& op) { return isProduct(op) && op.m > 0 ? op.weights : 0; }
} // namespace

TensorDivider::TensorDivider(const Plan& plan)
    : plan(plan), estimate(plan), division(divisionOf(plan)),
      streamBytes(residualBytes(plan.model, division)),
      copies(division.saveGathered && plan.layout.communication().stacked &&
             plan.layout.microBatch > 1),
      microBatchGradient(plan.layout.buffers.hasMicroBatchGradients
                             ? real(bitsOf(plan.layout.buffers.microBatchGradients)) / 8
                             : 0) {}

std::uint64_t TensorDivider::stream() const { return tensorBytes(streamBytes); }

std::vector<ModuleTensors> TensorDivider::of(const Chunk& chunk) const {
  std::vector<ModuleTensors> out;
  const GatheredBytes units = GatheredParameters(plan, division).of(chunk);
  for (const ChunkModule& module : estimate.modules(chunk))
    if (module.computeKind != ComputeKind::None) {
      out.push_back(of(module));
      out.back().gatheredParameters =
          tensorBytes(module.computeKind == ComputeKind::Head        ? units.head
                      : module.computeKind == ComputeKind::Embedding ? units.end
                                                                     : units.layers);
    }
  // With tied embeddings the embedding adds its weight gradient to that of the head, which exists.
  if (plan.model.tiedEmbeddings && chunk.embedding && chunk.head)
    for (ModuleTensors& module : out)
      if (!module.stream)
        for (OperatorTensors& t : module.operators)
          t.backwardTemporary = std::exchange(t.weights, 0);
  return out;
}

OperatorTensors TensorDivider::of(const OperatorCost& op, const OperatorCost* before,
                                  bool wholeLayer) const {
  const Recompute& recompute = plan.layout.recompute;
  OperatorTensors t;
  const double kept = savedBy(op, recompute, wholeLayer), all = op.saved + op.internal;
  if (kept == all)
    for (unsigned i = 0; i < op.savedTensors; ++i)
      t.saved.push_back(tensorBytes(op.saved / op.savedTensors));
  else
    t.saved.push_back(tensorBytes(kept));
  if (kept == all && op.internal > 0)
    t.saved.push_back(tensorBytes(op.internal));
  t.recomputed = tensorBytes(all - kept);
  t.offloaded = !wholeLayer && isOffloaded(op, recompute);
  t.temporary = tensorBytes(op.temporary);
  t.adds = isResidual(op);
  t.begins = !before || isResidual(*before);
  const double split = division.residualSplit();
  if (t.adds)
    return t;
  if (op.saved == 0 && kept == 0)
    t.output = tensorBytes(written(op));
  if (isProduct(op)) {
    t.gradient = tensorBytes(op.forward.flop / (2 * op.n) * activationBytes(op.type));
    t.weights = op.frozen ? 0 : tensorBytes(weightsOf(op) * microBatchGradient);
    if (split > 1 && before && before->module == ModuleKind::Norm) {
      t.summed = tensorBytes(real(t.gradient) / split);
      t.gathered = plan.layout.buffers.gathered > 0 || division.saveGathered ? 0 : t.gradient;
    }
  } else if (t.begins) {
    t.gradient = tensorBytes(streamBytes);
  } else if (before) {
    t.gradient = tensorBytes(written(*before));
  }
  // FlashAttention's backward kernel allocates dq in fp32 in addition to dq, dk and dv:
  // mha_varlen_bwd in csrc/flash_attn/flash_api.cpp.
  if (op.kind == OperatorCost::OperatorKind::Attention)
    t.backwardTemporary = tensorBytes(2 * op.saved);
  return t;
}

ModuleTensors TensorDivider::of(const ChunkModule& from) const {
  ModuleTensors module;
  module.count = whole(from.count);
  module.recomputed = from.recomputed;
  module.stream = from.computeKind != ComputeKind::Embedding;
  module.layers = from.computeKind == ComputeKind::Layer;
  module.inputOffloaded = module.layers && plan.layout.recompute.offloads(SavedOperator::Input);
  double rest = from.parameters + from.expertParameters;
  const bool stepped = division.kernels.loss == LossKind::Eager && division.tensor > 1;
  std::vector<OperatorCost> operators = estimate.operators(from);
  // The operator that sums gradients is the last one and allocates no tensor.
  if (!operators.empty() && operators.back().result == OperatorResult::GradientSum)
    operators.pop_back();
  for (std::size_t i = 0; i < operators.size(); ++i) {
    const OperatorCost& op = operators[i];
    const std::size_t before = i > 1 && isOrder(operators[i - 1]) ? i - 2 : i - 1;
    module.operators.push_back(of(op, i > 0 ? &operators[before] : nullptr, from.recomputed));
    OperatorTensors& t = module.operators.back();
    if (isOrder(op) || (copies && t.summed > 0 && from.computeKind == ComputeKind::Head))
      module.operators[before].unordered = tensorBytes(operators[before].saved);
    // Tensor ranks reduce-scatter the output of a GEMM before it is added to the residual stream.
    if (t.output > 0 && i + 1 < operators.size() && isResidual(operators[i + 1]) &&
        division.residualSplit() > 1)
      t.scattered = tensorBytes(streamBytes);
    if (from.computeKind == ComputeKind::Embedding) {
      t.output = tensorBytes(streamBytes * division.residualSplit());
      t.weights = tensorBytes((from.parameters - from.use[0].frozen) * microBatchGradient);
    }
    // The logits are counted in the saved and temporary tensors of the loss.
    if (i + 1 < operators.size() && isLoss(operators[i + 1]) && !stepped)
      t.output = 0;
    // The eager loss is _log_softmax and _nll_loss_and_log_softmax_backward in
    // torch/distributed/tensor/parallel/loss.py at 1963fc8.
    if (isLoss(op) && stepped)
      t.step = tensorBytes(op.internal), t.temporary = 0;
    if (i > 0 && isLoss(op) && op.temporary == 0) { // the gradient of the logits overwrites them
      module.operators[i - 1].saved = std::exchange(t.saved, {});
      t.gradient = 0;
    }
    // With a chunked loss the gradient of all logits never exists at once.
    if (isLoss(op) && division.kernels.loss == LossKind::Chunked)
      t.gradient = 0;
    const double elements = weightsOf(op);
    if (elements > 0 && rest >= elements) {
      module.weights.push_back(elements);
      rest -= elements;
    }
  }
  if (rest >= 1)
    module.weights.push_back(rest);
  if (from.computeKind != ComputeKind::Embedding)
    module.rest = from.use[0].frozen > 0 ? 0 : tensorBytes(rest * microBatchGradient);
  return module;
}
