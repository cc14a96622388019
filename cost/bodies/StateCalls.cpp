//===- StateCalls.cpp - Gradients and sharded parameters over the data axes -------------------===//
#include "cost/bodies/StateCalls.h"
#include "ir/Arithmetic.h"
#include <algorithm>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
class Lowering {
public:
  Lowering(const Plan& plan, std::size_t chunk, Calls& calls)
      : plan(plan), layout(plan.layout), calls(calls),
        layers(std::max<double>(1, real(plan.chunks[chunk].layers))) {}

  StateCalls of(double parameters, std::vector<Axis> axes) {
    StateCalls state;
    const unsigned stage = layout.shard.stage();
    const double gradients = parameters * real(bitsOf(layout.precision.reduce)) / 8;
    if (stage == 0)
      axes.insert(axes.begin(), Axis::Replica);
    const std::optional<std::uint64_t> group = groupWith(plan, axes);
    if (group && stage > 0) {
      gathers(state, *group, parameters);
      const bool every =
          layout.shard.gradients == ShardAxis::Data && (stage == 3 || plan.mesh.microBatches > 1);
      state.reduce = reduction(CollectiveKind::ReduceScatter, *group, gradients,
                               every ? When::Every : When::Last);
    } else if (group) {
      state.reduce = reduction(CollectiveKind::AllReduce, *group, gradients, When::Last);
    }
    const double ways = group ? real(plan.groups[*group].size) : 1;
    if (const auto replica = groupWith(plan, {Axis::Replica}); replica && stage > 0)
      state.reduceReplicas =
          reduction(CollectiveKind::AllReduce, *replica, gradients / ways, When::Last);
    return state;
  }

private:
  /// Those of every micro-batch run in the bodies; one of the step where it runs beside them.
  std::optional<StateCalls::At> reduction(CollectiveKind kind, std::uint64_t group, double bytes,
                                          When when) {
    const bool beside = layout.overlap.gradients;
    if (when == When::Every || beside)
      return {{calls.call(kind, CollectivePurpose::GradientReduce, group, bytes / layers), when,
               !beside, false}};
    calls.atEnd(kind, CollectivePurpose::GradientReduce, group, bytes / layers, layers);
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
  Calls& calls;
  double layers; ///< buckets: one a layer
};
} // namespace

std::vector<StateCalls> dpl::cost::stateCalls(const Plan& plan, std::size_t chunk, Calls& calls) {
  const ChunkCost& cost = plan.costs[chunk];
  const bool grid = !plan.mesh.expertAxes.empty();
  const double dense = real(cost.parameters), experts = real(cost.expertParameters);
  Lowering lowering(plan, chunk, calls);
  std::vector<StateCalls> all;
  if (const double parameters = dense + (grid ? 0 : experts); parameters > 0)
    all.push_back(lowering.of(parameters, {Axis::Data, Axis::Context}));
  if (grid && experts > 0)
    all.push_back(lowering.of(experts, {Axis::ExpertData}));
  return all;
}
