//===- EndOperators.cpp - The operators of embedding, head and MTP layers ---------------------===//
#include "cost/compute/OperatorBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Bytes per logit that a loss moves forward and backward, saves, and holds temporarily.
struct LossRow {
  LossKind kind;
  double forward, backward, saved, temporary;
  unsigned kernels;
  double divided = temporary; ///< `temporary` if tensor ranks divide the vocabulary
};
/// `fused` reads the logits twice and writes their gradient in their place.
/// `compiled` (TorchInductor) reads them once, because online_softmax of torch/_inductor/config.py
/// is on from release 2.8, and once more for a gradient in a second tensor.
/// `in_place` converts to fp32 and computes maximum, exponentials and their sum in separate
/// kernels; its backward pass holds a 16-bit gradient in addition to the fp32 probabilities.
/// `copied` also writes the shifted logits, while the caller's fp32 logits stay.
/// `eager` is PyTorch's cross entropy of logits in fp32: it holds 16-bit logits, fp32 logits, their
/// shifted copy and the log-probabilities. Over a divided vocabulary the gradient is
/// (g + exp(l)) · s, each step of which makes a tensor, while l stays:
/// _nll_loss_and_log_softmax_backward in torch/distributed/tensor/parallel/loss.py.
/// `chunked` runs like `fused`, one slice of tokens after another.
constexpr LossRow lossRows[] = {
    {LossKind::Fused, 6, 0, 2, 0, 2},        {LossKind::Compiled, 2, 4, 2, 2, 3},
    {LossKind::InPlace, 18, 10, 4, 2, 5},    {LossKind::Copied, 34, 14, 4, 4, 9},
    {LossKind::Eager, 45, 25, 4, 10, 8, 12}, {LossKind::Chunked, 6, 0, 0, 2, 2},
};
const LossRow& lossRow(LossKind kind) {
  return *llvm::find_if(lossRows, [&](const LossRow& row) { return row.kind == kind; });
}

/// Tokens whose logits exist at the same time. A slice of tokens has about as many logits as all
/// tokens have elements of the hidden state, rounded to a power of two of tokens (Liger-Kernel at
/// v0.5.2, ops/fused_linear_cross_entropy.py).
double tokensOfChunk(const Model& m, const Division& d) {
  const double chunks = std::ceil(real(d.vocab) / real(m.hidden));
  return std::min(d.tokens, std::exp2(std::ceil(std::log2(std::ceil(d.tokens / chunks)))));
}

/// The loss of a slice of tokens saves the gradient of the head's input. The backward pass
/// multiplies it by the gradient of the loss.
void runInChunks(OperatorCost& loss, const Model& m, const Division& d) {
  const double gradient = d.tokens * real(m.hidden) * 2, chunk = tokensOfChunk(m, d);
  loss.internal = gradient;
  loss.temporary *= chunk / d.tokens;
  loss.backwardInput.bytes += 2 * gradient;
  loss.kernels *= static_cast<unsigned>(std::ceil(d.tokens / chunk));
}
} // namespace

std::vector<OperatorCost> dpl::cost::embeddingOperators(const Model& m, const Division& d) {
  if (m.isLayerList())
    return {};
  OperatorBuilder b(d, d.compute);
  const double elements = d.tokens * real(m.hidden);
  const double tables = 1 + (m.positions == PositionKind::Learned) + (m.tokenTypes > 0);
  // Rows are read and the sum is written. The backward pass adds rows to the fp32 gradient.
  OperatorCost& op = b.streaming("embedding", ModuleKind::Norm, elements * 2 * (tables + 1),
                                 elements * (2 + 8 * tables));
  op.kernels = 2;
  b.masked = m.hiddenDropout > 0;
  const double own = elements / d.residualSplit();
  // The output of the norm is the input of the first layer, which saves it.
  if (m.embeddingNorm)
    op.saved = own * activationBytes(d.compute);
  b.dropout(op, own);
  const bool frozen = d.tuning && d.tuning->freezes(ModelPart::Embedding);
  if (frozen)
    op.backwardInput = {};
  if (m.embeddingNorm)
    b.streaming("embedding norm", ModuleKind::Norm, 4 * own, 8 * own, d.kernels.norm);
  const double rows =
      real(d.vocab) / real(d.tensor) + (m.positions == PositionKind::Learned ? real(m.context) : 0);
  if (!frozen)
    b.holds(rows * real(m.hidden), tables);
  b.gradientSum();
  return b.finished();
}

std::vector<OperatorCost> dpl::cost::headOperators(const Model& m, const Division& d) {
  if (m.isLayerList())
    return {};
  OperatorBuilder b(d, d.head);
  b.operators.reserve(4); // enough for most heads
  b.rms = m.norm == NormKind::Rms;
  const double h = real(m.hidden), vocab = real(d.vocab) / real(d.tensor),
               logits = d.tokens * vocab;
  b.part = m.tiedEmbeddings ? ModelPart::Embedding : ModelPart::Head;
  if (m.kind != "encoder")
    b.norm("final norm", h, !m.headTransform);
  if (m.headTransform) {
    b.matmul("head transform", ModuleKind::Mlp, d.tokens, h, h, true).endsModel = true;
    b.norm("head norm", h);
  }
  b.matmul("logits", ModuleKind::Mlp, d.tokens, vocab, h, false).endsModel = true;
  const LossRow& row = lossRow(d.kernels.loss);
  OperatorCost& loss =
      b.streaming("loss", ModuleKind::Mlp, row.forward * logits, row.backward * logits);
  loss.result = OperatorCost::OperatorResult::Loss;
  loss.internal = row.saved * logits;
  loss.temporary = (d.tensor > 1 ? row.divided : row.temporary) * logits;
  loss.kernels = row.kernels;
  if (row.kind == LossKind::Chunked)
    runInChunks(loss, m, d);
  b.gradientSum();
  return b.finished();
}

std::vector<OperatorCost> dpl::cost::predictionOperators(const Model& m, const Division& d) {
  OperatorBuilder b(d, d.compute);
  const double h = real(m.hidden);
  b.norm("prediction norm", h);
  b.norm("prediction embedding norm", h);
  b.matmul("prediction projection", ModuleKind::Mlp, d.tokens, h / real(d.tensor), 2 * h, true);
  b.gradientSum();
  return b.finished();
}
