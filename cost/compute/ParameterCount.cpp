//===- ParameterCount.cpp - Parameters of layers, embedding and head --------------------------===//
#include "cost/compute/Recurrences.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
double normElements(const Model& m, double width) {
  return m.norm == NormKind::Layer ? 2 * width : width;
}

/// Gains of the norms of queries and keys.
ParameterCount qkNormParameters(const Model& m, const Attention& a) {
  ParameterCount p;
  const double dim = real(a.headDim);
  switch (m.qkNorm) {
  case QkNorm::None:
  case QkNorm::L2:
    break;
  case QkNorm::Head: // shared by all heads, on every tensor rank
    p.dense = p.replicated = 2 * normElements(m, dim);
    break;
  case QkNorm::EachHead:
  case QkNorm::Projection:
    p.keyValue = normElements(m, real(a.kvHeads) * dim);
    p.dense = normElements(m, real(a.heads) * dim) + p.keyValue;
    break;
  }
  return p;
}

ParameterCount attentionParameters(const Model& m, const Attention& a) {
  ParameterCount p;
  const double h = real(m.hidden), heads = real(a.heads);
  if (a.kind == AttentionKind::Grouped) {
    const double query = heads * real(a.headDim),
                 keyValue = real(a.kvHeads * (a.headDim + a.valueDim()));
    p.dense = h * (query + keyValue) + heads * real(a.valueDim()) * h;
    p.keyValue = h * keyValue;
    p.keyValueHeads = real(a.kvHeads);
    if (m.qkvBias)
      p.dense += query + keyValue, p.keyValue += keyValue;
    if (m.bias)
      p.dense += h, p.replicated += h;
    if (a.sinks)
      p.dense += heads;
    p += qkNormParameters(m, a);
  } else if (a.kind == AttentionKind::Latent) {
    // The down projections and their norms are not divided over tensor ranks, as in Megatron.
    const double queryHead = real(a.nope + a.rope);
    const double queryUp = real(a.queryRank ? a.queryRank : m.hidden) * heads * queryHead;
    const double down = real(a.queryRank) * (h + 1) + h * real(a.kvRank + a.rope) + real(a.kvRank);
    p.dense = down + queryUp + real(a.kvRank) * heads * real(a.nope + a.value) +
              heads * real(a.value) * h;
    p.replicated = down;
  }
  if (a.gate)
    p.dense += h * heads * (*a.gate == AttentionGate::Element ? real(a.valueDim()) : 1);
  return p;
}

/// Projections of queries, keys and weights of heads, and the LayerNorm of keys. Every tensor rank
/// has all of them.
ParameterCount indexerParameters(const Model& m, const Attention& a, const Indexer& i) {
  ParameterCount p;
  const double h = real(m.hidden), from = a.queryRank ? real(a.queryRank) : h;
  p.dense = p.replicated =
      from * real(i.heads * i.headDim) + h * real(i.headDim + i.heads) + 2 * real(i.headDim);
  return p;
}

/// Elements of one feed-forward block: two matrices, or three if gated.
double blockElements(const Model& m, double width, bool gated) {
  const double h = real(m.hidden);
  return (gated ? 3 : 2) * h * width + (m.bias ? (gated ? 2 : 1) * width + h : 0);
}

ParameterCount feedForwardParameters(const Model& m, const FeedForward& f) {
  ParameterCount p;
  const double h = real(m.hidden);
  switch (f.kind) {
  case FeedForwardKind::None:
    break;
  case FeedForwardKind::Plain:
  case FeedForwardKind::Gated:
    p.dense = blockElements(m, real(f.width), f.kind == FeedForwardKind::Gated);
    p.replicated = m.bias ? h : 0;
    if (f.activation == Activation::Xielu)
      p.dense += 2, p.replicated += 2;
    break;
  case FeedForwardKind::Experts:
    p.experts = real(f.experts) * blockElements(m, real(f.width), f.gated);
    p.dense = h * real(f.experts) + real(f.shared) * blockElements(m, real(f.sharedWidth), f.gated);
    p.replicated = h * (real(f.experts) + (m.bias ? real(f.shared) : 0));
    if (f.sharedGate.value_or(false))
      p.dense += h, p.replicated += h;
    p.expertBiases = m.bias ? real(f.experts) * h : 0;
    break;
  }
  return p;
}

/// Parameters of a layer that one token uses.
double activeOf(const Model& m, const LayerType& c) {
  const ParameterCount p = parametersOf(m, c);
  const FeedForward& f = c.feedForward;
  return p.dense + (f.experts ? p.experts * real(f.active) / real(f.experts) : 0);
}
} // namespace

double dpl::cost::keyValueHeadsOn(const Attention& a, std::uint64_t tensor) {
  return std::max(1.0, real(a.kvHeads) / real(tensor));
}

double ParameterCount::denseOn(std::uint64_t tensor) const {
  const double ways = real(tensor), divided = dense - replicated;
  const double copied = keyValueHeads > 0 && keyValueHeads < ways ? keyValue : 0;
  return replicated + (divided - copied) / ways + copied / std::max(1.0, keyValueHeads);
}

ParameterCount dpl::cost::parametersOf(const Model& m, const LayerType& c) {
  ParameterCount p;
  if (m.isLayerList()) {
    p.dense = real(c.listedParameters);
    return p;
  }
  p += attentionParameters(m, c.attention);
  for (const Indexer& i : c.indexer)
    p += indexerParameters(m, c.attention, i);
  for (const Recurrence& r : c.recurrence)
    p += recurrenceParameters(m, r);
  p += feedForwardParameters(m, c.feedForward);
  const double parts = (c.mixes() ? 1 : 0) + (c.hasFeedForward() ? 1 : 0);
  const double before = m.hasParallelBlocks(c) ? real(m.parallelNorms) : parts;
  const double norms = before + (m.postNorms ? parts : 0);
  p.dense += norms * normElements(m, real(m.hidden));
  p.replicated += norms * normElements(m, real(m.hidden));
  return p;
}

ParameterCount dpl::cost::embeddingParameters(const Model& m, std::uint64_t vocab) {
  ParameterCount p;
  if (m.isLayerList())
    return p;
  const double h = real(m.hidden);
  p.replicated = (m.positions == PositionKind::Learned ? real(m.context) * h : 0) +
                 real(m.tokenTypes) * h + (m.embeddingNorm ? normElements(m, h) : 0);
  p.dense = real(vocab) * h + p.replicated;
  return p;
}

ParameterCount dpl::cost::headParameters(const Model& m, std::uint64_t vocab) {
  ParameterCount p;
  if (m.isLayerList())
    return p;
  const double h = real(m.hidden);
  p.replicated = m.kind == "encoder" ? 0 : normElements(m, h);
  if (m.headTransform)
    p.replicated += h * h + (m.bias ? h : 0) + normElements(m, h);
  p.dense = p.replicated + (m.tiedEmbeddings ? 0 : real(vocab) * h) +
            (m.headTransform && m.bias ? real(vocab) : 0);
  return p;
}

ParameterCount dpl::cost::predictionParameters(const Model& m) {
  ParameterCount p;
  if (m.isLayerList() || m.layers() == 0)
    return p;
  const double h = real(m.hidden), norms = 3 * normElements(m, h);
  p = parametersOf(m, m.layer(m.layers() - 1));
  p.dense += 2 * h * h + norms;
  p.replicated += norms;
  return p;
}

double dpl::cost::totalParameters(const Model& m) {
  double total = embeddingParameters(m, m.vocab).dense + headParameters(m, m.vocab).dense;
  for (const LayerRun& run : m.runs) {
    const ParameterCount p = parametersOf(m, m.layerTypes[run.layerType]);
    total += real(run.count) * (p.dense + p.experts);
  }
  return total;
}

double dpl::cost::activeParameters(const Model& m) {
  double total = embeddingParameters(m, m.vocab).dense + headParameters(m, m.vocab).dense;
  for (const LayerRun& run : m.runs)
    total += real(run.count) * activeOf(m, m.layerTypes[run.layerType]);
  return total;
}

double dpl::cost::attendedTokens(const Model& m, const Layout& layout) {
  const double context = real(m.context);
  const bool packed = !layout.documents.empty() && layout.documents.front().packed;
  return packed ? std::min(context, real(layout.documents.front().length)) : context;
}

ModelFlop dpl::cost::modelFlopPerToken(const Model& m, double dropped, const Layout* layout) {
  // With one token on one device the operators give the whole model's work.
  Division d;
  d.tokens = 1;
  d.sequence = layout ? attendedTokens(m, *layout) : real(m.context);
  d.tuning = layout ? layout->fineTuningOrNull() : nullptr;
  d.vocab = m.vocab;
  d.compute = d.head = DataType::BF16;
  d.ofModel = true;
  ModelFlop sum;
  const auto add = [&](double count, const std::vector<OperatorCost>& operators) {
    for (const OperatorCost& op : operators) {
      sum.all += count * op.forward.flop * (op.experts ? 1 - dropped : 1);
      sum.backward +=
          count * (op.backwardInput.flop + op.backwardWeight.flop) * (op.experts ? 1 - dropped : 1);
      sum.masked += count * op.forward.flop * (1 - op.executed);
    }
  };
  for (const LayerRun& run : m.runs)
    add(real(run.count), operatorsOf(m, m.layerTypes[run.layerType], d));
  if (m.isLayerList())
    return sum;
  add(1, headOperators(m, d));
  if (m.predictionLayers > 0) {
    const double count = real(m.predictionLayers);
    add(count, operatorsOf(m, m.layer(m.layers() - 1), d));
    add(count, predictionOperators(m, d));
    add(count, headOperators(m, d));
  }
  return sum;
}
