//===- RecurrenceOperators.cpp - Linear attention, state spaces and short convolutions --------===//
#include "cost/compute/OperatorBuilder.h"
#include "cost/compute/Recurrences.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// GEMMs of a chunked scan for one token, each as a multiple of 2 FLOP: per head chunk × key,
/// chunk × value, key × value and chunk × chunk, and per key head chunk × key.
struct ScanProducts {
  double chunkKey, chunkValue, keyValue, chunkChunk, shared;
  double flop(const Recurrence& r, double heads, double keyHeads) const {
    const double c = real(r.chunk), k = real(r.key), v = real(r.value);
    return 2 * (heads * (chunkKey * c * k + chunkValue * c * v + keyValue * k * v +
                         chunkChunk * c * c) +
                keyHeads * shared * c * k);
  }
};

/// Tensors that the kernels of a scan read and write, in elements of one token: multiples of the
/// queries or keys by key head and by head, of the values, and of the states of a chunk.
struct ScanTraffic {
  double keys, headKeys, values, states;
  double elements(const Recurrence& r, double heads, double keyHeads) const {
    const double k = real(r.key), v = real(r.value);
    return keyHeads * keys * k +
           heads * (headKeys * k + values * v + states * k * v / real(r.chunk));
  }
};

struct RecurrenceRow {
  RecurrenceKind kind;
  ScanProducts forward, backward;
  ScanTraffic read, readBackward;
  double stateBytes; ///< per element of a state between chunks
  unsigned kernels;
};

/// The kernels' own algorithms, with chunk × chunk products counted in full.
/// - gated_delta: ChunkGatedDeltaRuleFunction of flash-linear-attention 0.6.0
///   (fla/ops/gated_delta_rule/chunk.py). Forward: k·kᵀ, w and q·kᵀ; u and scores·v; w·state, kᵀ·v
///   and q·state; the inverse of a triangle of 64 tokens merges blocks of 16 in 16 products.
///   Backward recomputes w, u and the states.
/// - lightning: chunk_simple_gla of the same package with fixed decays.
/// - mamba2: MambaSplitConv1dScanCombinedFn of mamba-ssm 2.3.2 (ops/triton/ssd_combined.py).
///   Forward: C·Bᵀ of a group; scores·x; the states and their output. Backward recomputes C·Bᵀ and
///   the states, and forms gradients of x, B, C, of the scores, and of the decays from scores
///   again.
constexpr RecurrenceRow rows[] = {
    {RecurrenceKind::GatedDelta,
     {3, 2, 3, 0.25, 0},
     {9, 5, 8, 2, 0},
     {5, 2, 6, 2},
     {12, 6, 14, 5},
     2,
     7},
    {RecurrenceKind::Lightning, {1, 1, 2, 0, 0}, {3, 2, 5, 0, 0}, {0, 3, 3, 2}, {0, 8, 6, 5}, 4, 2},
    {RecurrenceKind::Mamba2, {0, 1, 2, 0, 1}, {0, 3, 5, 0, 3}, {3, 0, 3, 4}, {8, 0, 8, 8}, 4, 5},
    {RecurrenceKind::ShortConvolution, {}, {}, {}, {}, 0, 0},
};
static_assert(std::size(rows) == static_cast<std::size_t>(RecurrenceKind::ShortConvolution) + 1);

const RecurrenceRow& rowOf(const Recurrence& r) { return rows[static_cast<std::size_t>(r.kind)]; }

/// Adds the scan. Its kernels save the tensors of their `save_for_backward`, of which `saved` bytes
/// are not outputs of other operators; its output is saved by the norm, the gate or the projection.
void scan(OperatorBuilder& b, const Recurrence& r, double saved) {
  const Division& d = b.d;
  const RecurrenceRow& row = rowOf(r);
  const double heads = real(r.heads) / real(d.tensor), keyHeads = real(r.keyHeads) / real(d.tensor);
  OperatorCost& op = b.operators.emplace_back();
  op.name = "scan";
  op.kind = OperatorCost::OperatorKind::Attention;
  op.module = ModuleKind::Attention;
  op.type = isLowPrecision(d.compute) ? DataType::BF16 : d.compute;
  const double element = elementBytes(op.type), t = d.tokens;
  op.m = real(r.chunk); // tiles are within a chunk
  op.forward = {t * row.forward.flop(r, heads, keyHeads),
                t * element * row.read.elements(r, heads, keyHeads)};
  op.backwardInput = {t * row.backward.flop(r, heads, keyHeads),
                      t * element * row.readBackward.elements(r, heads, keyHeads)};
  op.saved = t * heads * real(r.value) * element;
  op.internal = saved;
  op.temporary = t / real(r.chunk) * heads * real(r.key * r.value) * row.stateBytes;
  op.kernels = row.kernels;
}

/// A convolution over the last tokens with its activation. Its kernel saves its input, which is the
/// output of the projection, and computes the activation again (causal-conv1d 1.6).
void convolution(OperatorBuilder& b, const Recurrence& r, double channels) {
  const double elements = b.d.tokens * channels;
  OperatorCost& op = b.streaming("convolution", ModuleKind::Attention, 4 * elements, 6 * elements);
  op.backwardWeight.bytes = 8 * channels * real(r.taps);
  b.holds(channels * real(r.taps), 1);
}

/// The gated norm after a scan saves its output for the projection.
void gatedNorm(OperatorBuilder& b, double elements, double heads) {
  OperatorCost& norm = b.streaming("gated norm", ModuleKind::Attention, 6 * elements, 10 * elements,
                                   b.d.kernels.norm);
  norm.saved = elements * elementBytes(b.type);
  norm.internal = 4 * b.d.tokens * heads; // one factor per row, fp32
}
} // namespace

double dpl::cost::recurrenceColumns(const Recurrence& r) {
  const double keys = real(r.keyHeads * r.key), values = real(r.heads * r.value);
  switch (r.kind) {
  case RecurrenceKind::GatedDelta:
    return 2 * keys + values + real(r.heads);
  case RecurrenceKind::Lightning:
    return 3 * values;
  case RecurrenceKind::Mamba2:
    return 2 * keys + 2 * values + real(r.heads);
  case RecurrenceKind::ShortConvolution:
    return 3 * values;
  }
  return 0;
}

void dpl::cost::addRecurrence(OperatorBuilder& b, const Model& m, const Recurrence& r) {
  const Division& d = b.d;
  const double t = real(d.tensor), h = real(m.hidden), tokens = d.tokens;
  const double heads = real(r.heads) / t, keys = real(r.keyHeads * r.key) / t,
               values = heads * real(r.value), element = activationBytes(b.type);
  const ModuleKind module = ModuleKind::Attention;
  const auto project = [&](const char* name, double columns, double depth) {
    b.matmul(name, module, tokens, columns, depth, true);
  };
  project("recurrence in", recurrenceColumns(r) / t, h);
  switch (r.kind) {
  case RecurrenceKind::GatedDelta: {
    const double decays = r.channelDecay ? heads * real(r.key) : heads;
    const auto ranked = [&](const char* down, const char* up, double columns, bool low) {
      if (low)
        project(down, real(r.rank), h);
      project(up, columns, low ? real(r.rank) : h);
    };
    ranked("gate down", "gate", values, r.rank > 0);
    ranked("decay down", "decay", decays, r.rank > 0 && r.channelDecay);
    convolution(b, r, 2 * keys + values);
    // Queries and keys after their norms, values, sums of decays and the sigmoid of beta in fp32,
    // and the inverse of each chunk; with channel decays also the scores of queries and the decays
    // as they came in (fla/ops/kda/chunk.py).
    const double chunk = real(r.chunk);
    const double perToken =
        element * (2 * keys + values + heads * chunk * (r.channelDecay ? 2 : 1)) +
        4 * (decays + heads) + 8 * keys / real(r.key) + (r.channelDecay ? element * decays : 0);
    scan(b, r, tokens * perToken);
    gatedNorm(b, tokens * values, heads);
    break;
  }
  case RecurrenceKind::Lightning:
    b.streaming("recurrence activation", module, 4 * 3 * tokens * values, 6 * 3 * tokens * values,
                d.kernels.activation);
    scan(b, r, 3 * tokens * values * element); // queries, keys and values
    project("gate", values, h);
    gatedNorm(b, tokens * values, heads / real(r.heads));
    b.operators.back().internal += tokens * values * 2 * element; // norm and gate by themselves
    break;
  case RecurrenceKind::Mamba2:
    convolution(b, r, 2 * keys + values);
    scan(b, r, 0); // it saves the output of the projection and its own
    gatedNorm(b, tokens * values, r.norm ? real(r.keyHeads) / t : 0);
    break;
  case RecurrenceKind::ShortConvolution: {
    // Products with two gates around the convolution, each an operator of its own.
    const double elements = tokens * values;
    b.streaming("input gate", module, 6 * elements, 10 * elements).saved = element * elements;
    convolution(b, r, values);
    b.operators.back().saved = element * elements;
    b.streaming("output gate", module, 6 * elements, 10 * elements).saved = element * elements;
    break;
  }
  }
  b.matmul("recurrence out", module, tokens, h, values, false);
  b.scattered("recurrence", module, h);
}

ParameterCount dpl::cost::recurrenceParameters(const Model& m, const Recurrence& r) {
  ParameterCount p;
  const double h = real(m.hidden), heads = real(r.heads), values = heads * real(r.value),
               keys = real(r.keyHeads * r.key), rank = real(r.rank);
  p.dense = h * recurrenceColumns(r) + values * h;
  switch (r.kind) {
  case RecurrenceKind::GatedDelta: {
    const double decays = r.channelDecay ? heads * real(r.key) : heads;
    const auto ranked = [&](double columns, bool low) {
      p.dense += low ? rank * (h + columns) : h * columns;
      p.replicated += low ? rank * h : 0;
    };
    ranked(values, rank > 0), ranked(decays, rank > 0 && r.channelDecay);
    p.dense += decays + heads + (2 * keys + values) * real(r.taps) + real(r.value);
    p.replicated += real(r.value); // all heads share the gain of the norm
    break;
  }
  case RecurrenceKind::Lightning:
    p.dense += h * values + values;
    break;
  case RecurrenceKind::Mamba2: // decays, skips and biases of the steps; the convolution has a bias
    p.dense += 3 * heads + (2 * keys + values) * (real(r.taps) + 1) + (r.norm ? values : 0);
    break;
  case RecurrenceKind::ShortConvolution:
    p.dense += values * real(r.taps);
    break;
  }
  return p;
}

double dpl::cost::exchangedStates(const Recurrence& r, const Division& d) {
  return d.tokens * (recurrenceColumns(r) + real(r.heads * r.value)) / real(d.tensor);
}
