//===- LayerSegments.cpp - The segments of the actions of a layer -----------------------------===//
#include "cost/programs/LayerSegments.h"
#include "cost/programs/MergedActions.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool isRouted(const LayerType& c) { return c.feedForward.kind == FeedForwardKind::Experts; }
bool hasDense(const LayerType& c) {
  const FeedForward& f = c.feedForward;
  return f.kind == FeedForwardKind::Plain || f.kind == FeedForwardKind::Gated ||
         (isRouted(c) && f.shared > 0);
}

/// Whether several GEMMs read the input of a block, so that its gradient is a sum: two with a gate,
/// three in attention. PyTorch's compiler fuses a reduce-scatter only with a single GEMM.
bool readTwice(const LayerType& c, bool first) {
  const FeedForward& f = c.feedForward;
  return (first && c.mixes()) || f.kind == FeedForwardKind::Gated || (isRouted(c) && f.gated);
}

/// ps of the host per kernel launch; 0 with CUDA graphs.
std::uint64_t longestLaunch(const Plan& plan, const RankNodeTypes& ranks) {
  std::uint64_t longest = 0;
  for (const std::uint64_t c : ranks.nodeTypes)
    longest = std::max(longest, plan.cluster.nodeTypes[c].device.launch);
  return plan.layout.graphs ? 0 : longest;
}

std::uint64_t positive(double seconds) { return toPicoseconds(std::max(0.0, seconds)); }

/// Marks the computation of an action as random if the layer type has jitter.
std::vector<Segment> drawn(std::vector<Segment> pass, const Plan& plan, std::uint64_t layerType) {
  if (plan.model.layerTypes[layerType].stated.jitter.empty())
    return pass;
  bool more = false;
  for (Segment& s : pass)
    if (ComputeSegment* const compute = s.asCompute())
      compute->kind = ComputeKind::Varying, compute->layerType = layerType,
      compute->sameLayer = std::exchange(more, true);
  return pass;
}
} // namespace

double dpl::cost::tensorBlocksOf(const Model& m, const LayerType& c) {
  if (!c.stated.tensor.empty())
    return real(c.stated.tensor.front().count);
  return m.hasParallelBlocks(c) ? 1 : (c.mixes() ? 1 : 0) + (hasDense(c) ? 1 : 0);
}

LayerLowering::LayerLowering(const Plan& plan, const ChunkEstimate& estimate)
    : plan(plan), estimate(estimate), d(estimate.dividedBy()),
      tensor(groupWith(plan, {Axis::Tensor})), context(groupWith(plan, {Axis::Context})),
      expert(groupWith(plan, {Axis::Expert})), expertTensor(groupWith(plan, {Axis::ExpertTensor})),
      hidden(d.tokens * real(plan.model.hidden) * activationBytes(d.compute)),
      backwardSplit(scheduleInfo(plan.layout.schedule).backward), merges(mergesPairs(plan)),
      leastCost(plan.layout.microBatchCosts.empty()
                    ? 1
                    : MicroBatchCosts(plan.layout.microBatchCosts).least()) {
  for (std::size_t ranks = 0; ranks < plan.mesh.rankNodeTypes.size(); ++ranks)
    rankLaunches.push_back(
        {estimate.contention(ranks), longestLaunch(plan, plan.mesh.rankNodeTypes[ranks]),
         plan.model.predictionLayers > 0 ? predictionLayer(ranks) : OperatorSum()});
}

/// The layer inside an MTP layer: its own kernels, and the idle time of the whole MTP layer, which
/// also has a projection and a head.
OperatorSum LayerLowering::predictionLayer(std::size_t ranks) const {
  const OperatorSum whole = estimate.prediction(ranks);
  OperatorSum layer = estimate.layer(ranks, plan.model.runs.back().layerType);
  layer.forward += whole.idleForward - layer.idleForward;
  layer.idleForward = whole.idleForward, layer.idleBackward = whole.idleBackward;
  // OperatorSum::split computes the idle time of the input gradient from `inputHost`.
  layer.inputHost = layer.inputKernels + whole.split().idleBackward;
  return layer;
}

ActionSegments LayerLowering::of(const ChunkModule& module, std::uint64_t rank,
                                 ChunkCollectives& collectives) const {
  if (backwardSplit == BackwardSplit::Whole)
    return of(module, rank, collectives, false);
  ChunkModule apart = module;
  apart.time = module.time.split();
  ActionSegments out = of(apart, rank, collectives, true);
  if (backwardSplit == BackwardSplit::Mixed)
    out.whole = of(module, rank, collectives, false).backward;
  return out;
}

ActionSegments LayerLowering::of(const ChunkModule& module, std::uint64_t rank,
                                 ChunkCollectives& collectives, bool split) const {
  const std::size_t ranks = plan.mesh.rankNodeTypesIndex(rank);
  const RankLaunch& on = rankLaunches[ranks];
  ActionSegments out;
  if (module.computeKind == ComputeKind::Layer || module.computeKind == ComputeKind::Prediction) {
    const OperatorSum& of = module.computeKind == ComputeKind::Layer
                                ? estimate.layer(ranks, module.layerType)
                                : on.prediction;
    layer(module, split ? of.split() : of, on, collectives, split, out);
  } else {
    whole(module, split, out);
  }
  if (tensor && module.computeKind == ComputeKind::Embedding)
    embeddingCollectives(collectives, out);
  else if (tensor && module.computeKind != ComputeKind::Layer)
    headCollectives(collectives, out);
  check(module, collectives, split, out);
  return out;
}

/// If PyTorch checks each collective, the host may be slower than the device; the action then takes
/// the host's time. Returns the time by which the host is ahead otherwise.
std::uint64_t LayerLowering::check(std::vector<Segment>& pass, ComputeKind part, double launches,
                                   const ChunkCollectives& collectives) const {
  std::uint64_t host = toPicoseconds(launches), device = 0;
  for (const Segment& s : pass)
    if (s.asCompute())
      device += s.time();
    else if (const CollectiveSegment* const launch = s.asCollective())
      device += launch->holdsFor,
          host += hostChecksOf(plan, collectives.all[launch->collective].group);
  if (host <= device)
    return device - host;
  pass.push_back({ComputeSegment{part, host - device}});
  return 0;
}

void LayerLowering::check(const ChunkModule& module, const ChunkCollectives& collectives,
                          bool split, ActionSegments& out) const {
  if (plan.layout.communication().checks == 0)
    return;
  const OperatorSum& t = module.time;
  check(out.forward, module.computeKind, t.forwardHost, collectives);
  check(out.recompute, ComputeKind::Recomputation, t.recomputeHost, collectives);
  check(out.weight, module.computeKind, split ? t.weightHost : 0, collectives);
  out.ahead = check(out.backward, module.computeKind, t.inputHost + (split ? 0 : t.weightHost),
                    collectives);
}

void LayerLowering::layer(const ChunkModule& module, const OperatorSum& time, const RankLaunch& on,
                          ChunkCollectives& collectives, bool split, ActionSegments& out) const {
  out.forward = actionSegments(module, time, on, collectives, LayerAction::Forward, false,
                               toPicoseconds(module.time.forward));
  if (module.time.recompute > 0)
    (plan.layout.recompute.inAdvance ? out.recompute : out.backward) =
        actionSegments(module, time, on, collectives, LayerAction::Recomputation, false,
                       toPicoseconds(module.time.recompute));
  const std::uint64_t input = toPicoseconds(module.time.backwardInput),
                      weight = toPicoseconds(module.time.backwardWeight);
  std::vector<Segment> backward = actionSegments(
      module, time, on, collectives, LayerAction::Backward, split, split ? input : input + weight);
  if (out.backward.empty())
    out.backward = std::move(backward);
  else
    out.backward.insert(out.backward.end(), backward.begin(), backward.end());
  if (split) {
    ComputeSegmentWriter track(module.computeKind, weight, 0, 0, 0);
    track.finish();
    out.weight = drawn(std::move(track.segments), plan, module.layerType);
  }
}

/// Divides the computation of a layer evenly between its blocks. Time that collectives may overlap
/// with is taken out first. In merged pairs the experts have their own time, unless the layer's
/// times are set in the file.
std::vector<Segment> LayerLowering::actionSegments(const ChunkModule& module,
                                                   const OperatorSum& time, const RankLaunch& on,
                                                   ChunkCollectives& collectives, LayerAction pass,
                                                   bool split, std::uint64_t total) const {
  const LayerType& c = plan.model.layerTypes[module.layerType];
  const Recompute& r = plan.layout.recompute;
  const bool again = pass == LayerAction::Recomputation;
  // Recomputing a whole layer repeats all of its collectives; recomputing modules repeats those of
  // experts.
  const bool all = !again || module.recomputed;
  const bool withExperts = isRouted(c) && (all || r.has(ModuleKind::Moe));
  const double idle = time.blocking                   ? 0
                      : pass == LayerAction::Backward ? time.idleBackward
                      : again                         ? module.time.idleRecompute
                                                      : time.idleForward;
  const bool beside = withExperts && expert && plan.layout.overlap.experts && !merges;
  // Both exchanges overlap with the rest of the layer. In a whole backward pass they overlap with
  // half of it, about the time of a forward pass of another micro-batch. In a split one they
  // overlap with all of the input gradient. The actual forward time is not used: on a faster device
  // only the forward pass may be launch-bound, and the faster device would get a worse result.
  const std::uint64_t joined =
      beside && pass == LayerAction::Backward && !split ? total / 2 : total;
  const double blocks = tensorBlocksOf(plan.model, c);
  const auto wholeBlocks = static_cast<std::uint64_t>(blocks);
  const std::uint64_t cuts = std::max<std::uint64_t>(1, wholeBlocks + (withExperts ? 1 : 0));
  // In a merged pair attention precedes the experts in the forward pass and follows them in the
  // backward pass.
  const bool turns = withExperts && merges, expertsFirst = turns && pass == LayerAction::Backward;
  const OperatorSum& t = module.time;
  const std::uint64_t own =
      toPicoseconds(again                           ? t.expertsRecompute
                    : pass == LayerAction::Backward ? t.expertsInput + (split ? 0 : t.expertsWeight)
                                                    : t.experts);
  const std::uint64_t between = turns && own > 0 ? std::min(own, total) : total / cuts;
  const std::uint64_t rest = turns ? joined - between : joined;
  LayerInProgress l{c,
                    time,
                    pass,
                    split,
                    module.recomputed,
                    !isRouted(c),
                    total,
                    collectives,
                    ComputeSegmentWriter(again ? ComputeKind::Recomputation : module.computeKind,
                                         expertsFirst ? between : rest, positive(idle),
                                         on.contention, on.launch, leastCost)};
  l.track.segments.reserve(14); // enough for most layers, including recomputation
  if (beside)
    for (const TokenWay way : {TokenWay::Dispatch, TokenWay::Combine})
      l.track.begin(exchange(l, way), Stream::Expert, joined / 2);
  if (expertsFirst) {
    experts(l, between);
    l.track.addTime(rest);
  }
  if (all && context && c.hasAttention())
    contextKeys(l);
  if (all && context)
    contextStates(l);
  if (all && tensor && normalizesProjections(l))
    squares(l);
  if (all && tensor) // idle time is left for the collectives
    tensorBlocks(l, blocks,
                 (rest - (l.hostAhead ? std::min(rest, positive(idle)) : 0)) /
                     (turns ? std::max<std::uint64_t>(1, wholeBlocks) : cuts));
  if (turns && !expertsFirst) {
    l.track.finish();
    l.track.addTime(between);
  }
  if (beside) {
    awaitExchanges(l);
    l.track.addTime(total - joined);
  }
  if (withExperts && !expertsFirst)
    experts(l, between);
  l.track.finish();
  return drawn(std::move(l.track.segments), plan, module.layerType);
}

/// Ends the computation that both token exchanges overlap with, and waits for them.
void LayerLowering::awaitExchanges(LayerInProgress& l) const {
  l.track.finish();
  const TimedCollective out = exchange(l, TokenWay::Dispatch),
                        back = exchange(l, TokenWay::Combine);
  l.track.wait(back);
  if (out.id != back.id)
    l.track.wait(out);
}

/// Adds the tensor-parallel collectives of the `blocks` blocks of a layer, each with one all-reduce
/// in the forward and in the backward pass. With sequence parallelism each block has an all-gather
/// and a reduce-scatter instead, and the backward pass gathers the block's input once more for the
/// weight gradient, unless the gathered input was saved.
void LayerLowering::tensorBlocks(LayerInProgress& l, double blocks, std::uint64_t portion) const {
  const OperatorSum& t = l.time;
  // The collective is cut into slices that alternate with the GEMMs that they feed; the first slice
  // is exposed. In the backward pass these are the weight-gradient GEMMs. One kernel does not hide
  // two collectives.
  const double perCollective = 1 / (blocks * (d.sequenceParallel ? 2 : 1));
  const std::uint64_t products =
      l.backward() ? positive(l.split ? 0 : t.weightKernels * perCollective)
                   : positive((t.forward - t.idleForward - t.attention) * perCollective);
  const std::vector<TensorExchange>& stated = l.layerType.stated.tensor;
  const double bytes = stated.empty() ? hidden : d.tokens * real(stated.front().bytes);
  // Gathered tensors are cast to the compute type; sums are in 16 bits.
  const double cast = stated.empty() ? std::min(1.0, real(bitsOf(d.compute)) / 16) : 1;
  std::optional<TimedCollective> gather, sum; // one of each kind
  const auto made = [&](CollectiveKind kind) {
    const bool gathers = kind == CollectiveKind::AllGather;
    std::optional<TimedCollective>& collective = gathers ? gather : sum;
    if (!collective)
      collective = l.collectives.inAction(kind, CollectivePurpose::TensorActivation, *tensor,
                                          gathers ? cast * bytes : bytes);
    return *collective;
  };
  const auto collective = [&](CollectiveKind kind, bool alternates = true) {
    if (plan.layout.overlap.tensor && alternates)
      l.track.overlapping(made(kind), Stream::Tensor, d.tensor, products, true);
    else
      l.track.blocking(made(kind), Stream::Tensor, l.hostAhead);
  };
  const bool hides = plan.layout.overlap.tensor;
  // Early stopping of recomputation leaves out the collective after its last GEMM.
  const bool stops =
      l.action == LayerAction::Recomputation && stopsEarly(plan.model, l.layerType, d);
  for (double block = 0; block < blocks; ++block) {
    if (d.sequenceParallel)
      collective(CollectiveKind::AllGather);
    // Only the weight gradient waits for this gather.
    if (d.sequenceParallel && l.backward() && !d.saveGathered)
      l.track.overlapping(made(CollectiveKind::AllGather), Stream::Tensor, 0,
                          positive((t.inputKernels - t.attentionBackward) / std::max(1.0, blocks)),
                          true);
    if (!hides)
      l.track.compute(portion);
    if (!stops || block + 1 < blocks)
      collective(d.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce,
                 !(l.backward() && d.communication.stacked && readTwice(l.layerType, block == 0)));
  }
}

/// Writes a module that has no collectives inside.
void LayerLowering::whole(const ChunkModule& module, bool split, ActionSegments& out) const {
  out.forward.reserve(3), out.backward.reserve(3); // with a collective at either end
  const auto compute = [&](double seconds, std::vector<Segment>& to) {
    if (const std::uint64_t time = toPicoseconds(seconds); time > 0)
      to.push_back({ComputeSegment{module.computeKind, time}});
  };
  compute(module.time.forward, out.forward);
  compute(module.time.backwardInput, out.backward);
  compute(module.time.backwardWeight, split ? out.weight : out.backward);
}

Segment LayerLowering::activations(CollectiveKind kind, ChunkCollectives& collectives) const {
  return blockingCollective(
      collectives.inAction(kind, CollectivePurpose::TensorActivation, *tensor, hidden),
      Stream::Tensor);
}

ActionSegments LayerLowering::of(GatheredMessages messages, ChunkCollectives& collectives) const {
  ActionSegments out;
  if (messages.activations)
    out.forward.push_back(activations(CollectiveKind::AllGather, collectives));
  if (messages.gradients)
    out.backward.push_back(activations(CollectiveKind::AllGather, collectives));
  if (backwardSplit == BackwardSplit::Mixed)
    out.whole = out.backward;
  return out;
}

/// Tensor ranks split the vocabulary, so the embedding produces partial sums.
void LayerLowering::embeddingCollectives(ChunkCollectives& collectives, ActionSegments& out) const {
  out.forward.push_back(activations(
      d.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce, collectives));
  if (d.sequenceParallel)
    out.backward.insert(out.backward.begin(), activations(CollectiveKind::AllGather, collectives));
}

/// The head needs its whole input, and produces partial sums of the gradient of this input.
void LayerLowering::headCollectives(ChunkCollectives& collectives, ActionSegments& out) const {
  if (d.sequenceParallel)
    out.forward.insert(out.forward.begin(), activations(CollectiveKind::AllGather, collectives));
  out.backward.push_back(activations(
      d.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce, collectives));
}
