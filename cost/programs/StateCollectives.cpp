//===- StateCollectives.cpp - Collectives of gradients and sharded parameters -----------------===//
#include "cost/programs/StateCollectives.h"
#include "cost/compute/GatheredParameters.h"
#include "cost/compute/OperatorTime.h"
#include "cost/programs/Compression.h"
#include "ir/Arithmetic.h"
#include "ir/Limits.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
class StateLowering {
public:
  StateLowering(const Plan& plan, const Chunk& chunk, const StateGroups& groups,
                CollectiveBuilder& collectives)
      : plan(plan), layout(plan.layout), chunk(chunk), groups(groups), collectives(collectives),
        layers(std::max<double>(1, real(chunk.layers))) {}

  /// Sets the number of layers whose gradients are reduced together: those that fit in a bucket, if
  /// gradients are summed over the step.
  void join(double parameters) {
    if (layout.gradientBucket < leastBucket || layout.shard.stage() > 1 || parameters <= 0)
      return;
    // Reductions to an owner rank are not joined, nor those that flat copies already join.
    if (layout.communication().owners || (layout.buffers.flatUpdate && !overlaps()))
      return;
    const double fit = std::floor(real(layout.gradientBucket) / bytesOf(parameters / layers));
    together = std::max(1.0, std::min({together > 0 ? together : layers, fit, layers}));
  }

  /// Reduces the gradients of trained parameters, and gathers the parameters that are sharded.
  void write(StateCollectives& state, const UsedParameters& of, ParameterSet part,
             std::optional<GroupId> group) {
    const double each = std::max(1.0, together), whole = std::floor((layers - 1) / each),
                 left = layers - whole * each;
    state.layers = static_cast<std::uint64_t>(each), state.full = static_cast<std::uint64_t>(whole);
    const double parameters = of.trained;
    if (group && layout.shard.stage() > 0)
      gathers(state, *group, of);
    if (group && layout.shard.stage() > 1)
      momentum(*group, of.matrixMomentum);
    const bool alike = left == each;
    if (parameters > 0) {
      state.reduce = reductions(state, parameters, part, group, each, alike ? whole + 1 : whole);
      state.last = alike ? state.reduce : reductions(state, parameters, part, group, left, 1);
    }
    crossings(state, of, group ? real(plan.groups[*group].size) : 1);
  }

  /// Gathers the momentum of matrices that are orthogonalized whole, in 16 bits (arXiv 2502.16982,
  /// section 2.3), before the update.
  void momentum(GroupId group, double elements) {
    if (elements > 0)
      collectives.atStepEnd(CollectiveKind::AllGather, CollectivePurpose::MomentumGather, group,
                            elements * 2 / layers, layers);
  }

  /// Gathers the momentum of matrices that tensor ranks divide, in fp32 (newton_schulz_tp of
  /// Emerging-Optimizers, which Megatron-LM at d98e8a64 calls). With a sharded optimizer state a
  /// rank has the momentum of its share of the matrices.
  void tensorMomentum(const UsedParameters& of, Axis axis) {
    const std::optional<GroupId> group = of.gathered > 0 ? groupWith(plan, {axis}) : std::nullopt;
    if (!group)
      return;
    const bool experts = axis == Axis::ExpertTensor;
    const double share =
        layout.shard.stage() == 1 ? real(experts ? plan.expertStateRanks() : plan.stateRanks()) : 1;
    collectives.atStepEnd(CollectiveKind::AllGather, CollectivePurpose::MomentumGather, *group,
                          of.gathered * real(plan.groups[*group].size) * 4 / share / layers,
                          layers);
  }

private:
  double bytesOf(double elements) const {
    return elements * real(bitsOf(layout.precision.reduce)) / 8;
  }

  /// Sets the transfer times of a rank's shard of the parameters.
  void crossings(StateCollectives& state, const UsedParameters& of, double ways) {
    const Offload offload = layout.offloadSettings();
    const auto crossing = [&](double bits) {
      return toPicoseconds(bits / ways / real(hostLinkOf(plan, chunk.rank).bandwidth));
    };
    if (offload.parameters)
      state.fetched = crossing(of.weightBits(layout, real(bitsOf(layout.precision.parameters))));
    if (offload.gradients && !sumsWhole(plan))
      state.offloaded = crossing(of.trained * real(bitsOf(layout.precision.gradients)));
  }

  /// Makes the reductions of `joined` layers, which run `times` times.
  StateCollectives::StateReductions reductions(StateCollectives& state, double parameters,
                                               ParameterSet part, std::optional<GroupId> group,
                                               double joined, double times) {
    StateCollectives::StateReductions made;
    const unsigned stage = layout.shard.stage();
    const double bytes = bytesOf(parameters);
    const bool every = layout.shard.gradients == ShardAxis::Data && !sumsWhole(plan) &&
                       (stage == 3 || plan.mesh.microBatches > 1);
    if (group)
      made.shares =
          reduction(state, stage > 0 ? CollectiveKind::ReduceScatter : CollectiveKind::AllReduce,
                    *group, {part, bytes / layers, 1, false, joined, times},
                    stage > 0 && every ? MicroBatchSelection::Every : MicroBatchSelection::Last);
    const double ways = group ? real(plan.groups[*group].size) : 1;
    if (groups.replica)
      made.replicas = reduction(state, CollectiveKind::AllReduce, *groups.replica,
                                {part, bytes / ways / layers, ways, true, joined, times},
                                MicroBatchSelection::Last);
    return made;
  }

  /// Gradients of `layers` layers. Each is divided into `ways` shards of `each` bytes, and this is
  /// one shard.
  struct Gradients {
    ParameterSet parameterSet;
    double each, ways;
    bool betweenReplicas;
    double layers, times;
  };

  std::optional<StateCollectives::StateCollective> reduction(StateCollectives& state,
                                                             CollectiveKind kind, GroupId group,
                                                             const Gradients& of,
                                                             MicroBatchSelection when) {
    const double bytes = of.each * of.layers;
    const double pieces = bucketsOf(kind, group, bytes, of.layers);
    if (!compresses(plan, of.betweenReplicas))
      return issued(kind, group, bytes, pieces, of.times, when);
    ReducedGradients gradients =
        gradientsOf(plan, chunk, of.parameterSet, of.each / bytesOf(1), of.ways).times(of.layers);
    gradients.kind = kind, gradients.ranks = real(plan.groups[group].size);
    const CompressedReduction made = compressed(
        plan, gradients,
        pacingDevices(plan, plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(chunk.rank)]));
    state.coding = toPicoseconds(made.coding / of.layers), state.coded = when;
    std::optional<StateCollectives::StateCollective> at;
    for (const ReductionCollective& by : made.collectives) {
      const auto next = issued(by.kind, group, by.bytes, pieces, of.times, when);
      if (at)
        at->follower = next->collective;
      else
        at = next;
    }
    return at;
  }

  /// Launches `pieces` collectives. Reductions of every micro-batch run in the stage programs; a
  /// reduction per step runs there only if it is overlapped.
  std::optional<StateCollectives::StateCollective> issued(CollectiveKind kind, GroupId group,
                                                          double bytes, double pieces, double times,
                                                          MicroBatchSelection when) {
    // Gradients that are summed unsharded are scattered after the last backward pass.
    const bool beside = overlaps();
    if (when == MicroBatchSelection::Every || beside)
      return {{collectives.inAction(kind, CollectivePurpose::GradientReduce, group, bytes / pieces),
               when, !beside, false, static_cast<std::uint64_t>(pieces), hostChecksOf(plan, group),
               std::nullopt}};
    atStepEnd(kind, CollectivePurpose::GradientReduce, group, bytes / pieces, times * pieces);
    return std::nullopt;
  }

  bool overlaps() const { return layout.overlap.gradients && !sumsWhole(plan); }

  /// Adds `count` collectives at the end of the step; with flat copies they are one.
  void atStepEnd(CollectiveKind kind, CollectivePurpose purpose, GroupId group, double bytes,
                 double count) {
    const double flat = layout.buffers.flatUpdate ? count : 1;
    collectives.atStepEnd(kind, purpose, group, bytes * flat, count / flat);
  }

  /// Number of collectives that reduce the gradients of the joined layers. Tensors are not divided,
  /// and a layer has four large ones: two of attention and two of the feed-forward part.
  double bucketsOf(CollectiveKind kind, GroupId group, double bytes, double joinedLayers) {
    if (kind == CollectiveKind::ReduceScatter && layout.communication().owners)
      return owned(group);
    if (layout.gradientBucket < leastBucket)
      return 1;
    return std::clamp(std::ceil(bytes / real(layout.gradientBucket)), 1.0, 4 * joinedLayers);
  }

  /// Number of collectives of a layer if each tensor has an owner rank. One of them costs about as
  /// much as the share of a ring collective. A layer has seven tensors: two of attention, three of
  /// a gated feed-forward part and two norms.
  double owned(GroupId group) const {
    return std::ceil(std::min(7.0, real(plan.groups[group].size) / layers));
  }

  void gathers(StateCollectives& state, GroupId group, const UsedParameters& of) {
    const Precision& p = layout.precision;
    const bool sharded = layout.shard.stage() == 3, beside = layout.overlap.parameters;
    // Sharded parameters are cast to the narrower compute type before the all-gather.
    const double stored = real(bitsOf(p.parameters)) / 8;
    const double width = sharded ? std::min(stored, activationBytes(p.compute)) : stored;
    // Frozen weights are gathered as they are stored, and only where they are sharded.
    const double bytes =
        (sharded ? of.weightBits(layout, 8 * width) / 8 : of.trained * width) / layers;
    if (bytes == 0)
      return;
    const auto call = [&] {
      return collectives.inAction(CollectiveKind::AllGather, CollectivePurpose::ParameterGather,
                                  group, bytes);
    };
    const std::uint64_t host = hostChecksOf(plan, group);
    if (!sharded && layout.communication().owners)
      return atStepEnd(CollectiveKind::AllGather, CollectivePurpose::ParameterGather, group,
                       bytes / owned(group), layers * owned(group));
    if (!sharded && !beside) // updated parameters, before the next step begins
      return atStepEnd(CollectiveKind::AllGather, CollectivePurpose::ParameterGather, group, bytes,
                       layers);
    if (!sharded) {
      // Updated parameters are ready when the step begins; its first forward passes overlap with
      // the gathers.
      state.gather = {call(), MicroBatchSelection::First, false, true, 1, host, std::nullopt};
      return;
    }
    // Parameters that are not resharded after the forward pass are gathered once per step.
    const MicroBatchSelection when =
        layout.shard.reshard ? MicroBatchSelection::Every : MicroBatchSelection::First;
    state.gather = {call(), when, !beside, false, 1, host, std::nullopt};
    if (layout.shard.reshard)
      state.gatherBackward = {call(),      MicroBatchSelection::Every, !beside, false, 1, host,
                              std::nullopt};
  }

  const Plan& plan;
  const Layout& layout;
  const Chunk& chunk;
  const StateGroups& groups;
  CollectiveBuilder& collectives;
  double layers;
  double together = 0; ///< layers per bucket; 0 means one
};
} // namespace

StateGroups dpl::cost::stateGroups(const Plan& plan) {
  const bool whole = plan.layout.shard.stage() == 0; // replicas are in the same group
  const auto with = [&](llvm::SmallVector<Axis, 4> axes) {
    if (whole)
      axes.push_back(Axis::Replica);
    return groupWithStageReplicas(plan, axes);
  };
  StateGroups groups;
  groups.dense = with({Axis::Data, Axis::Context});
  if (!plan.mesh.expertAxes.empty())
    groups.experts = with({Axis::ExpertData});
  if (!whole)
    groups.replica = groupWith(plan, {Axis::Replica});
  return groups;
}

std::vector<StateCollectives> dpl::cost::stateCollectives(const Plan& plan, const Chunk& chunk,
                                                          const ChunkCost& cost,
                                                          const StateGroups& groups,
                                                          CollectiveBuilder& collectives) {
  const bool grid = !plan.mesh.expertAxes.empty();
  const UsedParameters dense = usedParameters(plan.layout, cost, 0),
                       experts = usedParameters(plan.layout, cost, 1),
                       all = allParameters(plan.layout, cost);
  StateLowering lowering(plan, chunk, groups, collectives);
  std::vector<StateCollectives> made;
  made.reserve(grid ? 2 : 1);
  lowering.join(grid ? dense.trained : all.trained);
  if (grid)
    lowering.join(experts.trained);
  if (const UsedParameters& of = grid ? dense : all; of.all > 0)
    lowering.write(made.emplace_back(), of, grid ? ParameterSet::Dense : ParameterSet::All,
                   groups.dense);
  if (grid && experts.all > 0)
    lowering.write(made.emplace_back(), experts, ParameterSet::Experts, groups.experts);
  lowering.tensorMomentum(dense, Axis::Tensor);
  lowering.tensorMomentum(experts, Axis::ExpertTensor);
  return made;
}

void dpl::cost::embeddingGradient(const Plan& plan, const Chunk& chunk,
                                  CollectiveBuilder& collectives) {
  const FineTuning* tuning = plan.layout.fineTuningOrNull();
  if (!plan.model.tiedEmbeddings || chunk.embedding == chunk.head ||
      (tuning && tuning->freezes(ModelPart::Embedding)))
    return;
  const std::optional<GroupId> ends = groupNamed(plan, "embedding");
  if (!ends || plan.groups[*ends].size < 2)
    return;
  const Division d = divisionOf(plan);
  collectives.atStepEnd(CollectiveKind::AllReduce, CollectivePurpose::EmbeddingGradient, *ends,
                        real(d.vocab) / real(d.tensor) * real(plan.model.hidden) *
                            real(bitsOf(plan.layout.precision.reduce)) / 8,
                        1);
}
