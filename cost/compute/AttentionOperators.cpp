//===- AttentionOperators.cpp - The operators of attention ------------------------------------===//
#include "cost/compute/OperatorBuilder.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Row size in bytes that tensor cores need as a multiple (NVIDIA, Matrix Multiplication Background
/// User's Guide, section 4).
constexpr double tensorCoreLoad = 16;

/// Scores and values of the `heads` heads on this device; `queryKey` and `value` are head sizes. A
/// fused kernel regenerates its dropout mask and adds ALiBi biases itself.
void coreAttention(OperatorBuilder& b, const Model& m, const Attention& a, double heads,
                   double queryKey, double value, double keyValueHeads) {
  const Division& d = b.d;
  const double keys = a.window ? std::min(real(a.window), d.sequence) : d.sequence;
  const double scores = d.tokens * keys * heads;
  OperatorCost& op = b.operators.emplace_back();
  op.name = "core attention";
  op.module = ModuleKind::CoreAttention;
  op.type = isLowPrecision(d.compute) ? DataType::BF16 : d.compute;
  const double element = elementBytes(op.type);
  op.forward.flop = 2 * scores * (queryKey + value);
  op.backwardInput.flop = 2 * op.forward.flop;
  op.m = d.sequence;
  const double operands =
      d.tokens * (heads * (queryKey + value) + keyValueHeads * (queryKey + value)) * element;
  op.forward.bytes = operands;
  op.backwardInput.bytes = 2 * operands;
  if (d.fusedAttention) {
    op.kind = OperatorCost::OperatorKind::Attention;
    op.executed = a.causal ? 1 - keys / (2 * d.sequence) : 1;
    op.executedBackward = 1.25 * op.executed;
    op.internal = 4 * d.tokens * heads; // log-sum-exp of each row, fp32
    op.kernels = 3;
  } else {
    // arXiv 2205.05198: softmax output 2 B, dropout mask 1 B, dropout output 2 B per score.
    op.kind = OperatorCost::OperatorKind::Matmul;
    op.m = op.n = d.sequence;
    op.k = queryKey;
    if (std::fmod(queryKey * element, tensorCoreLoad) != 0 ||
        std::fmod(value * element, tensorCoreLoad) != 0) {
      // CUDA cores run this GEMM, at the fp32 rate and without loss for tiles.
      op.type = DataType::FP32;
      op.m = op.n = op.k = 0;
    }
    const bool dropped = m.attentionDropout > 0, biased = m.positions == PositionKind::Alibi;
    op.forward.bytes += (7 + (dropped ? 5 : 0) + (biased ? 4 : 0)) * scores;
    op.backwardInput.bytes += (11 + (dropped ? 5 : 0)) * scores;
    op.internal = (2 + (dropped ? 3 : 0)) * scores;
    op.kernels = 7 + (dropped ? 1 : 0) + (biased ? 1 : 0);
  }
  op.saved = d.tokens * heads * value * element;
}

/// Bytes that PyTorch's context parallelism moves in addition to attention kernels
/// (torch/distributed/tensor/experimental/_attention.py at f2127dbd). Keys and values are
/// concatenated for sending. The output of each part is merged in fp32 into the whole output or its
/// later half, which copies both halves. In the backward pass gradients are added likewise, and
/// gradients of keys and values are concatenated for each send.
void mergeParts(OperatorBuilder& b, const Attention& a, double outputs) {
  const Division& d = b.d;
  if (d.context == 1 || d.communication.keys != KeyExchangeKind::Gathered)
    return;
  const double parts = real(d.context), keys = exchangedKeys(a, d);
  // Bytes per element: 2 kernel output, 4 read, 4 written; half of that, and 4 + 4 to join the
  // halves; the mean.
  constexpr double add = (10 + 5 + 8) / 2.0;
  OperatorCost& merge =
      b.streaming("merge parts", ModuleKind::CoreAttention,
                  (parts - 1) * add * outputs + 6 * outputs + 4 * keys,
                  parts * (add * (outputs + keys) + 8 * keys) + 10 * (outputs + keys) + 4 * keys,
                  d.communication.keysCompiled ? KernelKind::Fused : KernelKind::Separate);
  merge.kernels = static_cast<unsigned>(d.context) * (d.communication.keysCompiled ? 3 : 8);
  // Gathered keys and values; in the backward pass their fp32 gradients, sent and received.
  merge.temporary = 2 * parts * keys;
}
} // namespace

void dpl::cost::addGroupedAttention(OperatorBuilder& b, const Model& m, const Attention& a) {
  const Division& d = b.d;
  const double t = real(d.tensor), h = real(m.hidden), dim = real(a.headDim);
  const double heads = real(a.heads) / t, kvHeads = keyValueHeadsOn(a, d.tensor);
  b.matmul("qkv", ModuleKind::Attention, d.tokens, (heads + 2 * kvHeads) * dim, h, true, 1,
           {heads, kvHeads, kvHeads});
  const double rotated = d.tokens * (heads + kvHeads) * dim * 4;
  if (m.positions == PositionKind::Rotary) {
    // Rotated queries and keys replace the others, because autograd needs the angles alone.
    // Separate kernels copy them out of the projection's output, which its other part keeps alive.
    OperatorCost& rotary =
        b.streaming("rotary", ModuleKind::Attention, rotated, rotated, d.kernels.rotary);
    rotary.kernels = 4;
    if (d.kernels.rotary == KernelKind::Separate)
      rotary.internal = d.tokens * (heads + kvHeads) * dim * activationBytes(b.type);
  }
  if (m.qkNorm != QkNorm::None)
    b.streaming("qk norm", ModuleKind::Attention, rotated, 2 * rotated, d.kernels.norm).saved =
        rotated / 2;
  coreAttention(b, m, a, heads, dim, dim, kvHeads);
  mergeParts(b, a, d.tokens * heads * dim);
  b.matmul("attention projection", ModuleKind::Attention, d.tokens, h, heads * dim, false);
  b.scattered("attention", ModuleKind::Attention, h);
}

void dpl::cost::addLatentAttention(OperatorBuilder& b, const Model& m, const Attention& a) {
  const Division& d = b.d;
  const double t = real(d.tensor), h = real(m.hidden), heads = real(a.heads) / t;
  const double queryHead = real(a.nope + a.rope), tokens = d.tokens;
  if (a.queryRank) {
    b.matmul("query down", ModuleKind::Attention, tokens, real(a.queryRank), h, true);
    b.matmul("query up", ModuleKind::MlaUp, tokens, heads * queryHead, real(a.queryRank), true);
  } else {
    b.matmul("query", ModuleKind::Attention, tokens, heads * queryHead, h, true);
  }
  b.matmul("key-value down", ModuleKind::Attention, tokens, real(a.kvRank + a.rope), h, true);
  b.matmul("key-value up", ModuleKind::MlaUp, tokens, heads * real(a.nope + a.value),
           real(a.kvRank), true);
  // Norms of both latents, rotary parts, and the copy of the shared rotary key to every head.
  const double latent = tokens * real(a.queryRank + a.kvRank);
  b.streaming("latent norms", ModuleKind::MlaUp, 4 * latent, 8 * latent, d.kernels.norm).saved =
      latent * elementBytes(b.type);
  const double rotated = 4 * tokens * heads * queryHead;
  OperatorCost& rotary =
      b.streaming("rotary", ModuleKind::MlaUp, 2 * rotated, 2 * rotated, d.kernels.rotary);
  rotary.saved = 2 * tokens * heads * real(a.rope);
  rotary.kernels = 3;
  coreAttention(b, m, a, heads, queryHead, real(a.value), heads);
  mergeParts(b, a, tokens * heads * real(a.value));
  b.matmul("attention projection", ModuleKind::Attention, tokens, h, heads * real(a.value), false);
}
