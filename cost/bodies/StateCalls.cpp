//===- StateCalls.cpp - Gradients and sharded parameters over the data axes -------------------===//
#include "cost/bodies/StateCalls.h"
#include "cost/memory/RankMemory.h"
#include "ir/Arithmetic.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
class Lowering {
public:
  Lowering(const Plan& plan, const Chunk& chunk, const StateGroups& groups, CallMaker& calls)
      : plan(plan), layout(plan.layout), groups(groups), calls(calls),
        layers(std::max<double>(1, real(chunk.layers))) {}

  StateCalls of(double parameters, std::optional<std::uint64_t> group) {
    StateCalls state;
    const unsigned stage = layout.shard.stage();
    const double gradients = parameters * real(bitsOf(layout.precision.reduce)) / 8;
    if (group && stage > 0) {
      gathers(state, *group, parameters);
      const bool every = layout.shard.gradients == ShardAxis::Data && !sumsWhole(plan) &&
                         (stage == 3 || plan.mesh.microBatches > 1);
      state.reduce = reduction(CollectiveKind::ReduceScatter, *group, gradients,
                               every ? When::Every : When::Last);
    } else if (group) {
      state.reduce = reduction(CollectiveKind::AllReduce, *group, gradients, When::Last);
    }
    const double ways = group ? real(plan.groups[*group].size) : 1;
    if (groups.replica)
      state.reduceReplicas =
          reduction(CollectiveKind::AllReduce, *groups.replica, gradients / ways, When::Last);
    return state;
  }

private:
  /// Those of every micro-batch run in the bodies; one of the step where it runs beside them.
  std::optional<StateCalls::At> reduction(CollectiveKind kind, std::uint64_t group, double bytes,
                                          When when) {
    // What was summed whole is scattered when the last pass has ended.
    const bool beside = layout.overlap.gradients && !sumsWhole(plan);
    const double layer = bytes / layers;
    const double pieces =
        layout.gradientBucket > 0 ? std::ceil(layer / real(layout.gradientBucket)) : 1;
    if (when == When::Every || beside)
      return {{calls.call(kind, CollectivePurpose::GradientReduce, group, layer / pieces), when,
               !beside, false, static_cast<std::uint64_t>(pieces)}};
    calls.atEnd(kind, CollectivePurpose::GradientReduce, group, layer / pieces, layers * pieces);
    return std::nullopt;
  }

  void gathers(StateCalls& state, std::uint64_t group, double parameters) {
    const Precision& p = layout.precision;
    const bool sharded = layout.shard.stage() == 3, beside = layout.overlap.parameters;
    // Sharded parameters may be wider than what computes: they are gathered in the narrower type.
    const double stored = real(bitsOf(p.parameters)) / 8;
    const double width = sharded ? std::min(stored, activationBytes(p.compute)) : stored;
    const double bytes = parameters * width / layers;
    const auto call = [&] {
      return calls.call(CollectiveKind::AllGather, CollectivePurpose::ParameterGather, group,
                        bytes);
    };
    if (!sharded && !beside) // new parameters, before the next step begins
      return calls.atEnd(CollectiveKind::AllGather, CollectivePurpose::ParameterGather, group,
                         bytes, layers);
    if (!sharded) {
      // New parameters are ready when the step begins; its first passes run beside the gathers.
      state.gather = {call(), When::First, false, true};
      return;
    }
    // Kept after the forward pass, they are gathered once a step.
    const When when = layout.shard.reshard ? When::Every : When::First;
    state.gather = {call(), when, !beside, false};
    if (layout.shard.reshard)
      state.gatherAgain = {call(), When::Every, !beside, false};
  }

  const Plan& plan;
  const Layout& layout;
  const StateGroups& groups;
  CallMaker& calls;
  double layers; ///< buckets: one a layer
};
} // namespace

StateGroups dpl::cost::stateGroups(const Plan& plan) {
  const bool whole = plan.layout.shard.stage() == 0; // replicas are reduced with the others
  const auto with = [&](std::vector<Axis> axes) {
    if (whole)
      axes.insert(axes.begin(), Axis::Replica);
    return groupWithCopies(plan, axes);
  };
  StateGroups groups;
  groups.dense = with({Axis::Data, Axis::Context});
  if (!plan.mesh.expertAxes.empty())
    groups.experts = with({Axis::ExpertData});
  if (!whole)
    groups.replica = groupWith(plan, {Axis::Replica});
  return groups;
}

llvm::SmallVector<StateCalls, 2> dpl::cost::stateCalls(const Plan& plan, const Chunk& chunk,
                                                       const ChunkCost& cost,
                                                       const StateGroups& groups,
                                                       CallMaker& calls) {
  const bool grid = !plan.mesh.expertAxes.empty();
  const double dense = real(cost.parameters), experts = real(cost.expertParameters);
  Lowering lowering(plan, chunk, groups, calls);
  llvm::SmallVector<StateCalls, 2> all;
  if (const double parameters = dense + (grid ? 0 : experts); parameters > 0)
    all.push_back(lowering.of(parameters, groups.dense));
  if (grid && experts > 0)
    all.push_back(lowering.of(experts, groups.experts));
  return all;
}

void dpl::cost::embeddingGradient(const Plan& plan, const Chunk& chunk, CallMaker& calls) {
  const std::optional<std::uint64_t> ends = groupNamed(plan, "embedding");
  const Division d = divisionOf(plan);
  if (ends && plan.groups[*ends].size > 1 && plan.model.tiedEmbeddings &&
      chunk.embedding != chunk.head)
    calls.atEnd(CollectiveKind::AllReduce, CollectivePurpose::EmbeddingGradient, *ends,
                real(d.vocab) / real(d.tensor) * real(plan.model.hidden) *
                    real(bitsOf(plan.layout.precision.reduce)) / 8,
                1);
}
