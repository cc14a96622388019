//===- Division.cpp - The part of a layer on one device ---------------------------------------===//
#include "cost/compute/GatheredParameters.h"
#include "cost/compute/OperatorBuilder.h"
#include "cost/compute/PolicyOperators.h"
#include "cost/compute/Routing.h"
#include "ir/SetInFile.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

bool dpl::cost::stopsEarly(const Model& m, const LayerType& c, const Division& d) {
  const FeedForwardKind kind = c.feedForward.kind;
  return d.communication.earlyStop &&
         (kind == FeedForwardKind::Plain || kind == FeedForwardKind::Gated) && !m.postNorms &&
         m.hiddenDropout == 0;
}

double dpl::cost::exchangedKeys(const LayerType& c, const Division& d) {
  const Attention& a = c.attention;
  if (!c.indexer.empty())
    return d.tokens * real(a.kvRank + a.rope + c.indexer.front().headDim);
  const double heads = real(a.heads) / real(d.tensor);
  if (a.kind != AttentionKind::Grouped)
    return d.tokens * heads * real(a.nope + a.rope + a.value);
  return d.tokens * (d.communication.keysRepeated ? heads : keyValueHeadsOn(a, d.tensor)) *
         real(a.headDim + a.valueDim());
}

double dpl::cost::activationBytes(DataType t) { return isLowPrecision(t) ? 2 : elementBytes(t); }

double dpl::cost::routedTokens(const Division& d) {
  return d.tokens / (d.tensor > 1 ? real(d.tensor) : 1);
}

double dpl::cost::gatheredRows(const FeedForward& f, const Division& d) {
  return d.kernels.dispatch == DispatchKind::AllGather
             ? routedTokens(d) * real(d.expert * d.expertTensor)
             : expertRows(f, d);
}

double dpl::cost::expertRows(const FeedForward& f, const Division& d) {
  // Each rank sends `active` copies of each token, and each expert-tensor rank of an expert has the
  // rows that all expert-tensor ranks receive.
  const double sent = routedTokens(d) * real(f.active);
  return sent * shareOfBusiest(f, d, sent) * real(d.expertTensor);
}

double dpl::cost::capacityRows(double even, const FeedForward& f) {
  return std::ceil(even * f.capacity * (1 - 1e-12));
}

double dpl::cost::shareOfBusiest(const FeedForward& f, const Division& d, double sent) {
  // `modelFlopPerToken` subtracts the rows that random routing drops, because they depend on the
  // number of ranks.
  if (d.ofModel)
    return f.capacity > 0 && f.popularity == PopularityKind::Even ? std::min(1.0, f.capacity) : 1;
  if (f.padded && sent > 0)
    return capacityRows(sent / real(f.experts), f) / (sent / real(f.experts));
  if (f.popularity != PopularityKind::Even)
    return sent > 0 ? routedLoads({f, d.expert, sent / real(f.active)}).median : 1;
  // The copies of a token go to different experts.
  const double most = std::min(real(d.expert), real(f.experts) / real(f.active));
  const double share = d.expert > 1 ? std::min(f.imbalance, most) : 1;
  if (f.capacity <= 0 || sent <= 0)
    return share;
  const double even = sent / real(f.experts);
  return std::min(share, capacityRows(even, f) / even);
}

double dpl::cost::distinctUnits(const FeedForward& f, double units) {
  const double groups = std::max(1.0, real(f.router.groups)),
               chosen = std::min(groups, std::max(1.0, real(f.router.groupLimit)));
  // If a router group spans several units, a token reaches the units of its chosen groups, with one
  // choice per expert. If a unit spans several groups, it makes one choice per chosen group.
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

namespace {
/// Bytes per parameter that kernels move to sum gradients: micro-batch gradients in a separate
/// buffer are read, and the sums are read and written. This happens at the end of an action, or in
/// autograd if a chunk's gradients are summed unsharded. 0 if the GEMMs add gradients.
double summingBytes(const Plan& plan) {
  const Buffers& held = plan.layout.buffers;
  const Precision& p = plan.layout.precision;
  if (held.hasMicroBatchGradients)
    return elementBytes(held.microBatchGradients) + 2 * elementBytes(p.gradients);
  return sumsWhole(plan) ? activationBytes(p.compute) + 2 * elementBytes(held.wholeGradients) : 0;
}
} // namespace

Division dpl::cost::divisionOf(const Plan& plan) {
  Division d;
  d.tensor = plan.mesh.size(Axis::Tensor);
  d.context = plan.mesh.size(Axis::Context);
  d.expert = plan.mesh.size(Axis::Expert);
  d.expertTensor = plan.mesh.size(Axis::ExpertTensor);
  d.sequenceParallel = plan.layout.shard.sequence == ShardAxis::Tensor && d.tensor > 1;
  d.scattersMessages = plan.layout.shard.scattersMessages(d.tensor) && !plan.model.isLayerList();
  d.fusedAttention = plan.layout.fusedAttention;
  d.captured = plan.layout.graphs;
  d.communication = plan.layout.communication();
  const bool stacked = d.communication.stacked && d.sequenceParallel;
  d.communication.stacked = stacked && plan.layout.overlap.tensor;
  d.copiesScattered = stacked && !plan.layout.overlap.tensor;
  d.copiesGathered = d.copiesScattered && plan.layout.microBatch > 1;
  // Early stopping applies only to the last layer of a recomputed group.
  const Recompute& again = plan.layout.recompute;
  // A policy never recomputes outputs that the backward pass does not need.
  d.communication.earlyStop = again.kind == RecomputeKind::Saved ||
                              (d.communication.earlyStop && again.kind == RecomputeKind::Full &&
                               (again.method == RecomputeMethod::Block || again.layers == 1));
  d.kernels = plan.layout.kernels;
  // Without expert ranks PyTorch's operators sort the device's own rows.
  if (d.expert * d.expertTensor == 1)
    d.kernels.dispatch = DispatchKind::AllToAll;
  d.saveGathered = plan.layout.buffers.saveGathered && d.sequenceParallel;
  d.sums = summingBytes(plan);
  d.compute = plan.layout.precision.compute;
  d.head = plan.layout.precision.head;
  // The rates of fp8 were fitted to runs most of which state no recipe, with casts that read once
  // and write in both orders.
  if (isSetInFile(plan, "precision.recipe")) {
    d.recipe = plan.layout.precision.recipe;
    // nvte_is_non_tn_fp8_gemm_supported of Transformer Engine: Blackwell of data centers reads fp8
    // operands in either order.
    const double capability = plan.cluster.device().computeCapability;
    d.transposedCopies = capability < 10 || capability >= 12;
  }
  if (again.kind == RecomputeKind::Saved) {
    for (const SavedOperator op : again.saved)
      d.savedOperators |= 1U << static_cast<unsigned>(op);
    for (const SavedOperator op : again.offloaded)
      d.savedOperators |= 1U << static_cast<unsigned>(op);
    const Precision& precision = plan.layout.precision;
    d.savesQuantized = d.saves(SavedOperator::Quantization) && namesQuantized(precision);
    d.weightRanks = isLowPrecision(precision.parameters) ? 0
                    : plan.layout.shard.stage() == 3     ? plan.stateRanks()
                                                         : 1;
  }
  d.sequence = attendedTokens(plan.model, plan.layout);
  d.tuning = plan.layout.fineTuningOrNull();
  const double perSample = plan.model.isLayerList() ? 1 : real(plan.model.context);
  d.tokens = real(plan.layout.microBatch) * perSample / real(d.context);
  d.vocab = paddedVocabulary(plan.model.vocab, plan.layout.vocabMultiple, d.tensor);
  return d;
}
