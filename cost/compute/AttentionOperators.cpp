//===- AttentionOperators.cpp - The operators of attention ------------------------------------===//
#include "cost/compute/OperatorBuilder.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Scores reach the peak of half precision only if a row of a head is a multiple of this many
/// bytes. Trials of BLOOM with heads of 150 and 450 elements show it (rows blm-134 to blm-145 of
/// tests/accuracy/published_layouts.csv).
constexpr double tensorCoreLoad = 16;

/// Scores and values of the `heads` heads on this device; `queryKey` and `value` are head sizes. A
/// query attends to at most `most` keys. A fused kernel regenerates its dropout mask and adds ALiBi
/// biases itself.
void coreAttention(OperatorBuilder& b, const Model& m, const Attention& a, double heads,
                   double queryKey, double value, double keyValueHeads, std::uint64_t most) {
  const Division& d = b.d;
  const double keys = most ? std::min(real(most), d.sequence) : d.sequence;
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
    // Each score saves 2 B of softmax output, 1 B of dropout mask and 2 B of dropout output (arXiv
    // 2205.05198).
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
void mergeParts(OperatorBuilder& b, const LayerType& c, double outputs) {
  const Division& d = b.d;
  if (d.context == 1 || d.communication.keys != KeyExchangeKind::Gathered)
    return;
  const double parts = real(d.context), keys = exchangedKeys(c, d);
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

/// Multiplies the output of attention by the sigmoid of a projection of the layer's input.
void outputGate(OperatorBuilder& b, const Attention& a, double heads) {
  if (!a.gate)
    return;
  const Division& d = b.d;
  const double elements = d.tokens * heads * real(a.valueDim());
  const bool each = *a.gate == AttentionGate::Element;
  b.matmul("attention gate", ModuleKind::Attention, d.tokens,
           heads * (each ? real(a.valueDim()) : 1), real(b.hidden), true);
  OperatorCost& product =
      b.streaming("gated output", ModuleKind::Attention, (each ? 6 : 4) * elements,
                  (each ? 10 : 8) * elements, d.kernels.activation);
  product.saved = elements * elementBytes(b.type);
}

/// The scores of the indexer for all earlier keys, and its choice. Its projections are trained by a
/// loss of their own over the chosen keys (arXiv 2512.02556, section 2.1.1), so that no gradient of
/// the other scores is formed. Every tensor rank has all of its heads.
void addIndexer(OperatorBuilder& b, const Attention& a, const Indexer& indexer) {
  const Division& d = b.d;
  const double h = real(b.hidden), width = real(indexer.heads * indexer.headDim);
  const ModuleKind module = ModuleKind::Attention;
  b.matmul("index query", module, d.tokens, width, a.queryRank ? real(a.queryRank) : h, true);
  b.matmul("index key", module, d.tokens, real(indexer.headDim + indexer.heads), h, true);
  OperatorCost& scores = b.operators.emplace_back();
  scores.name = "index scores";
  scores.kind = OperatorCost::OperatorKind::Attention;
  scores.module = ModuleKind::CoreAttention;
  scores.type = isLowPrecision(d.compute) ? DataType::BF16 : d.compute;
  scores.m = d.sequence;
  scores.forward = {2 * d.tokens * d.sequence * width,
                    2 * d.tokens * width + 4 * d.tokens * d.sequence};
  const double chosen = std::min(real(indexer.chosen), d.sequence);
  scores.backwardInput = {4 * d.tokens * chosen * width, 8 * d.tokens * chosen};
  scores.executed = a.causal ? 0.5 : 1;
  scores.executedBackward = a.causal ? 1 - chosen / (2 * d.sequence) : 1;
  // Indices and scores of the chosen keys, 4 bytes each. All scores are alive once.
  scores.internal = 8 * d.tokens * chosen;
  scores.temporary = 4 * d.tokens * d.sequence;
  b.streaming("index top-k", ModuleKind::CoreAttention, 4 * d.tokens * d.sequence, 0).kernels = 2;
}
} // namespace

void dpl::cost::addGroupedAttention(OperatorBuilder& b, const Model& m, const LayerType& c) {
  const Division& d = b.d;
  const Attention& a = c.attention;
  const double t = real(d.tensor), h = real(m.hidden), dim = real(a.headDim);
  const double heads = real(a.heads) / t, kvHeads = keyValueHeadsOn(a, d.tensor);
  const double value = real(a.valueDim());
  b.matmul("qkv", ModuleKind::Attention, d.tokens, heads * dim + kvHeads * (dim + value), h, true,
           1, {heads * dim, kvHeads * dim, kvHeads * value});
  const double rotated = d.tokens * (heads + kvHeads) * dim * 4;
  if (m.positions == PositionKind::Rotary) {
    // Only the rotated queries and keys are saved, because their backward pass needs only the
    // angles. Separate kernels copy them out of the projection's output, which stays allocated
    // because of its values.
    OperatorCost& rotary =
        b.streaming("rotary", ModuleKind::Attention, rotated, rotated, d.kernels.rotary);
    rotary.kernels = 4;
    if (d.kernels.rotary == KernelKind::Separate)
      rotary.internal = d.tokens * (heads + kvHeads) * dim * activationBytes(b.type);
  }
  if (m.qkNorm != QkNorm::None)
    b.streaming("qk norm", ModuleKind::Attention, rotated, 2 * rotated, d.kernels.norm).saved =
        rotated / 2;
  coreAttention(b, m, a, heads, dim, value, kvHeads, a.window);
  mergeParts(b, c, d.tokens * heads * value);
  outputGate(b, a, heads);
  b.matmul("attention projection", ModuleKind::Attention, d.tokens, h, heads * value, false);
  b.scattered("attention", ModuleKind::Attention, h);
}

void dpl::cost::addLatentAttention(OperatorBuilder& b, const Model& m, const LayerType& c) {
  const Division& d = b.d;
  const Attention& a = c.attention;
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
  // The next operators are the norms of both latents, the rotary embedding, and the copy of the
  // shared rotary key to every head.
  const double latent = tokens * real(a.queryRank + a.kvRank);
  b.streaming("latent norms", ModuleKind::MlaUp, 4 * latent, 8 * latent, d.kernels.norm).saved =
      latent * elementBytes(b.type);
  const double rotated = 4 * tokens * heads * queryHead;
  OperatorCost& rotary =
      b.streaming("rotary", ModuleKind::MlaUp, 2 * rotated, 2 * rotated, d.kernels.rotary);
  rotary.saved = 2 * tokens * heads * real(a.rope);
  rotary.kernels = 3;
  if (c.indexer.empty()) {
    coreAttention(b, m, a, heads, queryHead, real(a.value), heads, a.window);
  } else {
    // Chosen keys are those of the latent itself, which all heads share: `key-value up` runs on
    // queries and outputs (DeepSeek-V3.2, MQA mode).
    addIndexer(b, a, c.indexer.front());
    coreAttention(b, m, a, heads, real(a.kvRank + a.rope), real(a.kvRank), 1,
                  c.indexer.front().chosen);
  }
  mergeParts(b, c, tokens * heads * real(a.value));
  outputGate(b, a, heads);
  b.matmul("attention projection", ModuleKind::Attention, tokens, h, heads * real(a.value), false);
}
