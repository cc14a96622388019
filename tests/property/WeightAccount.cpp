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
  const bool attends = c.attention.kind != AttentionKind::None || !c.recurrence.empty();
  Weights w{attends ? norms + attention(c.attention) : 0, 0};
  for (const Indexer& i : c.indexer)
    w.dense += indexer(c.attention, i);
  for (const Recurrence& r : c.recurrence)
    w.dense += recurrence(r);
  const FeedForward& f = c.feedForward;
  if (f.kind != FeedForwardKind::None)
    w.dense += m.parallelNorms == 1 && attends ? norms - norm(h) : norms;
  if (f.kind == FeedForwardKind::Experts) {
    w.dense += h * f.experts + f.shared * block(f.sharedWidth / t, f.gated);
    w.dense += f.sharedGate.value_or(false) ? h : 0;
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
    const Count query = a.heads / t * a.headDim, kv = a.kvHeads > t ? a.kvHeads / t : 1;
    const Count value = a.value > 0 ? a.value : a.headDim, keyValue = kv * (a.headDim + value);
    n += h * (query + keyValue) + a.heads / t * value * h + (m.qkvBias ? query + keyValue : 0);
    n += (m.bias ? h : 0) + (a.sinks ? a.heads / t : 0);
    if (m.qkNorm == QkNorm::Head)
      n += 2 * norm(a.headDim);
    else if (m.qkNorm == QkNorm::EachHead || m.qkNorm == QkNorm::Projection)
      n += norm(query) + norm(kv * a.headDim);
  } else if (a.kind == AttentionKind::Latent) {
    const Count heads = a.heads / t;
    n += a.queryRank * h + a.queryRank + h * (a.kvRank + a.rope) + a.kvRank;
    n += (a.queryRank > 0 ? a.queryRank : h) * heads * (a.nope + a.rope);
    n += a.kvRank * heads * (a.nope + a.value) + heads * a.value * h;
  }
  if (a.gate == AttentionGate::Head)
    n += h * (a.heads / t);
  else if (a.gate)
    n += h * (a.heads / t) * (a.value > 0 ? a.value : a.headDim);
  return n;
}

/// All ranks have the whole indexer: queries, keys with their LayerNorm, and a weight for each
/// head.
Count WeightAccount::indexer(const Attention& a, const Indexer& i) const {
  const Count from = a.queryRank > 0 ? a.queryRank : m.hidden;
  return from * i.heads * i.headDim + m.hidden * i.headDim + 2 * i.headDim + m.hidden * i.heads;
}

Count WeightAccount::recurrence(const Recurrence& r) const {
  const Count h = m.hidden, heads = r.heads / t, keys = r.keyHeads / t * r.key,
              values = heads * r.value;
  const auto ranked = [&](Count columns, bool low) {
    return low ? h * r.rank + r.rank * columns : h * columns;
  };
  Count n = values * h; // out
  switch (r.kind) {
  case RecurrenceKind::GatedDelta: {
    const Count decays = r.channelDecay ? heads * r.key : heads;
    n += h * keys + h * keys + h * values + h * heads;     // queries, keys, values, beta
    n += ranked(values, r.rank > 0);                       // gate
    n += ranked(decays, r.rank > 0 && r.channelDecay);     // decay
    n += decays + heads + (keys + keys + values) * r.taps; // bias of steps, A, convolution
    n += r.value;                                          // norm
    break;
  }
  case RecurrenceKind::Lightning:
    n += 3 * h * values + h * values + values; // queries, keys, values; gate; norm
    break;
  case RecurrenceKind::Mamba2:
    n += h * (values + values + keys + keys + heads);       // z, x, B, C, dt
    n += (values + keys + keys) * (r.taps + 1) + 3 * heads; // convolution; dt, A, D
    n += r.norm ? values : 0;
    break;
  case RecurrenceKind::ShortConvolution:
    n += 3 * h * values + values * r.taps;
    break;
  }
  return n;
}

/// Of a part of a feed-forward block that has so much of its width.
Count WeightAccount::block(Count width, bool gated) const {
  const Count up = gated ? 2 : 1;
  return (up + 1) * m.hidden * width + (m.bias ? up * width + m.hidden : 0);
}

/// Rows and columns of the matrices of a layer that have adapters, on one tensor rank.
double WeightAccount::adaptedSides(Count index, const Adapters& lora) const {
  const LayerType& c = m.layer(index);
  const Attention& a = c.attention;
  const FeedForward& f = c.feedForward;
  const Count h = m.hidden;
  Count sides = 0;
  const auto add = [&](AdapterModule module, Count in, Count out, Count copies = 1) {
    sides += lora.on(module) ? copies * (in + out) : 0;
  };
  if (a.kind == AttentionKind::Grouped) {
    add(AdapterModule::Query, h, a.heads * a.headDim);
    add(AdapterModule::Key, h, a.kvHeads * a.headDim);
    add(AdapterModule::Value, h, a.kvHeads * a.valueDim());
    add(AdapterModule::Output, a.heads * a.valueDim(), h);
  } else if (a.kind == AttentionKind::Latent) {
    if (a.queryRank > 0)
      add(AdapterModule::Query, h, a.queryRank);
    add(AdapterModule::Query, a.queryRank > 0 ? a.queryRank : h, a.heads * (a.nope + a.rope));
    add(AdapterModule::Key, h, a.kvRank + a.rope);
    add(AdapterModule::Value, a.kvRank, a.heads * (a.nope + a.value));
    add(AdapterModule::Output, a.heads * a.value, h);
  }
  const auto network = [&](Count width, bool gated, Count copies) {
    if (gated)
      add(AdapterModule::Gate, h, width, copies);
    add(AdapterModule::Up, h, width, copies), add(AdapterModule::Down, width, h, copies);
  };
  if (f.kind == FeedForwardKind::Experts) {
    network(f.width, f.gated, f.experts);
    if (f.shared > 0)
      network(f.shared * f.sharedWidth, f.gated, 1);
  } else if (f.kind != FeedForwardKind::None) {
    network(f.width, f.kind == FeedForwardKind::Gated, 1);
  }
  return static_cast<double>(sides);
}
