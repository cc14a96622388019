//===- LayerExchanges.cpp - Exchanges of context and expert ranks inside a layer --------------===//
#include "cost/compute/Recurrences.h"
#include "cost/programs/LayerSegments.h"
#include "ir/Arithmetic.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

bool LayerLowering::normalizesProjections(const LayerInProgress& l) const {
  return plan.model.qkNorm == QkNorm::Projection &&
         l.layerType.attention.kind == AttentionKind::Grouped;
}

/// Norms over all heads all-reduce the sums of squares of queries and keys in fp32 over tensor
/// ranks. LayerNorm also reduces means. The backward pass all-reduces equally many sums of products
/// with gradients.
void LayerLowering::squares(LayerInProgress& l) const {
  const double sums = plan.model.norm == NormKind::Layer ? 4 : 2;
  l.track.blocking(l.collectives.inAction(CollectiveKind::AllReduce,
                                          CollectivePurpose::TensorActivation, *tensor,
                                          d.tokens * sums * 4),
                   Stream::Tensor, l.hostAhead);
}

/// Adds the exchanges of attention between context ranks. Ring attention overlaps with core
/// attention; its backward pass sends twice the bytes.
void LayerLowering::contextKeys(LayerInProgress& l) const {
  const Attention& a = l.layerType.attention;
  const double c = real(d.context), all = 2 * c * exchangedKeys(l.layerType, d);
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
    // A compiled block is traced together with its backward pass. The all-gather of recomputation
    // and that of the gradients are then one expression, which runs once (fx_graph_cse in
    // torch/_functorch/compile_utils.py, called first by min_cut_rematerialization_partition).
    if (!(l.backward() && l.recomputed && d.communication.keysCompiled))
      beside(call(CollectiveKind::AllGather, all), 0, 1 / c);
    // Gradients travel in fp32 all the way around the ring, one step more than a reduce-scatter.
    // One step is exposed.
    if (l.backward())
      beside(call(CollectiveKind::ReduceScatter, 2 * all * c / (c - 1)), d.context, (c - 1) / c);
    return;
  case KeyExchangeKind::Heads: {
    const double query = real(a.heads) / real(d.tensor) * real(a.queryDim()),
                 value = real(a.heads) / real(d.tensor) * real(a.valueDim());
    l.track.blocking(call(CollectiveKind::AllToAll, 2 * d.tokens * query + all / c),
                     Stream::Context, l.hostAhead);
    l.track.blocking(call(CollectiveKind::AllToAll, 2 * d.tokens * value), Stream::Context,
                     l.hostAhead);
    return;
  }
  }
}

/// Context ranks exchange the inputs of a scan for whole sequences of some of the heads, and its
/// output back, because a scan needs all earlier tokens.
void LayerLowering::contextStates(LayerInProgress& l) const {
  for (const Recurrence& r : l.layerType.recurrence)
    l.track.blocking(l.collectives.inAction(CollectiveKind::AllToAll,
                                            CollectivePurpose::ContextKeys, *context,
                                            activationBytes(d.compute) * exchangedStates(r, d)),
                     Stream::Context, l.hostAhead);
}

TimedCollective LayerLowering::exchange(LayerInProgress& l, TokenWay way) const {
  const FeedForward& f = l.layerType.feedForward;
  return l.collectives.tokens(f, way, *expert, tokenRowsOf(f, d));
}

/// Adds the dispatch and the combine of tokens. If an expert is split over expert-tensor ranks, the
/// rows are also all-gathered and reduce-scattered.
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
