//===- WeightAccount.cpp - Every weight of a plan by the definitions of the layers ------------===//
#include "tests/property/WeightAccount.h"

using namespace dpl;
using namespace dpl::test;
using namespace dpl::ir;

WeightAccount::WeightAccount(const Plan& plan)
    : plan(plan), m(plan.model), t(plan.mesh.size(Axis::Tensor)), e(plan.mesh.size(Axis::Expert)),
      et(plan.mesh.size(Axis::ExpertTensor)), vocab((m.vocab + unit() - 1) / unit() * unit()) {}

Weights WeightAccount::of(Count rank) const {
  Weights w;
  bool hasTable = false, needsTable = false;
  for (const Chunk& chunk : plan.chunks) {
    if (chunk.rank != rank)
      continue;
    for (Count i = 0; i < chunk.layers; ++i)
      w += layer(chunk.firstLayer + i);
    hasTable |= chunk.embedding, needsTable |= chunk.head && m.tiedEmbeddings;
    if (chunk.embedding)
      w += embedding();
    if (chunk.head)
      w += head(false);
    for (Count i = 0; i < chunk.predictionLayers; ++i)
      w += prediction();
  }
  w.dense += needsTable && !hasTable && !m.isLayerList() ? table() : 0;
  return w;
}

Weights WeightAccount::embedding() const {
  if (m.isLayerList())
    return {};
  return {table() + (m.positions == PositionKind::Learned ? m.context * m.hidden : 0) +
              m.tokenTypes * m.hidden + (m.embeddingNorm ? norm(m.hidden) : 0),
          0};
}

Weights WeightAccount::head(bool tiedTable) const {
  if (m.isLayerList())
    return {};
  Count n = !m.tiedEmbeddings || tiedTable ? table() : 0;
  n += m.kind == "encoder" ? 0 : norm(m.hidden);
  if (m.headTransform)
    n += m.hidden * m.hidden + norm(m.hidden) + (m.bias ? m.hidden + vocab / t : 0);
  return {n, 0};
}

Weights WeightAccount::prediction() const {
  Weights w = layer(m.layers() - 1);
  w.dense += 2 * m.hidden * (m.hidden / t) + 3 * norm(m.hidden);
  return w;
}

Weights WeightAccount::layer(Count index) const {
  const LayerType& c = m.layer(index);
  if (m.isLayerList())
    return {c.listedParameters, 0};
  const Count h = m.hidden, norms = (m.postNorms ? 2 : 1) * norm(h);
  const bool attends = c.attention.kind != AttentionKind::None;
  Weights w{attends ? norms + attention(c.attention) : 0, 0};
  const FeedForward& f = c.feedForward;
  if (f.kind != FeedForwardKind::None)
    w.dense += m.parallelNorms == 1 && attends ? norms - norm(h) : norms;
  if (f.kind == FeedForwardKind::Experts) {
    w.dense += h * f.experts + f.shared * block(f.sharedWidth / t, f.gated);
    w.experts += f.experts / e * block(f.width / et, f.gated);
  } else if (f.kind != FeedForwardKind::None) {
    w.dense += block(f.width / t, f.kind == FeedForwardKind::Gated);
  }
  return w;
}

Count WeightAccount::attention(const Attention& a) const {
  const Count h = m.hidden;
  Count n = 0;
  if (a.kind == AttentionKind::Grouped) {
    const Count query = a.heads / t * a.headDim;
    const Count keyValue = 2 * (a.kvHeads > t ? a.kvHeads / t : 1) * a.headDim;
    n += h * (query + keyValue) + query * h + (m.qkvBias ? query + keyValue : 0);
    n += (m.bias ? h : 0) + (a.sinks ? a.heads / t : 0);
    if (m.qkNorm == QkNorm::Head)
      n += 2 * norm(a.headDim);
    else if (m.qkNorm == QkNorm::EachHead || m.qkNorm == QkNorm::Projection)
      n += norm(query) + norm(keyValue / 2);
  } else if (a.kind == AttentionKind::Latent) {
    const Count heads = a.heads / t;
    n += a.queryRank * h + a.queryRank + h * (a.kvRank + a.rope) + a.kvRank;
    n += (a.queryRank > 0 ? a.queryRank : h) * heads * (a.nope + a.rope);
    n += a.kvRank * heads * (a.nope + a.value) + heads * a.value * h;
  }
  return n;
}

/// Of a part of a feed-forward block that has so much of its width.
Count WeightAccount::block(Count width, bool gated) const {
  const Count up = gated ? 2 : 1;
  return (up + 1) * m.hidden * width + (m.bias ? up * width + m.hidden : 0);
}
