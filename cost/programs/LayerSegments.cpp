//===- LayerSegments.cpp - What the passes of a layer run -------------------------------------===//
#include "cost/programs/LayerSegments.h"
#include "cost/programs/MergedPass.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
bool hasAttention(const LayerClass& c) { return c.attention.kind != AttentionKind::None; }
bool isRouted(const LayerClass& c) { return c.feedForward.kind == FeedForwardKind::Experts; }
bool hasDense(const LayerClass& c) {
  const FeedForward& f = c.feedForward;
  return f.kind == FeedForwardKind::Plain || f.kind == FeedForwardKind::Gated ||
         (isRouted(c) && f.shared > 0);
}

/// Whether several products read what a block is given: the gradient of that is their sum. A gate
/// has two, attention three; PyTorch's compiler finds a scatter behind one alone.
bool readTwice(const LayerClass& c, bool first) {
  const FeedForward& f = c.feedForward;
  return (first && hasAttention(c)) || f.kind == FeedForwardKind::Gated || (isRouted(c) && f.gated);
}

/// ps of the host for a launch; captured graphs take none.
std::uint64_t longestLaunch(const Plan& plan, const HeldRanks& ranks) {
  std::uint64_t longest = 0;
  for (const std::uint64_t c : ranks.classes)
    longest = std::max(longest, plan.cluster.classes[c].device.launch);
  return plan.layout.graphs ? 0 : longest;
}

std::uint64_t positive(double seconds) { return toPicoseconds(std::max(0.0, seconds)); }

/// A pass of a layer, whose time is drawn where its class says how.
std::vector<Segment> drawn(std::vector<Segment> pass, const Plan& plan, std::uint64_t layerClass) {
  if (plan.model.classes[layerClass].stated.jitter.empty())
    return pass;
  bool more = false;
  for (Segment& s : pass)
    if (s.kind == SegmentKind::Compute)
      s.part = ComputePart::Drawn, s.layerClass = layerClass, s.more = std::exchange(more, true);
  return pass;
}
} // namespace

double dpl::cost::tensorBlocksOf(const Model& m, const LayerClass& c) {
  if (!c.stated.tensor.empty())
    return real(c.stated.tensor.front().count);
  return m.joins(c) ? 1 : (hasAttention(c) ? 1 : 0) + (hasDense(c) ? 1 : 0);
}

LayerLowering::LayerLowering(const Plan& plan, const ChunkEstimate& estimate)
    : plan(plan), estimate(estimate), d(estimate.dividedBy()),
      tensor(groupWith(plan, {Axis::Tensor})), context(groupWith(plan, {Axis::Context})),
      expert(groupWith(plan, {Axis::Expert})), expertTensor(groupWith(plan, {Axis::ExpertTensor})),
      hidden(d.tokens * real(plan.model.hidden) * activationBytes(d.compute)),
      backwardPasses(scheduleInfo(plan.layout.schedule).backward), merges(mergesPairs(plan)),
      leastCost(plan.layout.microBatchCosts.empty()
                    ? 1
                    : MicroBatchCosts(plan.layout.microBatchCosts).least()) {
  for (std::size_t ranks = 0; ranks < plan.mesh.held.size(); ++ranks)
    held.push_back({estimate.contention(ranks), longestLaunch(plan, plan.mesh.held[ranks]),
                    plan.model.predictionLayers > 0 ? predictionLayer(ranks) : OperatorSum()});
}

/// The layer inside a prediction layer: its kernels, and what the host leaves idle in the pass of
/// the whole, which has a joining projection and a head besides.
OperatorSum LayerLowering::predictionLayer(std::size_t ranks) const {
  const OperatorSum whole = estimate.prediction(ranks);
  OperatorSum layer = estimate.layer(ranks, plan.model.runs.back().layerClass);
  layer.forward += whole.idleForward - layer.idleForward;
  layer.idleForward = whole.idleForward, layer.idleBackward = whole.idleBackward;
  // Of the input's half when that runs apart.
  layer.inputHost = layer.inputKernels + whole.split().idleBackward;
  return layer;
}

PassSegments LayerLowering::of(const ChunkPart& part, std::uint64_t rank, Calls& calls) const {
  if (backwardPasses == BackwardPasses::Whole)
    return of(part, rank, calls, false);
  ChunkPart apart = part;
  apart.time = part.time.split();
  PassSegments out = of(apart, rank, calls, true);
  if (backwardPasses == BackwardPasses::Mixed)
    out.whole = of(part, rank, calls, false).backward;
  return out;
}

PassSegments LayerLowering::of(const ChunkPart& part, std::uint64_t rank, Calls& calls,
                               bool split) const {
  const std::size_t ranks = plan.mesh.heldIndex(rank);
  const Held& on = held[ranks];
  PassSegments out;
  if (part.part == ComputePart::Layer || part.part == ComputePart::Prediction) {
    const OperatorSum& of =
        part.part == ComputePart::Layer ? estimate.layer(ranks, part.layerClass) : on.prediction;
    layer(part, split ? of.split() : of, on, calls, split, out);
  } else {
    whole(part, split, out);
  }
  if (tensor && part.part == ComputePart::Embedding)
    embeddingCalls(calls, out);
  else if (tensor && part.part != ComputePart::Layer)
    headCalls(calls, out);
  check(part, calls, split, out);
  return out;
}

/// Where each call is checked, the host may be slower than the device: the pass takes as long as
/// it. How much the host is ahead otherwise.
std::uint64_t LayerLowering::check(std::vector<Segment>& pass, ComputePart part, double launches,
                                   const Calls& calls) const {
  std::uint64_t host = toPicoseconds(launches), device = 0;
  for (const Segment& s : pass)
    if (s.kind == SegmentKind::Compute)
      device += s.time;
    else if (s.kind == SegmentKind::Call)
      device += s.holds, host += checksOf(plan, calls.all[s.call].group);
  if (host <= device)
    return device - host;
  Segment waits;
  waits.part = part;
  waits.time = host - device;
  pass.push_back(waits);
  return 0;
}

void LayerLowering::check(const ChunkPart& part, const Calls& calls, bool split,
                          PassSegments& out) const {
  if (plan.layout.calls().checks == 0)
    return;
  const OperatorSum& t = part.time;
  check(out.forward, part.part, t.forwardHost, calls);
  check(out.recompute, ComputePart::Recomputation, t.recomputeHost, calls);
  check(out.weight, part.part, split ? t.weightHost : 0, calls);
  out.ahead = check(out.backward, part.part, t.inputHost + (split ? 0 : t.weightHost), calls);
}

void LayerLowering::layer(const ChunkPart& part, const OperatorSum& time, const Held& on,
                          Calls& calls, bool split, PassSegments& out) const {
  out.forward = pass(part, time, on, calls, Pass::Forward, false, toPicoseconds(part.time.forward));
  if (part.time.recompute > 0)
    (plan.layout.recompute.inAdvance ? out.recompute : out.backward) =
        pass(part, time, on, calls, Pass::Recomputation, false, toPicoseconds(part.time.recompute));
  const std::uint64_t input = toPicoseconds(part.time.backwardInput),
                      weight = toPicoseconds(part.time.backwardWeight);
  std::vector<Segment> backward =
      pass(part, time, on, calls, Pass::Backward, split, split ? input : input + weight);
  if (out.backward.empty())
    out.backward = std::move(backward);
  else
    out.backward.insert(out.backward.end(), backward.begin(), backward.end());
  if (split) {
    Track track(part.part, weight, 0, 0, 0);
    track.finish();
    out.weight = drawn(std::move(track.segments), plan, part.layerClass);
  }
}

/// A layer's computation is cut evenly around its blocks; what a call may run beside is taken out
/// before. Where passes take turns the experts are cut out at their own time, of which nothing is
/// known where the layer's times are stated.
std::vector<Segment> LayerLowering::pass(const ChunkPart& part, const OperatorSum& time,
                                         const Held& on, Calls& calls, Pass pass, bool split,
                                         std::uint64_t total) const {
  const LayerClass& c = plan.model.classes[part.layerClass];
  const Recompute& r = plan.layout.recompute;
  const bool again = pass == Pass::Recomputation;
  // Recomputation of a whole layer runs its collectives again, that of modules those of experts.
  const bool all = !again || part.recomputed;
  const bool withExperts = isRouted(c) && (all || r.has(Module::Moe));
  const double idle = time.blocking            ? 0
                      : pass == Pass::Backward ? time.idleBackward
                      : again                  ? part.time.idleAgain
                                               : time.idleForward;
  const bool beside = withExperts && expert && plan.layout.overlap.experts && !merges;
  // Both exchanges run beside the rest of the layer: backward beside as much as a forward takes,
  // that of another micro-batch, as do the gradients of the input and those of the weights. A
  // forward's own time would do worse on a faster machine where only it waits for launches.
  const std::uint64_t joined = beside && pass == Pass::Backward && !split ? total / 2 : total;
  const double blocks = tensorBlocksOf(plan.model, c);
  const auto wholeBlocks = static_cast<std::uint64_t>(blocks);
  const std::uint64_t cuts = std::max<std::uint64_t>(1, wholeBlocks + (withExperts ? 1 : 0));
  // Of a pass that takes turns with another, attention stands before the experts in a forward.
  const bool turns = withExperts && merges, expertsFirst = turns && pass == Pass::Backward;
  const OperatorSum& t = part.time;
  const std::uint64_t own =
      toPicoseconds(again                    ? t.expertsAgain
                    : pass == Pass::Backward ? t.expertsInput + (split ? 0 : t.expertsWeight)
                                             : t.experts);
  const std::uint64_t between = turns && own > 0 ? std::min(own, total) : total / cuts;
  const std::uint64_t rest = turns ? joined - between : joined;
  Layer l{c,
          time,
          pass,
          split,
          part.recomputed,
          !isRouted(c),
          total,
          calls,
          Track(again ? ComputePart::Recomputation : part.part, expertsFirst ? between : rest,
                positive(idle), on.contention, on.launch, leastCost)};
  l.track.segments.reserve(14); // as most layers have at most, with what runs again before them
  if (beside)
    for (const TokenWay way : {TokenWay::Dispatch, TokenWay::Combine})
      l.track.begin(exchange(l, way), Stream::Expert, joined / 2);
  if (expertsFirst) {
    experts(l, between);
    l.track.add(rest);
  }
  if (all && context && hasAttention(c))
    contextKeys(l);
  if (all && tensor && normalizesProjections(l))
    squares(l);
  if (all && tensor) // what the host leaves idle is for the calls
    tensorBlocks(l, blocks,
                 (rest - (l.hostAhead ? std::min(rest, positive(idle)) : 0)) /
                     (turns ? std::max<std::uint64_t>(1, wholeBlocks) : cuts));
  if (turns && !expertsFirst) {
    l.track.finish();
    l.track.add(between);
  }
  if (beside) {
    l.track.finish();
    const Call out = exchange(l, TokenWay::Dispatch), back = exchange(l, TokenWay::Combine);
    l.track.wait(back);
    if (out.index != back.index)
      l.track.wait(out);
    l.track.add(total - joined);
  }
  if (withExperts && !expertsFirst)
    experts(l, between);
  l.track.finish();
  return drawn(std::move(l.track.segments), plan, part.layerClass);
}

/// Two blocks a layer, each with one all-reduce either way; with sequence parallelism an all-gather
/// and a reduce-scatter, and backward one more gather of the input, for the weight gradient, unless
/// it was kept.
void LayerLowering::tensorBlocks(Layer& l, double blocks, std::uint64_t portion) const {
  const OperatorSum& t = l.time;
  // Cut in t pieces that alternate with the products they feed: the first piece shows. Backward
  // those are the products of the weights' gradients; no kernel hides two collectives.
  const double perCollective = 1 / (blocks * (d.sequenceParallel ? 2 : 1));
  const std::uint64_t products =
      l.backward() ? positive(l.split ? 0 : t.weightKernels * perCollective)
                   : positive((t.forward - t.idleForward - t.attention) * perCollective);
  const std::vector<TensorExchange>& stated = l.layerClass.stated.tensor;
  const double bytes = stated.empty() ? hidden : d.tokens * real(stated.front().bytes);
  // What is gathered has been cast for the products that read it; sums are in 16 bits.
  const double cast = stated.empty() ? std::min(1.0, real(bitsOf(d.compute)) / 16) : 1;
  std::optional<Call> gather, sum; // each of one kind
  const auto made = [&](CollectiveKind kind) {
    const bool gathers = kind == CollectiveKind::AllGather;
    std::optional<Call>& call = gathers ? gather : sum;
    if (!call)
      call = l.calls.call(kind, CollectivePurpose::TensorActivation, *tensor,
                          gathers ? cast * bytes : bytes);
    return *call;
  };
  const auto collective = [&](CollectiveKind kind, bool alternates = true) {
    if (plan.layout.overlap.tensor && alternates)
      l.track.beside(made(kind), Stream::Tensor, d.tensor, products, true);
    else
      l.track.blocking(made(kind), Stream::Tensor, l.hostAhead);
  };
  const bool hides = plan.layout.overlap.tensor;
  // What follows the last product of a recomputation that stops before it.
  const bool stops = l.pass == Pass::Recomputation && stopsEarly(plan.model, l.layerClass, d);
  for (double block = 0; block < blocks; ++block) {
    if (d.sequenceParallel)
      collective(CollectiveKind::AllGather);
    // This gather has no product waiting for it but the weight gradient's.
    if (d.sequenceParallel && l.backward() && !d.keepGathered)
      l.track.beside(made(CollectiveKind::AllGather), Stream::Tensor, 0,
                     positive((t.inputKernels - t.attentionBackward) / std::max(1.0, blocks)),
                     true);
    if (!hides)
      l.track.compute(portion);
    if (!stops || block + 1 < blocks)
      collective(d.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce,
                 !(l.backward() && d.calls.stacked && readTwice(l.layerClass, block == 0)));
  }
}

/// Computation with nothing inside.
void LayerLowering::whole(const ChunkPart& part, bool split, PassSegments& out) const {
  out.forward.reserve(3), out.backward.reserve(3); // with a call on either side
  const auto compute = [&](double seconds, std::vector<Segment>& to) {
    Segment s;
    s.part = part.part, s.time = toPicoseconds(seconds);
    if (s.time > 0)
      to.push_back(s);
  };
  compute(part.time.forward, out.forward);
  compute(part.time.backwardInput, out.backward);
  compute(part.time.backwardWeight, split ? out.weight : out.backward);
}

Segment LayerLowering::activations(CollectiveKind kind, Calls& calls) const {
  return blockingCall(calls.call(kind, CollectivePurpose::TensorActivation, *tensor, hidden),
                      Stream::Tensor);
}

PassSegments LayerLowering::of(GatheredMessages messages, Calls& calls) const {
  PassSegments out;
  if (messages.activations)
    out.forward.push_back(activations(CollectiveKind::AllGather, calls));
  if (messages.gradients)
    out.backward.push_back(activations(CollectiveKind::AllGather, calls));
  if (backwardPasses == BackwardPasses::Mixed)
    out.whole = out.backward;
  return out;
}

/// The vocabulary is split over tensor: the embedding gives partial sums.
void LayerLowering::embeddingCalls(Calls& calls, PassSegments& out) const {
  out.forward.push_back(activations(
      d.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce, calls));
  if (d.sequenceParallel)
    out.backward.insert(out.backward.begin(), activations(CollectiveKind::AllGather, calls));
}

/// A head needs its whole input, and gives partial sums of that input's gradient.
void LayerLowering::headCalls(Calls& calls, PassSegments& out) const {
  if (d.sequenceParallel)
    out.forward.insert(out.forward.begin(), activations(CollectiveKind::AllGather, calls));
  out.backward.push_back(activations(
      d.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce, calls));
}
