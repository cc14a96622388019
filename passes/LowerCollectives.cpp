//===- LowerCollectives.cpp - Which collectives each axis brings ------------------------------===//
//
// What a layer communicates in one micro-batch is charged to the forward and backward time of its
// chunk, less what hides behind computation. Reductions and gathers of a step stay entries of their
// own; schedule-pipeline, which knows when gradients are ready, says what of them is exposed.
#include "ir/Arithmetic.h"
#include "passes/CollectiveBuilder.h"
#include "passes/Passes.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// Relies on: groups of every axis subset that communicates (build-groups), one cost a chunk.
class Lowering {
public:
  explicit Lowering(Plan& plan)
      : plan(plan), d(divisionOf(plan)), tensor(groupWith(plan, {Axis::Tensor})),
        context(groupWith(plan, {Axis::Context})), expert(groupWith(plan, {Axis::Expert})),
        expertTensor(groupWith(plan, {Axis::ExpertTensor})),
        hidden(d.tokens * real(plan.model.hidden) * activationBytes(d.compute)) {
    for (const HeldRanks& ranks : plan.mesh.held)
      held.push_back({pacingDevices(plan, ranks), {}, {}});
    for (const LayerClass& c : plan.model.classes) {
      const std::vector<OperatorCost> operators = operatorsOf(plan.model, c, d);
      for (Held& on : held)
        on.times.push_back(sumOf(operators, on.devices, plan.layout.recompute, false));
    }
    if (plan.model.predictionLayers > 0)
      for (Held& on : held)
        on.prediction = predictionLayer(on);
  }

  void run() {
    for (std::size_t i = 0; i < plan.chunks.size(); ++i) {
      const Chunk& chunk = plan.chunks[i];
      const Held& on = held[plan.mesh.heldIndex(chunk.rank)];
      CollectiveBuilder b(plan, chunk, contentionOf(on.devices));
      std::uint64_t again = recomputedLayers(plan.layout.recompute, chunk.layers);
      for (const LayerSpan& span : layersOf(plan.model, chunk.firstLayer, chunk.layers)) {
        const std::uint64_t recomputed = std::min(again, span.count);
        again -= recomputed;
        lowerLayers(b, plan.model.classes[span.layerClass], on.times[span.layerClass],
                    real(span.count), real(recomputed));
      }
      if (chunk.predictionLayers > 0)
        lowerLayers(b, plan.model.classes[plan.model.runs.back().layerClass], on.prediction,
                    real(chunk.predictionLayers), 0);
      lowerEnds(b, chunk);
      lowerState(b, i);
      lowerPipeline(b, i);
      b.store(plan.costs[i]);
    }
  }

private:
  /// The pipeline ranks that the same classes of nodes hold: the time of each class of layers.
  struct Held {
    std::vector<Device> devices;
    std::vector<OperatorSum> times;
    OperatorSum prediction; ///< of the layer inside a prediction layer
  };

  /// The layer inside a prediction layer: its kernels, and what the host leaves idle in the pass of
  /// the whole, which has a joining projection and a head besides.
  OperatorSum predictionLayer(const Held& on) const {
    const std::uint64_t last = plan.model.runs.back().layerClass;
    std::vector<OperatorCost> operators = operatorsOf(plan.model, plan.model.classes[last], d);
    for (const std::vector<OperatorCost>& more :
         {predictionOperators(plan.model, d), headOperators(plan.model, d)})
      operators.insert(operators.end(), more.begin(), more.end());
    const OperatorSum whole = sumOf(operators, on.devices, {}, false);
    OperatorSum layer = on.times[last];
    const double backward = layer.backwardInput + layer.backwardWeight;
    const double scale =
        backward > 0 ? 1 + (whole.idleBackward - layer.idleBackward) / backward : 1;
    layer.forward += whole.idleForward - layer.idleForward;
    layer.backwardInput *= scale, layer.backwardWeight *= scale;
    layer.idleForward = whole.idleForward, layer.idleBackward = whole.idleBackward;
    return layer;
  }

  void lowerLayers(CollectiveBuilder& b, const LayerClass& c, const OperatorSum& time,
                   double layers, double recomputed) {
    const bool attention = c.attention.kind != AttentionKind::None;
    const bool routed = c.feedForward.kind == FeedForwardKind::Experts;
    const bool dense = c.feedForward.kind == FeedForwardKind::Plain ||
                       c.feedForward.kind == FeedForwardKind::Gated ||
                       (routed && c.feedForward.shared > 0);
    const PerPass before = b.shown();
    b.enter({time.idleForward * layers, time.idleBackward * layers, time.idleForward * recomputed});
    if (tensor && !plan.model.isLayerList())
      lowerTensor(b, (attention ? 1 : 0) + (dense ? 1 : 0), time, layers, recomputed);
    if (context && attention)
      lowerContext(b, c.attention, time, layers, recomputed);
    if (routed)
      lowerExperts(b, c.feedForward, time, layers, recomputed, before);
  }

  /// Two blocks a layer, each with one all-reduce either way; with sequence parallelism an
  /// all-gather and a reduce-scatter, and backward one more gather of the input, for the weight
  /// gradient.
  void lowerTensor(CollectiveBuilder& b, double blocks, const OperatorSum& time, double layers,
                   double recomputed) {
    const double t = real(d.tensor), n = layers * blocks, again = recomputed * blocks;
    // Kernels of the backward pass without what the host makes it wait.
    const double whole = time.backwardInput + time.backwardWeight;
    const double kernels = whole > 0 ? 1 - time.idleBackward / whole : 0;
    Hiding hiding;
    if (plan.layout.overlap.tensor && blocks > 0) {
      // Cut in t pieces that alternate with the products they feed: the first piece shows. Backward
      // those are the products of the weights' gradients; no kernel hides two collectives.
      const double perCollective = 1 / (blocks * (d.sequenceParallel ? 2 : 1));
      const double forward = (time.forward - time.idleForward - time.attention) * perCollective;
      hiding = {{forward, time.backwardWeight * kernels * perCollective, forward}, 1 / t, true};
    }
    if (d.sequenceParallel) {
      b.add(CollectiveKind::AllGather, CollectivePurpose::TensorActivation, *tensor, hidden,
            {n, n, again}, hiding);
      b.add(CollectiveKind::ReduceScatter, CollectivePurpose::TensorActivation, *tensor, hidden,
            {n, n, again}, hiding);
      // This gather has no product waiting for it but the weight gradient's.
      b.add(
          CollectiveKind::AllGather, CollectivePurpose::TensorActivation, *tensor, hidden,
          {0, n, 0},
          {{0, (time.backwardInput * kernels - time.attentionBackward) / std::max(1.0, blocks), 0},
           0,
           true});
    } else {
      b.add(CollectiveKind::AllReduce, CollectivePurpose::TensorActivation, *tensor, hidden,
            {n, n, again}, hiding);
    }
  }

  /// Keys and values circulate and hide behind the blocks of core attention; backward twice the
  /// bytes.
  void lowerContext(CollectiveBuilder& b, const Attention& a, const OperatorSum& time,
                    double layers, double recomputed) {
    const double c = real(d.context), t = real(d.tensor);
    const double width = a.kind == AttentionKind::Grouped
                             ? 2 * keyValueHeadsOn(a, d.tensor) * real(a.headDim)
                             : real(a.heads) / t * real(a.nope + a.rope + a.value);
    const double bytes = d.tokens * c * width * 2;
    const double share = (c - 1) / c, forward = time.attention * share;
    const Hiding behind{{forward, time.attentionBackward * share, forward}, 0, true};
    b.add(CollectiveKind::AllGather, CollectivePurpose::ContextKeys, *context, bytes,
          {layers, 0, recomputed}, behind);
    b.add(CollectiveKind::AllGather, CollectivePurpose::ContextKeys, *context, 2 * bytes,
          {0, layers, 0}, behind);
  }

  /// Dispatch and combine, each way; the rows of an expert that is split are gathered and
  /// scattered.
  void lowerExperts(CollectiveBuilder& b, const FeedForward& f, const OperatorSum& time,
                    double layers, double recomputed, const PerPass& before) {
    const Recompute& r = plan.layout.recompute;
    double recompute = time.forward;
    if (r.kind == RecomputeKind::Selective && r.has(Module::Moe))
      recomputed = layers, recompute = time.recompute;
    const double split = real(d.expertTensor);
    const double row = real(plan.model.hidden) * 2, bytes = expertRows(f, d) / split * row;
    // Each way half the layer, with what other collectives add to its pass.
    Hiding hiding;
    if (plan.layout.overlap.experts) {
      const PerPass& now = b.shown();
      const double forward = time.forward + (now.forward - before.forward) / layers;
      const double again =
          recomputed > 0 ? recompute + (now.recompute - before.recompute) / recomputed : 0;
      const double backward = time.forward + (now.backward - before.backward) / layers;
      hiding = {{forward / 2, backward / 2, again / 2}, 0};
    }
    if (expert)
      b.add(CollectiveKind::AllToAll, CollectivePurpose::ExpertTokens, *expert,
            bytes * distinctUnits(plan.groups[*expert], real(f.active)),
            {2 * layers, 2 * layers, 2 * recomputed}, hiding);
    if (expertTensor)
      for (CollectiveKind kind : {CollectiveKind::AllGather, CollectiveKind::ReduceScatter})
        b.add(kind, CollectivePurpose::TensorActivation, *expertTensor, bytes * split,
              {layers, layers, recomputed}, {});
  }

  /// Of the copies of a token, the share that leaves its unit: copies for experts of one unit
  /// travel together and part inside it. Of u units, `active` uniform choices meet u(1 − (1 −
  /// 1/u)^active).
  static double distinctUnits(const Group& group, double active) {
    const std::uint64_t inner = group.inside.empty() ? group.size : group.inside.front();
    const double units = real(group.size / std::max<std::uint64_t>(1, inner));
    return units < 2 || active <= 0 ? 1 : units * (1 - std::pow(1 - 1 / units, active)) / active;
  }

  /// The vocabulary is split over tensor: partial sums of the embedding, and the head's input.
  void lowerEnds(CollectiveBuilder& b, const Chunk& chunk) {
    if (!tensor || plan.model.isLayerList())
      return;
    const CollectiveKind sum =
        d.sequenceParallel ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce;
    const CollectivePurpose purpose = CollectivePurpose::TensorActivation;
    if (chunk.embedding) {
      b.add(sum, purpose, *tensor, hidden, {1, 0, 0}, {});
      if (d.sequenceParallel)
        b.add(CollectiveKind::AllGather, purpose, *tensor, hidden, {0, 1, 0}, {});
    }
    if (chunk.head) {
      const double heads = 1 + real(chunk.predictionLayers);
      b.add(sum, purpose, *tensor, hidden, {0, heads, 0}, {});
      if (d.sequenceParallel)
        b.add(CollectiveKind::AllGather, purpose, *tensor, hidden, {heads, 0, 0}, {});
    }
  }

  /// Gradients and sharded parameters over the data axes; experts over their own.
  void lowerState(CollectiveBuilder& b, std::size_t i) {
    const ChunkCost& cost = plan.costs[i];
    const bool grid = !plan.mesh.expertAxes.empty();
    const double dense = real(cost.parameters), experts = real(cost.expertParameters);
    lowerGroupState(b, i, dense + (grid ? 0 : experts), {Axis::Data, Axis::Context});
    if (grid)
      lowerGroupState(b, i, experts, {Axis::ExpertData});
    const Chunk& chunk = plan.chunks[i];
    const std::optional<std::uint64_t> ends = groupNamed(plan, "embedding");
    if (ends && plan.model.tiedEmbeddings && (chunk.embedding != chunk.head))
      b.addOnce(CollectiveKind::AllReduce, CollectivePurpose::EmbeddingGradient, *ends,
                real(d.vocab) / real(d.tensor) * real(plan.model.hidden) *
                    real(bitsOf(plan.layout.precision.reduce)) / 8,
                1, false);
  }

  void lowerGroupState(CollectiveBuilder& b, std::size_t i, double parameters,
                       std::vector<Axis> axes) {
    if (parameters <= 0)
      return;
    const Layout& l = plan.layout;
    const double gradients = parameters * real(bitsOf(l.precision.reduce)) / 8;
    const double layers = std::max<double>(1, real(plan.chunks[i].layers));
    const unsigned stage = l.shard.stage();
    // Sharded parameters may be wider than what computes: they are gathered in the narrower type.
    const double stored = real(bitsOf(l.precision.parameters)) / 8;
    const double weights =
        parameters * (stage == 3 ? std::min(stored, activationBytes(l.precision.compute)) : stored);
    const std::optional<std::uint64_t> replica = groupWith(plan, {Axis::Replica});
    if (stage == 0)
      axes.insert(axes.begin(), Axis::Replica);
    const std::optional<std::uint64_t> group = groupWith(plan, axes);
    const double ways = group ? real(plan.groups[*group].size) : 1;
    if (stage > 0 && replica)
      b.addOnce(CollectiveKind::AllReduce, CollectivePurpose::GradientReduce, *replica,
                gradients / ways / layers, layers, l.overlap.gradients);
    if (!group)
      return;
    if (stage == 0) {
      b.addOnce(CollectiveKind::AllReduce, CollectivePurpose::GradientReduce, *group,
                gradients / layers, layers, l.overlap.gradients);
      return;
    }
    const ChunkCost& cost = plan.costs[i];
    const PerPass& shown = b.shown();
    // A layer's share of the passes, with what the collectives inside it add.
    const double forward = (toSeconds(cost.forward) + shown.forward) / layers;
    const double backward = (toSeconds(cost.backwardInput + cost.backwardWeight + cost.recompute) +
                             shown.backward + shown.recompute) /
                            layers;
    const double m = real(plan.mesh.microBatches);
    double busy = 0; // of a layer's backward time, taken by the gather before it
    if (stage == 3) {
      const bool again = l.shard.reshard;
      const Hiding behind = l.overlap.parameters ? Hiding{{forward, 0, 0}, 1 / layers} : Hiding{};
      const Hiding behindBackward = l.overlap.parameters ? Hiding{{0, backward, 0}, 0} : Hiding{};
      const double each = again ? layers : layers / m;
      busy = again ? b.add(CollectiveKind::AllGather, CollectivePurpose::ParameterGather, *group,
                           weights / layers, {0, layers, 0}, behindBackward)
                   : 0;
      b.add(CollectiveKind::AllGather, CollectivePurpose::ParameterGather, *group, weights / layers,
            {each, 0, 0}, behind);
    } else {
      b.addOnce(CollectiveKind::AllGather, CollectivePurpose::ParameterGather, *group,
                weights / layers, layers, l.overlap.parameters);
    }
    if (l.shard.gradients == ShardAxis::Data && (stage == 3 || m > 1))
      b.add(CollectiveKind::ReduceScatter, CollectivePurpose::GradientReduce, *group,
            gradients / layers, {0, layers, 0},
            l.overlap.gradients ? Hiding{{0, std::max(0.0, backward - busy), 0}, 1 / layers}
                                : Hiding{});
    else
      b.addOnce(CollectiveKind::ReduceScatter, CollectivePurpose::GradientReduce, *group,
                gradients / layers, layers, l.overlap.gradients);
  }

  /// The activations that a chunk sends on and the gradients that it sends back.
  void lowerPipeline(CollectiveBuilder& b, std::size_t i) {
    const std::optional<std::uint64_t> pipeline = groupWith(plan, {Axis::Pipeline});
    if (!pipeline)
      return;
    const double bytes = boundaryBytes(plan, d);
    const double m = real(plan.mesh.microBatches);
    const Chunk& chunk = plan.chunks[i];
    const Placement::Place at{chunk.rank, chunk.chunk};
    const auto next = plan.placement.next(at), previous = plan.placement.previous(at);
    const auto crosses = [&](const auto& to) { return to && to->rank != chunk.rank; };
    const double sends = (crosses(next) ? 1 : 0) + (crosses(previous) ? 1 : 0);
    if (sends > 0)
      b.addMessage(*pipeline, bytes, sends * m / real(plan.placement.directions()),
                   levelBetween(plan, chunk.rank, (crosses(next) ? next : previous)->rank),
                   plan.layout.overlap.pipeline);
  }

  Plan& plan;
  Division d;
  std::optional<std::uint64_t> tensor, context, expert, expertTensor;
  double hidden;          ///< bytes of one micro-batch's activations between blocks, whole
  std::vector<Held> held; ///< parallel to Mesh::held
};

class LowerCollectives final : public Pass {
public:
  llvm::StringRef name() const override { return "lower-collectives"; }
  LogicalResult run(Plan& plan, DiagnosticEngine&) override {
    plan.collectives.clear();
    Lowering(plan).run();
    return LogicalResult::success();
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createLowerCollectivesPass() {
  return std::make_unique<LowerCollectives>();
}
