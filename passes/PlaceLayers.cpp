//===- PlaceLayers.cpp - Places ranks and layers of a plan that is not legal ------------------===//
#include "cost/legality/Legality.h"
#include "passes/Passes.h"
#include "passes/PlaceRanks.h"
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

/// Whether heads and layers divide over tensor ranks and stages. `balanced` is excluded, because it
/// would execute the schedule.
bool divides(const ir::Plan& plan) {
  const ir::Layout& layout = plan.layout;
  const std::vector<std::uint64_t>& list = layout.splitLayers;
  if (layout.split == ir::SplitKind::Balanced ||
      (layout.split == ir::SplitKind::Listed &&
       std::accumulate(list.begin(), list.end(), std::uint64_t{0}) != plan.model.layers()))
    return false;
  const auto size = [&](Axis axis) { return static_cast<std::uint32_t>(plan.mesh.size(axis)); };
  cost::LayoutCandidate candidate;
  candidate.replica = size(Axis::Replica), candidate.pipeline = size(Axis::Pipeline);
  candidate.data = size(Axis::Data), candidate.context = size(Axis::Context);
  candidate.tensor = size(Axis::Tensor), candidate.expert = size(Axis::Expert);
  candidate.expertTensor = size(Axis::ExpertTensor);
  candidate.microBatch = static_cast<std::uint32_t>(layout.microBatch);
  candidate.sequenceParallel = layout.shard.sequence == ir::ShardAxis::Tensor;
  const cost::LegalityInputs facts(plan.model, plan.cluster, layout);
  return cost::brokenByLayers(facts, candidate) == cost::LegalityRule::None &&
         cost::brokenBySplit(facts, candidate.pipeline) == cost::LegalityRule::None;
}
} // namespace

bool dpl::placeLayers(ir::Plan& plan) {
  DiagnosticEngine silent;
  return fillsTheCluster(plan) && divides(plan) &&
         createPlaceRanksPass()->run(plan, silent).succeeded() &&
         createPartitionLayersPass()->run(plan, silent).succeeded();
}
