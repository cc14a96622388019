//===- PlaceLayers.cpp - Placement of ranks and layers for a plan that is not legal -----------===//
#include "passes/PlaceLayers.h"
#include "cost/legality/Legality.h"
#include "passes/Passes.h"
#include "llvm/ADT/SmallVector.h"
#include <numeric>

using namespace dpl;
using ir::Axis;

namespace {
bool fillsTheCluster(const ir::Plan& plan) {
  llvm::SmallVector<std::uint64_t, 8> sizes;
  for (const ir::MeshAxis& axis : plan.mesh.axes)
    sizes.push_back(axis.size);
  return !sizes.empty() && cost::product(sizes) == plan.cluster.devices() &&
         plan.mesh.microBatches > 0;
}

/// Whether layers divide over tensor ranks and stages. `balanced` is excluded, because it would
/// have to run the schedule.
bool divides(const ir::Plan& plan) {
  const ir::Layout& layout = plan.layout;
  const std::vector<std::uint64_t>& list = layout.splitLayers;
  if (layout.split == ir::SplitKind::Balanced ||
      (layout.split == ir::SplitKind::Listed &&
       std::accumulate(list.begin(), list.end(), std::uint64_t{0}) != plan.model.layers()))
    return false;
  const auto size = [&](Axis axis) { return static_cast<std::uint32_t>(plan.mesh.size(axis)); };
  cost::Point point;
  point.replica = size(Axis::Replica), point.pipeline = size(Axis::Pipeline);
  point.data = size(Axis::Data), point.context = size(Axis::Context);
  point.tensor = size(Axis::Tensor), point.expert = size(Axis::Expert);
  point.expertTensor = size(Axis::ExpertTensor);
  point.microBatch = static_cast<std::uint32_t>(layout.microBatch);
  point.sequenceParallel = layout.shard.sequence == ir::ShardAxis::Tensor;
  const cost::LegalityFacts facts(plan.model, plan.cluster, layout);
  return cost::brokenByLayers(facts, point) == cost::Rule::None &&
         cost::brokenBySplit(facts, point.pipeline) == cost::Rule::None;
}
} // namespace

bool dpl::placeLayers(ir::Plan& plan) {
  DiagnosticEngine silent;
  return fillsTheCluster(plan) && divides(plan) &&
         createPlaceRanksPass()->run(plan, silent).succeeded() &&
         createPartitionLayersPass()->run(plan, silent).succeeded();
}
