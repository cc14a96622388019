#pragma once
//===- SampleModels.h - Models of one layer type, and the division of a whole one -------------===//
#include "cost/compute/LayerCost.h"

namespace dpl::test {

inline ir::Model decoder(std::uint64_t layers, std::uint64_t hidden, std::uint64_t heads,
                         std::uint64_t kvHeads, std::uint64_t ffn, std::uint64_t vocab,
                         std::uint64_t context, bool gated) {
  ir::Model m;
  m.kind = "decoder";
  m.hidden = hidden, m.vocab = vocab, m.context = context;
  ir::LayerType c;
  c.attention.heads = heads, c.attention.kvHeads = kvHeads, c.attention.headDim = hidden / heads;
  c.feedForward.kind = gated ? ir::FeedForwardKind::Gated : ir::FeedForwardKind::Plain;
  c.feedForward.gated = gated;
  c.feedForward.width = ffn;
  m.layerTypes = {c};
  m.runs = {{0, layers}};
  return m;
}

/// One device computes `tokens` of a micro-batch through undivided layers.
inline cost::Division whole(const ir::Model& m, double tokens) {
  cost::Division d;
  d.tokens = tokens, d.sequence = static_cast<double>(m.context), d.vocab = m.vocab;
  return d;
}

} // namespace dpl::test
