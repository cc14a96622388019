//===- LayerCost.cpp - The operators of a layer, as one device runs them ----------------------===//
#include "cost/compute/LayerCost.h"
#include "cost/compute/Routing.h"
#include "ir/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool isNarrow(DataType t) { return bitsOf(t) <= 8; }
double elementBytes(DataType t) { return real(bitsOf(t)) / 8; }
/// What separate kernels move of what one moves: each step reads and writes its tensor again, often
/// in fp32.
double passesOf(KernelKind kernel) { return kernel == KernelKind::Fused ? 1 : 2.5; }

/// Bytes that rows of an operand are a multiple of where tensor cores take it (NVIDIA, Matrix
/// Multiplication Background User's Guide, section 4).
constexpr double tensorCoreLoad = 16;

/// Collects the operators of one layer.
class Builder {
public:
  Builder(const Division& d, DataType type) : d(d), type(type) {}

  /// `count` products of m × k by k × n. `keep` says whether the output is kept for the backward
  /// pass, `columns` where frameworks without fused ones have several products of so many each.
  OperatorCost& matmul(const char* name, Module module, double m, double n, double k, bool keep,
                       double count = 1, llvm::ArrayRef<double> columns = {}) {
    OperatorCost op;
    op.name = name;
    op.kind = OperatorCost::Kind::Matmul;
    op.module = module;
    op.type = type;
    op.rows = m, op.columns = n, op.depth = k;
    const double in = elementBytes(type), out = activationBytes(type), flop = 2 * count * m * n * k;
    op.forward = {flop, count * (m * k * in + k * n * in + m * n * out)};
    op.backwardInput = {flop, count * (m * n * in + k * n * in + m * k * out)};
    // The weight gradient is added to an fp32 buffer: read and written.
    op.backwardWeight = {flop, count * ((m * n + m * k) * in + 8 * k * n)};
    op.saved = keep ? count * m * n * out : 0;
    // Bias or layout change beside the product; copies of it are launched one by one or in one.
    op.kernels = 1 + (d.calls.groupedExperts ? 1 : static_cast<unsigned>(count));
    op.alternate = count > 1 ? 1 : secondOf(columns.empty() ? llvm::makeArrayRef(n) : columns);
    operators.push_back(op);
    if (isNarrow(type)) {
      // Operands are cast before a narrow product: read in bf16, written twice (rows and columns).
      const double bytes = 2 + 2 * elementBytes(type);
      OperatorCost& cast = streaming("cast", module, count * m * k * bytes, count * m * n * bytes);
      cast.kernels = 1; // one call casts the operands of all copies
      cast.of = name;
      cast.alternate = op.alternate;
    }
    return operators[operators.size() - (isNarrow(type) ? 2 : 1)];
  }
  OperatorCost& streaming(const char* name, Module module, double bytes, double backwardBytes,
                          KernelKind kernel = KernelKind::Fused) {
    OperatorCost op;
    op.name = name;
    op.module = module;
    op.type = type;
    op.forward.bytes = bytes * passesOf(kernel);
    op.backwardInput.bytes = backwardBytes * passesOf(kernel);
    operators.push_back(op);
    return operators.back();
  }
  /// A norm of the residual stream; its output is kept in the type that the product after it reads,
  /// whole where tensor ranks gather it for that product and keep what they gather.
  void norm(const char* name, double width, bool gathered = false) {
    const double elements = d.tokens * width / d.residualSplit();
    OperatorCost& op = streaming(name, Module::Norm, 4 * elements, 8 * elements, d.kernels.norm);
    op.saved = elements * elementBytes(type) * (gathered && d.keepGathered ? d.residualSplit() : 1);
    // PyTorch has a kernel for LayerNorm; an RMS norm of its own keeps its input in fp32 and what
    // it multiplies by the gain.
    if (rms && d.kernels.norm == KernelKind::Separate)
      op.internal = elements * (4 + elementBytes(type));
  }
  /// What tensor ranks gather along the sequence for a block, in the type of the products that read
  /// it, is put in order where the collective only knows the first dimension.
  void gathered(const char* of, Module module, double width) {
    if (d.copiesGathered)
      copy("order of gathered", of, module, 2 * elementBytes(type) * d.tokens * width);
  }
  /// Of a block whose output tensor ranks scatter: the sum of its pieces where that is a pass of
  /// its own, and backward that of the gradients of its input; or what puts them in order before.
  void scattered(const char* of, Module module, double width) {
    const double elements = d.tokens * width;
    if (d.calls.stacked)
      copy("sum of pieces", of, module, 2 * (elements + elements / d.residualSplit()));
    if (d.copiesScattered)
      copy("order of scattered", of, module, 4 * elements);
  }
  /// The sum of `parts` onto the residual stream. Its output, the input of the next norm, is always
  /// kept; see residualBytes.
  void residual(const char* of, Module module, double width, double parts = 1) {
    const double elements = d.tokens * width / d.residualSplit();
    OperatorCost& sum = streaming("residual", module, (4 + 2 * parts) * elements,
                                  (2 + 2 * parts) * elements, d.kernels.norm);
    sum.of = of;
    sum.kernels = 2;
    dropout(sum, parts * elements);
  }
  /// Beside what an operator does anyway: a mask of a byte an element, written and read again.
  void dropout(OperatorCost& op, double elements) const {
    if (!masked)
      return;
    op.internal += elements;
    op.forward.bytes += elements, op.backwardInput.bytes += elements;
  }
  /// Backward it does the same to the gradients of what the block is given.
  void copy(const char* name, const char* of, Module module, double bytes) {
    streaming(name, module, bytes, bytes).of = of;
  }
  std::vector<OperatorCost> operators;
  const Division& d;
  DataType type;
  bool rms = false;
  bool masked = false; ///< the residual stream has dropout

private:
  /// The share of these products that are the second, the fourth … of the layer.
  double secondOf(llvm::ArrayRef<double> columns) {
    double second = 0, all = 0;
    for (const double n : columns) {
      second += ++products % 2 == 0 ? n : 0;
      all += n;
    }
    return all > 0 ? second / all : 0;
  }
  unsigned products = 0;
};

/// Scores and values of `heads` heads on this device; `queryKey` and `value` are head sizes. A
/// fused kernel draws its dropout again and adds what falls with the distance itself.
void coreAttention(Builder& b, const Model& m, const Attention& a, double heads, double queryKey,
                   double value, double keyValueHeads) {
  const Division& d = b.d;
  const double keys = a.window ? std::min(real(a.window), d.sequence) : d.sequence;
  const double scores = d.tokens * keys * heads;
  OperatorCost op;
  op.name = "core attention";
  op.module = Module::CoreAttention;
  op.type = isNarrow(d.compute) ? DataType::BF16 : d.compute;
  const double element = elementBytes(op.type);
  op.forward.flop = 2 * scores * (queryKey + value);
  op.backwardInput.flop = 2 * op.forward.flop;
  op.rows = d.sequence;
  const double operands =
      d.tokens * (heads * (queryKey + value) + keyValueHeads * (queryKey + value)) * element;
  op.forward.bytes = operands;
  op.backwardInput.bytes = 2 * operands;
  if (d.fusedAttention) {
    op.kind = OperatorCost::Kind::Attention;
    op.executed = a.causal ? 1 - keys / (2 * d.sequence) : 1;
    op.executedBackward = 1.25 * op.executed;
    op.internal = 4 * d.tokens * heads; // log-sum-exp of each row, fp32
    op.kernels = 3;
  } else {
    // arXiv 2205.05198: softmax output 2 B, dropout mask 1 B, dropout output 2 B a score.
    op.kind = OperatorCost::Kind::Matmul;
    op.rows = op.columns = d.sequence;
    op.depth = queryKey;
    if (std::fmod(queryKey * element, tensorCoreLoad) != 0 ||
        std::fmod(value * element, tensorCoreLoad) != 0) {
      // By the cores of single elements, whose rate is that of fp32 and no matter of tiles.
      op.type = DataType::FP32;
      op.rows = op.columns = op.depth = 0;
    }
    const bool dropped = m.attentionDropout > 0, biased = m.positions == PositionKind::Alibi;
    op.forward.bytes += (7 + (dropped ? 5 : 0) + (biased ? 4 : 0)) * scores;
    op.backwardInput.bytes += (11 + (dropped ? 5 : 0)) * scores;
    op.internal = (2 + (dropped ? 3 : 0)) * scores;
    op.kernels = 7 + (dropped ? 1 : 0) + (biased ? 1 : 0);
  }
  op.saved = d.tokens * heads * value * element;
  op.internal += d.keepsBothOrders ? op.saved : 0;
  b.operators.push_back(op);
}

/// Bytes that PyTorch's context parallelism moves beside the kernels of attention to each rank's
/// part (torch/distributed/tensor/experimental/_attention.py at f2127dbd): keys and values are
/// joined to be sent; what a part gives is merged in fp32 into all, or into its later half, which
/// copies both halves. Backward gradients are added likewise, and those of keys and values joined
/// for each send.
void mergeParts(Builder& b, const Attention& a, double outputs) {
  const Division& d = b.d;
  if (d.context == 1 || d.calls.keys != KeyExchangeKind::Gathered)
    return;
  const double parts = real(d.context), keys = exchangedKeys(a, d);
  // 2 of what the kernel gave, 4 read, 4 written; of half, with 4 + 4 to join the halves; the mean.
  constexpr double add = (10 + 5 + 8) / 2.0;
  OperatorCost& merge = b.streaming(
      "merge parts", Module::CoreAttention, (parts - 1) * add * outputs + 6 * outputs + 4 * keys,
      parts * (add * (outputs + keys) + 8 * keys) + 10 * (outputs + keys) + 4 * keys,
      d.calls.keysCompiled ? KernelKind::Fused : KernelKind::Separate);
  merge.kernels = static_cast<unsigned>(d.context) * (d.calls.keysCompiled ? 3 : 8);
  // What was gathered; backward the gradients of keys and values in fp32, sent and received.
  merge.working = 2 * parts * keys;
}

void groupedAttention(Builder& b, const Model& m, const Attention& a) {
  const Division& d = b.d;
  const double t = real(d.tensor), h = real(m.hidden), dim = real(a.headDim);
  const double heads = real(a.heads) / t, kvHeads = keyValueHeadsOn(a, d.tensor);
  b.matmul("qkv", Module::Attention, d.tokens, (heads + 2 * kvHeads) * dim, h, true, 1,
           {heads, kvHeads, kvHeads});
  const double rotated = d.tokens * (heads + kvHeads) * dim * 4;
  if (m.positions == PositionKind::Rotary) {
    // What is rotated takes the place of what is not: autograd needs the angles alone. Separate
    // kernels copy it out of what the projection gave, which the rest of it keeps whole.
    OperatorCost& rotary =
        b.streaming("rotary", Module::Attention, rotated, rotated, d.kernels.rotary);
    rotary.kernels = 4;
    if (d.kernels.rotary == KernelKind::Separate)
      rotary.internal = d.tokens * (heads + kvHeads) * dim * activationBytes(b.type);
  }
  if (m.qkNorm != QkNorm::None)
    b.streaming("qk norm", Module::Attention, rotated, 2 * rotated, d.kernels.norm).saved =
        rotated / 2;
  coreAttention(b, m, a, heads, dim, dim, kvHeads);
  mergeParts(b, a, d.tokens * heads * dim);
  b.matmul("attention projection", Module::Attention, d.tokens, h, heads * dim, false);
  b.scattered("attention", Module::Attention, h);
}

void latentAttention(Builder& b, const Model& m, const Attention& a) {
  const Division& d = b.d;
  const double t = real(d.tensor), h = real(m.hidden), heads = real(a.heads) / t;
  const double queryHead = real(a.nope + a.rope), tokens = d.tokens;
  if (a.queryRank) {
    b.matmul("query down", Module::Attention, tokens, real(a.queryRank), h, true);
    b.matmul("query up", Module::MlaUp, tokens, heads * queryHead, real(a.queryRank), true);
  } else {
    b.matmul("query", Module::Attention, tokens, heads * queryHead, h, true);
  }
  b.matmul("key-value down", Module::Attention, tokens, real(a.kvRank + a.rope), h, true);
  b.matmul("key-value up", Module::MlaUp, tokens, heads * real(a.nope + a.value), real(a.kvRank),
           true);
  // Norms of the two latents, rotary parts, and the copy of the shared rotary key to every head.
  const double latent = tokens * real(a.queryRank + a.kvRank);
  b.streaming("latent norms", Module::MlaUp, 4 * latent, 8 * latent, d.kernels.norm).saved =
      latent * elementBytes(b.type);
  const double rotated = 4 * tokens * heads * queryHead;
  OperatorCost& rotary =
      b.streaming("rotary", Module::MlaUp, 2 * rotated, 2 * rotated, d.kernels.rotary);
  rotary.saved = 2 * tokens * heads * real(a.rope);
  rotary.kernels = 3;
  coreAttention(b, m, a, heads, queryHead, real(a.value), heads);
  mergeParts(b, a, tokens * heads * real(a.value));
  b.matmul("attention projection", Module::Attention, tokens, h, heads * real(a.value), false);
}

/// What goes into an activation, held between bounds: kernels of their own for each half of what a
/// gate takes and one that joins them, all in 16 bits; backward a half also reads what it was of
/// (Megatron-Core at d98e8a64, fusions/fused_bias_geglu.py, weighted_bias_quick_geglu_impl). Where
/// PyTorch's own product takes all experts, the compiled kernel behind it does that, too.
void clamped(Builder& b, const char* of, double elements, bool gated) {
  if (b.d.calls.groupedExperts && b.d.kernels.activation == KernelKind::Fused)
    return;
  const double bounded = 2 * elements, joined = gated ? 4 * elements : 0;
  OperatorCost& clamp =
      b.streaming("clamp", Module::Activation, 2 * bounded + joined, 3 * bounded + joined);
  clamp.saved = bounded;
  clamp.kernels = gated ? 3 : 1;
  clamp.of = of;
}

/// Biases of experts where no product adds them, of so many elements of `outputs` and, ahead of the
/// activation, of `inner`. Megatron-Core at d98e8a64 (moe/experts.py, TEGroupedMLP._apply_bias):
/// behind the second product expert by expert the outer product with what the rows weigh, the sum,
/// and all joined; the weights are in fp32 where the router's are and where DeepEP or Hybrid-EP
/// brings them. PyTorch's grouped product adds none: each bias is copied to its rows and added, and
/// that of the second is weighed where the dispatcher brings the weights (torchtitan,
/// models/gpt_oss/model/moe.py; nemo_automodel at 36044ad3, components/moe/experts.py,
/// _apply_bias). The gradient of one that is not weighed is a sum over its rows.
void expertBiases(Builder& b, const FeedForward& f, double outputs, double inner, double count) {
  const DispatchKind by = b.d.kernels.dispatch;
  const bool brought = by == DispatchKind::DeepEp || by == DispatchKind::HybridEp;
  const bool wide = brought || (f.router.hasPrecision && f.router.precision == DataType::FP32);
  const bool grouped = b.d.calls.groupedExperts, weighed = !grouped || brought;
  const double weight = wide ? 4 : 2, cast = wide ? 6 : 0; // to a sum that is wider, and back
  const double forward = weighed ? 2 + 5 * weight + cast : 8;
  const double backward = weighed ? (grouped ? 0 : 4) + 6 * weight + 2 * cast : 2;
  OperatorCost& biases =
      b.streaming("expert biases", Module::Moe, forward * outputs + (grouped ? 8 * inner : 0),
                  backward * outputs + 2 * inner);
  biases.kernels = grouped ? 6 : static_cast<unsigned>(2 * count) + (wide ? 2 : 1);
}

/// One feed-forward block of `rows` tokens, in `count` copies of `width` each.
void block(Builder& b, Module module, const char* of, const char* up, const char* down,
           double hidden, double rows, double width, const FeedForward& f, double count) {
  const bool gated =
      f.kind == FeedForwardKind::Experts ? f.gated : f.kind == FeedForwardKind::Gated;
  const double elements = count * rows * width, wide = gated ? 2 : 1;
  const std::vector<double> parts(gated ? 2 : 1, width);
  b.matmul(up, module, rows, wide * width, hidden, true, count, parts);
  if (f.clamp > 0)
    clamped(b, of, wide * elements, gated);
  OperatorCost& act = b.streaming("activation", Module::Activation, elements * 2 * (wide + 1),
                                  elements * 2 * (2 * wide + 1), b.d.kernels.activation);
  // Separate kernels keep the gate's activation beside its product with the other half.
  const bool both = gated && b.d.kernels.activation == KernelKind::Separate;
  act.saved = elements * elementBytes(b.type) * (both ? 2 : 1);
  act.kernels = 2;
  act.of = of;
  b.matmul(down, module, rows, hidden, width, false, count);
}

/// Kernels launched around the experts, and how often the rows of tokens are read or written.
struct PermutationRow {
  DispatchKind dispatch;
  KernelKind kernel;
  unsigned before, after;
  /// Of the copies for experts, of the tokens as they come (DeepEP's once a rank, all where they
  /// are gathered), and of those of the layer: before the experts, behind them; backward it is the
  /// reverse.
  double copies[2], received[2], own[2];
};
/// Megatron-Core at d98e8a64 (moe/token_dispatcher.py, moe_utils.py): PyTorch's gather and
/// scatter-add, which reads what it adds to, and a concatenation of what came for each expert; or
/// Transformer Engine's kernels, of which one makes the row map in three steps. The rows of DeepEP
/// and Hybrid-EP come unsorted, and copies for the experts of a rank are made there; its kernels
/// find out where they go, those of Hybrid-EP sort as well.
constexpr PermutationRow permutations[] = {
    {DispatchKind::AllToAll, KernelKind::Separate, 24, 16, {4, 5}, {0, 0}, {0, 1}},
    {DispatchKind::AllToAll, KernelKind::Fused, 17, 3, {3, 3}, {0, 0}, {1, 1}},
    {DispatchKind::DeepEp, KernelKind::Separate, 18, 5, {2, 3}, {0, 1}, {0, 0}},
    {DispatchKind::DeepEp, KernelKind::Fused, 7, 2, {1, 1}, {1, 1}, {0, 0}},
    {DispatchKind::HybridEp, KernelKind::Separate, 3, 2, {1, 1}, {1, 1}, {0, 0}},
    {DispatchKind::HybridEp, KernelKind::Fused, 3, 2, {1, 1}, {1, 1}, {0, 0}},
    {DispatchKind::AllGather, KernelKind::Separate, 16, 2, {2, 3}, {0, 1}, {0, 0}},
    {DispatchKind::AllGather, KernelKind::Fused, 13, 1, {1, 1}, {1, 1}, {0, 0}},
};

void experts(Builder& b, const Model& m, const FeedForward& f) {
  const Division& d = b.d;
  const double h = real(m.hidden), local = d.tokens / d.residualSplit();
  const double split = real(d.expertTensor),
               count = std::max(1.0, real(f.experts) / real(d.expert));
  const double rows = expertRows(f, d);
  const DataType compute = b.type;
  b.type = DataType::BF16; // routing stays wide
  b.matmul("router", Module::Moe, local, real(f.experts), h, false);
  // Softmax, choice, map and loss, in fp32; or a kernel each for scores with choice, for the loss.
  const bool fused = d.kernels.router == KernelKind::Fused;
  const double logits = local * real(f.experts) * (fused ? 9 : 12);
  b.streaming("top-k", Module::Moe, logits, logits).kernels = fused ? 6 : 24;
  b.type = compute;
  const PermutationRow& p = *llvm::find_if(permutations, [&](const PermutationRow& row) {
    return row.dispatch == d.kernels.dispatch && row.kernel == d.kernels.permutation;
  });
  const double copies = rows * h * 2,
               own = std::min(local, rows) * h * 2; // a capacity drops tokens
  const bool gathers = d.kernels.dispatch == DispatchKind::AllGather;
  const double received = gathers ? gatheredRows(f, d) * h * 2
                                  : copies / real(f.active) * distinctUnits(f, real(d.expert));
  const auto moved = [&](int side) {
    return p.copies[side] * copies + p.received[side] * received + p.own[side] * own;
  };
  OperatorCost& permute = b.streaming("permute", Module::Moe, moved(0), moved(1));
  permute.saved = rows * h * elementBytes(compute);
  permute.kernels = p.before;
  permute.working = gathers ? received : 0;
  const double width = real(f.width) / split;
  block(b, Module::Moe, "expert", "expert up", "expert down", h, rows / count, width, f, count);
  if (m.bias)
    expertBiases(b, f, rows * h, rows * width * (f.gated ? 2 : 1), count);
  OperatorCost& back = b.streaming("unpermute", Module::Moe, moved(1), moved(0));
  back.kernels = p.after;
  back.working = gathers ? received : 0;
  if (f.shared > 0)
    block(b, Module::SharedExperts, "shared expert", "shared expert up", "shared expert down", h,
          d.tokens, real(f.shared * f.sharedWidth) / real(d.tensor), f, 1);
}
} // namespace

bool dpl::cost::stopsEarly(const Model& m, const LayerClass& c, const Division& d) {
  const FeedForwardKind kind = c.feedForward.kind;
  return d.calls.earlyStop && (kind == FeedForwardKind::Plain || kind == FeedForwardKind::Gated) &&
         !m.postNorms && m.hiddenDropout == 0;
}

double dpl::cost::exchangedKeys(const Attention& a, const Division& d) {
  const double heads = real(a.heads) / real(d.tensor);
  if (a.kind != AttentionKind::Grouped)
    return d.tokens * heads * real(a.nope + a.rope + a.value);
  return d.tokens * 2 * (d.calls.keysRepeated ? heads : keyValueHeadsOn(a, d.tensor)) *
         real(a.headDim);
}

double dpl::cost::activationBytes(DataType t) { return isNarrow(t) ? 2 : elementBytes(t); }

double dpl::cost::ownTokens(const Division& d) {
  return d.tokens / (d.tensor > 1 ? real(d.tensor) : 1);
}

double dpl::cost::gatheredRows(const FeedForward& f, const Division& d) {
  return d.kernels.dispatch == DispatchKind::AllGather
             ? ownTokens(d) * real(d.expert * d.expertTensor)
             : expertRows(f, d);
}

double dpl::cost::expertRows(const FeedForward& f, const Division& d) {
  // Each rank sends `active` copies of each, and the expert-tensor
  // ranks of one expert see the rows of all of them.
  const double sent = ownTokens(d) * real(f.active);
  return sent * shareOfBusiest(f, d, sent) * real(d.expertTensor);
}

double dpl::cost::shareOfBusiest(const FeedForward& f, const Division& d, double sent) {
  if (f.popularity != PopularityKind::Even)
    return sent > 0 ? routedLoads({f, d.expert, sent / real(f.active)}).median : 1;
  const double share = d.expert > 1 ? f.imbalance : 1;
  if (f.capacity <= 0 || sent <= 0)
    return share;
  const double even = sent / real(f.experts);
  return std::min(share, std::ceil(even * f.capacity * (1 - 1e-12)) / even);
}

double dpl::cost::distinctUnits(const FeedForward& f, double units) {
  const double groups = std::max(1.0, real(f.router.groups)),
               chosen = std::min(groups, std::max(1.0, real(f.router.groupLimit)));
  // Units that a group of experts spans are all within reach, units that span several groups only
  // those of the chosen ones.
  const double reached = std::max(1.0, units >= groups ? units * chosen / groups : units);
  const double choices = units >= groups ? real(f.active) : std::min(real(f.active), chosen);
  return reached * (1 - std::pow(1 - 1 / reached, choices));
}

std::uint64_t dpl::cost::paddedVocabulary(std::uint64_t vocab, std::uint64_t multiple,
                                          std::uint64_t tensor) {
  const std::uint64_t unit =
      std::max<std::uint64_t>(1, multiple) * std::max<std::uint64_t>(1, tensor);
  return ceilDiv(vocab, unit) * unit;
}

Division dpl::cost::divisionOf(const Plan& plan) {
  Division d;
  d.tensor = plan.mesh.size(Axis::Tensor);
  d.context = plan.mesh.size(Axis::Context);
  d.expert = plan.mesh.size(Axis::Expert);
  d.expertTensor = plan.mesh.size(Axis::ExpertTensor);
  d.sequenceParallel = plan.layout.shard.sequence == ShardAxis::Tensor && d.tensor > 1;
  d.scattersMessages = plan.layout.shard.scattersMessages(d.tensor) && !plan.model.isLayerList();
  d.fusedAttention = plan.layout.fusedAttention;
  d.calls = plan.layout.calls();
  const bool stacked = d.calls.stacked && d.sequenceParallel;
  d.calls.stacked = stacked && plan.layout.overlap.tensor;
  d.copiesScattered = stacked && !plan.layout.overlap.tensor;
  d.copiesGathered = d.copiesScattered && plan.layout.microBatch > 1;
  const Recompute& again = plan.layout.recompute; // of a group of layers all but the last go on
  d.calls.earlyStop = d.calls.earlyStop && again.kind == RecomputeKind::Full &&
                      (again.method == RecomputeMethod::Block || again.layers == 1);
  d.kernels = plan.layout.kernels;
  d.keepsBothOrders = d.kernels.transposed && plan.layout.microBatch > 1;
  d.keepGathered = plan.layout.buffers.keepGathered && d.sequenceParallel;
  d.compute = plan.layout.precision.compute;
  d.head = plan.layout.precision.head;
  d.sequence = real(plan.model.context);
  const double perSample = plan.model.isLayerList() ? 1 : d.sequence;
  d.tokens = real(plan.layout.microBatch) * perSample / real(d.context);
  d.vocab = paddedVocabulary(plan.model.vocab, plan.layout.vocabMultiple, d.tensor);
  return d;
}

std::vector<OperatorCost> dpl::cost::operatorsOf(const Model& m, const LayerClass& c,
                                                 const Division& d) {
  Builder b(d, d.compute);
  b.rms = m.norm == NormKind::Rms;
  b.masked = m.hiddenDropout > 0;
  if (m.isLayerList()) {
    OperatorCost op;
    op.name = "layer";
    op.type = d.compute;
    // Tensor ranks divide all of it.
    const double element = activationBytes(d.compute), samples = d.tokens / real(d.tensor);
    const double parameters = real(c.listedParameters) / real(d.tensor);
    const double weights = parameters * element, read = samples * real(c.listedRead) * element;
    const double written = samples * real(c.listedOutput) * element;
    op.kind = c.listedForwardFlop > 0 ? OperatorCost::Kind::Matmul : OperatorCost::Kind::Streaming;
    op.forward = {samples * real(c.listedForwardFlop), weights + read + written};
    op.backwardInput = op.forward;
    op.backwardWeight = {op.forward.flop, read + written + 8 * parameters};
    op.saved = c.stated.keeps ? samples * real(c.stated.kept) : written;
    if (c.stated.times) {
      op.kind = OperatorCost::Kind::Stated;
      op.forward.seconds = samples * toSeconds(c.stated.forward);
      op.backwardInput.seconds = samples * toSeconds(c.stated.backward);
      op.backwardWeight.seconds = samples * toSeconds(c.stated.weight);
    }
    return {op};
  }
  const double h = real(m.hidden), t = real(d.tensor);
  const bool joined = m.joins(c);
  if (c.attention.kind != AttentionKind::None) {
    b.norm("attention norm", h, true);
    b.gathered("attention", Module::Attention, h);
    if (c.attention.kind == AttentionKind::Grouped)
      groupedAttention(b, m, c.attention);
    else
      latentAttention(b, m, c.attention);
    if (m.postNorms)
      b.norm("attention post norm", h);
    if (!joined)
      b.residual("attention", Module::Attention, h);
  }
  const FeedForward& f = c.feedForward;
  if (f.kind != FeedForwardKind::None) {
    if (!joined || m.parallelNorms > 1)
      b.norm("feed-forward norm", h, f.kind != FeedForwardKind::Experts || f.shared > 0);
    if (f.kind != FeedForwardKind::Experts && (!joined || m.parallelNorms > 1))
      b.gathered("feed-forward", Module::Mlp, h);
    if (f.kind == FeedForwardKind::Experts)
      experts(b, m, f);
    else
      block(b, Module::Mlp, "mlp", "mlp up", "mlp down", h, d.tokens, real(f.width) / t, f, 1);
    if (f.kind != FeedForwardKind::Experts)
      b.scattered("feed-forward", Module::Mlp, h);
    if (m.postNorms)
      b.norm("feed-forward post norm", h);
    b.residual("feed-forward", f.kind == FeedForwardKind::Experts ? Module::Moe : Module::Mlp, h,
               joined ? 2 : 1);
  }
  if (stopsEarly(m, c, d))
    for (OperatorCost& op : llvm::reverse(b.operators)) {
      if (op.saved + op.internal > 0)
        break;
      op.again = false;
    }
  return std::move(b.operators);
}

std::vector<OperatorCost> dpl::cost::embeddingOperators(const Model& m, const Division& d) {
  if (m.isLayerList())
    return {};
  Builder b(d, d.compute);
  const double elements = d.tokens * real(m.hidden);
  const double tables = 1 + (m.positions == PositionKind::Learned) + (m.tokenTypes > 0);
  // Rows are read and the sum written; backward the rows are added into the fp32 gradient.
  OperatorCost& op = b.streaming("embedding", Module::Norm, elements * 2 * (tables + 1),
                                 elements * (2 + 8 * tables));
  op.kernels = 2;
  b.masked = m.hiddenDropout > 0;
  const double own = elements / d.residualSplit();
  // What the norm gives is the input of the first layer, which keeps it.
  if (m.embeddingNorm)
    op.saved = own * activationBytes(d.compute);
  b.dropout(op, own);
  if (m.embeddingNorm)
    b.streaming("embedding norm", Module::Norm, 4 * own, 8 * own, d.kernels.norm);
  return std::move(b.operators);
}

namespace {
/// Bytes a logit that a loss moves either way, keeps, and holds beside that while it runs.
struct LossRow {
  LossKind kind;
  double forward, backward, kept, working;
  unsigned kernels;
  double divided = working; ///< the same where tensor ranks divide the vocabulary
};
/// `fused` reads the logits twice and writes their gradient in their place, `compiled`
/// (TorchInductor) beside them. `in_place`: to fp32, maximum, exponentials and their sum in passes
/// of their own; backward a 16-bit gradient beside the fp32 probabilities. `copied` also writes the
/// shifted logits, which the caller's fp32 logits stay beside. `eager` is PyTorch's cross entropy
/// of upcast logits: 16-bit logits, fp32 logits and their shifted copy beside the
/// log-probabilities. Over a divided vocabulary the gradient is (g + exp(l)) · s beside l, each
/// step a tensor of its own: _nll_loss_and_log_softmax_backward in
/// torch/distributed/tensor/parallel/loss.py.
constexpr LossRow lossRows[] = {
    {LossKind::Fused, 6, 0, 2, 0, 2},        {LossKind::Compiled, 6, 4, 2, 2, 3},
    {LossKind::InPlace, 18, 10, 4, 2, 5},    {LossKind::Copied, 34, 14, 4, 4, 9},
    {LossKind::Eager, 45, 25, 4, 10, 8, 12},
};
const LossRow& lossRow(LossKind kind) {
  return *llvm::find_if(lossRows, [&](const LossRow& row) { return row.kind == kind; });
}
} // namespace

std::vector<OperatorCost> dpl::cost::headOperators(const Model& m, const Division& d) {
  if (m.isLayerList())
    return {};
  Builder b(d, d.head);
  b.rms = m.norm == NormKind::Rms;
  const double h = real(m.hidden), vocab = real(d.vocab) / real(d.tensor),
               logits = d.tokens * vocab;
  if (m.kind != "encoder")
    b.norm("final norm", h, !m.headTransform);
  if (m.headTransform) {
    b.matmul("head transform", Module::Mlp, d.tokens, h, h, true);
    b.norm("head norm", h);
  }
  b.matmul("logits", Module::Mlp, d.tokens, vocab, h, false);
  const LossRow& row = lossRow(d.kernels.loss);
  OperatorCost& loss =
      b.streaming("loss", Module::Mlp, row.forward * logits, row.backward * logits);
  loss.internal = row.kept * logits;
  loss.working = (d.tensor > 1 ? row.divided : row.working) * logits;
  loss.kernels = row.kernels;
  return std::move(b.operators);
}

std::vector<OperatorCost> dpl::cost::predictionOperators(const Model& m, const Division& d) {
  Builder b(d, d.compute);
  const double h = real(m.hidden);
  b.norm("prediction norm", h);
  b.norm("prediction embedding norm", h);
  b.matmul("prediction projection", Module::Mlp, d.tokens, h / real(d.tensor), 2 * h, true);
  return std::move(b.operators);
}
