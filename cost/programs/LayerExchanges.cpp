//===- LayerExchanges.cpp - What context and expert ranks exchange inside a layer -------------===//
#include "cost/programs/LayerSegments.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

bool LayerLowering::normalizesProjections(const LayerInProgress& l) const {
  return plan.model.qkNorm == QkNorm::Projection &&
         l.layerType.attention.kind == AttentionKind::Grouped;
}

/// Norms over all heads add up the squares of queries and of keys, in fp32, over the ranks that
/// divide the heads, and means where the norm has them; backward as many products with gradients.
void LayerLowering::squares(LayerInProgress& l) const {
  const double sums = plan.model.norm == NormKind::Layer ? 4 : 2;
  l.track.blocking(l.collectives.inAction(CollectiveKind::AllReduce,
                                          CollectivePurpose::TensorActivation, *tensor,
                                          d.tokens * sums * 4),
                   Stream::Tensor, l.hostAhead);
}

/// What attention needs of the other context ranks. A ring hides behind the blocks of core
/// attention; backward it has twice the bytes.
void LayerLowering::contextKeys(LayerInProgress& l) const {
  const Attention& a = l.layerType.attention;
  const double c = real(d.context), all = 2 * c * exchangedKeys(a, d);
  const double attention = l.backward() ? l.time.attentionBackward : l.time.attention;
  const auto call = [&](CollectiveKind kind, double bytes) {
    return l.collectives.inAction(kind, CollectivePurpose::ContextKeys, *context, bytes);
  };
  const auto beside = [&](TimedCollective made, std::uint64_t pieces, double share) {
    if (d.communication.keysCompiled)
      l.track.blocking(made, Stream::Context, l.hostAhead);
    else
      l.track.overlapping(made, Stream::Context, pieces, toPicoseconds(attention * share), true);
  };
  switch (d.communication.keys) {
  case KeyExchangeKind::Ring:
    beside(call(CollectiveKind::AllGather, l.backward() ? 2 * all : all), 0, (c - 1) / c);
    return;
  case KeyExchangeKind::Gathered:
    // A compiled block is traced together with its backward pass, where what recomputation gathers
    // and what the gradients need are one expression, which runs once (fx_graph_cse in
    // torch/_functorch/compile_utils.py, which min_cut_rematerialization_partition begins with).
    if (!(l.backward() && l.recomputed && d.communication.keysCompiled))
      beside(call(CollectiveKind::AllGather, all), 0, 1 / c);
    // In fp32 and all the way round, one step more than a reduction takes; the last shows.
    if (l.backward())
      beside(call(CollectiveKind::ReduceScatter, 2 * all * c / (c - 1)), d.context, (c - 1) / c);
    return;
  case KeyExchangeKind::Heads: {
    const double query = real(a.heads) / real(d.tensor) *
                         real(a.kind == AttentionKind::Grouped ? a.headDim : a.nope + a.rope),
                 value = real(a.heads) / real(d.tensor) *
                         real(a.kind == AttentionKind::Grouped ? a.headDim : a.value);
    l.track.blocking(call(CollectiveKind::AllToAll, 2 * d.tokens * query + all / c),
                     Stream::Context, l.hostAhead);
    l.track.blocking(call(CollectiveKind::AllToAll, 2 * d.tokens * value), Stream::Context,
                     l.hostAhead);
    return;
  }
  }
}

TimedCollective LayerLowering::exchange(LayerInProgress& l, TokenWay way) const {
  const FeedForward& f = l.layerType.feedForward;
  return l.collectives.tokens(f, way, *expert, tokenRowsOf(f, d));
}

/// Dispatch and combine, each way; the rows of an expert that is split are gathered and scattered.
void LayerLowering::experts(LayerInProgress& l, std::uint64_t portion) const {
  const double rows = gatheredRows(l.layerType.feedForward, d) * real(plan.model.hidden) * 2;
  const bool exchanges = expert && (merges || !plan.layout.overlap.experts);
  const auto split = [&](CollectiveKind kind) {
    if (expertTensor)
      l.track.blocking(
          l.collectives.inAction(kind, CollectivePurpose::TensorActivation, *expertTensor, rows),
          Stream::Tensor, false);
  };
  if (exchanges)
    l.track.blocking(exchange(l, TokenWay::Dispatch), Stream::Expert, false);
  split(CollectiveKind::AllGather);
  l.track.compute(portion);
  split(CollectiveKind::ReduceScatter);
  if (exchanges)
    l.track.blocking(exchange(l, TokenWay::Combine), Stream::Expert, false);
}
