//===- PartitionLayers.cpp - Which layers are on which stage and chunk ------------------------===//
#include "passes/PartitionLayers.h"
#include "cost/compute/LayerCost.h"
#include "cost/schedules/Schedule.h"
#include "passes/BalancedSplit.h"
#include "passes/Passes.h"

using namespace dpl;
using ir::Axis;

std::vector<std::uint64_t> dpl::evenSplit(std::uint64_t layers, std::uint64_t embeddingSlots,
                                          std::uint64_t headSlots, std::uint64_t pieces) {
  if (pieces == 1)
    return {layers};
  const std::uint64_t each = (layers + embeddingSlots + headSlots) / pieces;
  std::vector<std::uint64_t> counts(pieces, each);
  counts.front() -= embeddingSlots;
  counts.back() -= headSlots;
  return counts;
}

std::vector<std::uint64_t> dpl::listedSplit(const std::vector<std::uint64_t>& list,
                                            const ir::Placement& placement) {
  if (list.size() == placement.stages())
    return list;
  std::vector<std::uint64_t> counts;
  for (std::uint64_t stage = 0; stage < placement.stages(); ++stage)
    counts.push_back(list[placement.rankOf(stage)] / placement.chunks);
  return counts;
}

std::vector<ir::Chunk> dpl::makeChunks(const ir::Model& model,
                                       const std::vector<std::uint64_t>& layers,
                                       const ir::Placement& placement) {
  std::vector<ir::Chunk> chunks;
  for (std::uint64_t direction = 0; direction < placement.directions(); ++direction) {
    std::uint64_t next = 0;
    for (std::uint64_t stage = 0; stage < placement.stages(); ++stage) {
      const ir::Placement::Place place = placement.placeOf(stage, direction);
      ir::Chunk chunk;
      chunk.rank = place.rank;
      chunk.chunk = place.chunk;
      chunk.firstLayer = next;
      chunk.layers = layers[stage];
      chunk.embedding = stage == 0 && !model.isLayerList();
      next += chunk.layers;
      chunks.push_back(chunk);
    }
    chunks.back().predictionLayers = model.predictionLayers;
    chunks.back().head = !model.isLayerList();
  }
  return chunks;
}

namespace {

double flopOf(const std::vector<cost::OperatorCost>& operators) {
  double flop = 0;
  for (const cost::OperatorCost& op : operators)
    flop += op.forward.flop + op.backwardInput.flop + op.backwardWeight.flop;
  return flop;
}

/// FLOP of a micro-batch, forward and backward: the measure of `balanced`. A prediction layer is a
/// layer like the last one, its projection, and the head again (arXiv 2412.19437, section 2.2).
std::vector<std::uint64_t> balanced(const ir::Plan& plan, std::uint64_t pieces) {
  const ir::Model& model = plan.model;
  const cost::Division division = cost::divisionOf(plan);
  std::vector<double> ofClass;
  for (const ir::LayerClass& c : model.classes)
    ofClass.push_back(flopOf(cost::operatorsOf(model, c, division)));
  std::vector<double> costs;
  for (const ir::LayerRun& run : model.runs)
    costs.insert(costs.end(), run.count, ofClass[run.layerClass]);
  double first = 0, last = 0;
  if (!model.isLayerList()) {
    first = flopOf(cost::embeddingOperators(model, division));
    last = flopOf(cost::headOperators(model, division));
    last += static_cast<double>(model.predictionLayers) *
            (costs.back() + flopOf(cost::predictionOperators(model, division)) + last);
  }
  return balancedSplit(costs, first, last, pieces);
}

/// Relies on: the split is legal (check-layout).
class PartitionLayers final : public Pass {
public:
  llvm::StringRef name() const override { return "partition-layers"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine&) override {
    plan.placement = cost::PipelineShape{plan.layout.schedule, plan.mesh.size(Axis::Pipeline),
                                         plan.layout.chunks, plan.mesh.microBatches}
                         .placement();
    const std::uint64_t pieces = plan.placement.stages();
    std::vector<std::uint64_t> layers;
    switch (plan.layout.split) {
    case ir::SplitKind::Even:
      layers =
          evenSplit(plan.model.layers(), plan.layout.embeddingSlots, plan.layout.headSlots, pieces);
      break;
    case ir::SplitKind::Balanced:
      layers = balanced(plan, pieces);
      break;
    case ir::SplitKind::Listed:
      layers = listedSplit(plan.layout.splitLayers, plan.placement);
      break;
    }
    plan.chunks = makeChunks(plan.model, layers, plan.placement);
    return LogicalResult::success();
  }
};

} // namespace

std::unique_ptr<Pass> dpl::createPartitionLayersPass() {
  return std::make_unique<PartitionLayers>();
}
