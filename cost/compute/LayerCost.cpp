//===- LayerCost.cpp - The operators of a layer on one device ---------------------------------===//
#include "cost/compute/LayerCost.h"
#include "cost/compute/OperatorBuilder.h"
#include "cost/compute/PolicyOperators.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// A layer of a layer list is one operator. Tensor ranks divide all of it.
OperatorCost listedLayer(const LayerType& c, const Division& d) {
  OperatorCost op;
  op.name = "layer";
  op.type = d.compute;
  const double element = activationBytes(d.compute), samples = d.tokens / real(d.tensor);
  const double parameters = real(c.listedParameters) / real(d.tensor);
  const double weights = parameters * element, read = samples * real(c.listedRead) * element;
  const double written = samples * real(c.listedOutput) * element;
  op.kind = c.listedForwardFlop > 0 ? OperatorCost::OperatorKind::Matmul
                                    : OperatorCost::OperatorKind::Streaming;
  op.forward = {samples * real(c.listedForwardFlop), weights + read + written};
  op.backwardInput = op.forward;
  op.backwardWeight = {op.forward.flop, read + written + 8 * parameters};
  op.saved = c.stated.statesSaved ? samples * real(c.stated.saved) : written;
  if (c.stated.statesTimes) {
    op.kind = OperatorCost::OperatorKind::Stated;
    op.forward.seconds = samples * toSeconds(c.stated.forward);
    op.backwardInput.seconds = samples * toSeconds(c.stated.backward);
    op.backwardWeight.seconds = samples * toSeconds(c.stated.weight);
  }
  return op;
}
} // namespace

std::vector<OperatorCost> dpl::cost::operatorsOf(const Model& m, const LayerType& c,
                                                 const Division& d) {
  if (m.isLayerList())
    return {listedLayer(c, d)};
  OperatorBuilder b(d, d.compute);
  b.rms = m.norm == NormKind::Rms, b.hidden = m.hidden;
  b.masked = m.hiddenDropout > 0;
  b.operators.reserve(16); // enough for a dense layer
  const double h = real(m.hidden), t = real(d.tensor);
  // Marks the output from which a later norm or the residual stream is recomputed.
  const auto readAgain = [&](llvm::StringRef name) {
    const auto op = llvm::find_if(llvm::reverse(b.operators),
                                  [&](const OperatorCost& made) { return made.name == name; });
    if (op != b.operators.rend())
      op->unsavedOutput = d.tokens * h * activationBytes(d.compute) / d.residualSplit();
  };
  const bool joined = m.hasParallelBlocks(c);
  const double mixers = (c.hasAttention() ? 1 : 0) + real(c.recurrence.size());
  if (c.mixes()) {
    b.norm("attention norm", h, true);
    b.gathered("attention", ModuleKind::Attention, h);
    if (c.attention.kind == AttentionKind::Grouped)
      addGroupedAttention(b, m, c);
    else if (c.attention.kind == AttentionKind::Latent)
      addLatentAttention(b, m, c);
    for (const Recurrence& r : c.recurrence)
      addRecurrence(b, m, r);
    if (m.postNorms)
      b.norm("attention post norm", h);
    if (m.postNorms || !joined)
      readAgain(c.hasAttention() ? "attention projection" : "recurrence out");
    if (!joined)
      b.residual("attention", ModuleKind::Attention, h, mixers);
  }
  const FeedForward& f = c.feedForward;
  b.part = ModelPart::FeedForward;
  if (f.kind != FeedForwardKind::None) {
    const bool ownNorm = !joined || m.parallelNorms > 1;
    if (ownNorm)
      b.norm("feed-forward norm", h, f.kind != FeedForwardKind::Experts || f.shared > 0);
    if (ownNorm && f.kind != FeedForwardKind::Experts)
      b.gathered("feed-forward", ModuleKind::Mlp, h);
    if (f.kind == FeedForwardKind::Experts)
      addExperts(b, m, f);
    else
      addFeedForward(b, ModuleKind::Mlp, "mlp", "mlp up", "mlp down", h, d.tokens,
                     real(f.width) / t, f, 1);
    if (f.kind != FeedForwardKind::Experts)
      b.scattered("feed-forward", ModuleKind::Mlp, h);
    if (m.postNorms) {
      b.norm("feed-forward post norm", h);
      readAgain("mlp down");
    }
    b.residual("feed-forward",
               f.kind == FeedForwardKind::Experts ? ModuleKind::Moe : ModuleKind::Mlp, h,
               joined ? 1 + mixers : 1);
  }
  if (stopsEarly(m, c, d))
    for (OperatorCost& op : llvm::reverse(b.operators)) {
      if (op.saved + op.internal > 0)
        break;
      // With a policy by operator, a GEMM's cast operand is saved or recomputed, but not the GEMM.
      op.recomputable = d.savedOperators != 0 && isCast(op);
    }
  if (d.savesQuantized)
    saveOperands(b.operators, d);
  b.gradientSum();
  return b.finished();
}
