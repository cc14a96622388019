//===- PartitionLayers.cpp - Assigns layers to stages and chunks ------------------------------===//
#include "passes/PartitionLayers.h"
#include "cost/legality/Legality.h"
#include "cost/partition/MakeChunks.h"
#include "cost/partition/SplitRun.h"
#include "ir/Arithmetic.h"
#include "passes/BuildGroups.h"
#include "passes/FlopSplit.h"
#include "passes/Passes.h"
#include "passes/Words.h"
#include "support/diagnostics/Layout.h"
#include "llvm/ADT/StringExtras.h"

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

namespace {

constexpr std::uint64_t slotsTried[][2] = {{0, 0}, {1, 1}, {0, 1}, {1, 0}};

/// The possible even splits. The first one has no slots for embedding and head, if that divides
/// evenly.
std::vector<cost::LayerSplit> evenSplits(const ir::Model& model, std::uint64_t pieces) {
  std::vector<cost::LayerSplit> splits;
  for (const auto& [embedding, head] : slotsTried) {
    const std::uint64_t slots = model.layers() + embedding + head;
    if (cost::legal::evenLayers(slots, pieces) && slots >= pieces)
      splits.push_back(evenSplit(model.layers(), embedding, head, pieces));
  }
  return splits;
}

/// Warns about a search that could not evaluate every split, or not with all micro-batches.
void tellCut(const ir::Plan& plan, const cost::SplitRun& run, const cost::ChosenSplit& chosen,
             DiagnosticEngine& diags) {
  const std::uint64_t all = plan.mesh.microBatches;
  std::vector<std::string> cut;
  if (run.microBatches() < all)
    cut.push_back(fmt::format("splits are executed with {} of {}", run.microBatches(),
                              plural(all, "micro-batch")));
  if (run.most() < cost::SplitRun::least)
    cut.push_back(
        fmt::format("{} of {} executed", run.most(), plural(cost::SplitRun::least, "split")));
  const bool byTime = !cut.empty();
  std::string said = llvm::join(cut, ", ");
  if (byTime)
    said += fmt::format("; a step has {} actions, schedules that order actions by their times are "
                        "executed with at most {} of them",
                        plan.placement.stageReplicas() * all, cost::mostActionsByTime);
  else if (!chosen.considersAll)
    said =
        fmt::format("{} of {} in total are too many to compare all splits",
                    plural(plan.placement.stages(), "stage"), plural(plan.model.layers(), "layer"));
  if (said.empty())
    return;
  (void)diags.report<diag::SplitCutShort>(plan.layout.rangeOf("split"), said)
      .label("the best of the splits that were compared")
      .help(byTime
                ? "a larger `micro_batch`, a schedule that does not order actions by their times "
                  "or a list of layers makes the search shorter"
                : "`split = even` or a list of layers needs no search");
}

/// The split for `split = balanced`; writes into `choice` how it was chosen.
cost::LayerSplit balanced(const ir::Plan& plan, std::vector<ir::SplitChoice>& choice,
                          DiagnosticEngine& diags) {
  const std::uint64_t layers = plan.model.layers(), pieces = plan.placement.stages();
  if (pieces == 1)
    return {layers};
  ir::Plan grouped = plan;
  grouped.groups = buildGroups(plan.mesh, plan.placement, plan.cluster);
  cost::SplitRun run(grouped);
  const std::optional<cost::StageCosts> costs = run.costs();
  if (!costs) // a later pass reports why times are not known
    return cost::equalCounts(layers, pieces);
  const std::vector<cost::LayerSplit> even = evenSplits(plan.model, pieces);
  ir::SplitChoice of;
  const cost::ChosenSplit chosen =
      cost::chooseSplit(*costs, even, run.most(), [&](const cost::LayerSplit& split) {
        const std::optional<cost::SplitOutcome> outcome = run.execute(split);
        if (outcome && layers % pieces == 0 && split == even.front())
          of.even = outcome->step;
        return outcome;
      });
  tellCut(plan, run, chosen, diags);
  if (chosen.outcome) {
    of.candidates = chosen.candidates, of.executed = chosen.executed;
    of.step = chosen.outcome->step, of.slowest = chosen.slowest, of.least = chosen.leastSlowest;
    if (chosen.evenest)
      of.leastSlowest = chosen.evenest->step;
    choice.push_back(of);
  }
  return chosen.layers;
}

double flopOf(const std::vector<cost::OperatorCost>& operators) {
  double flop = 0;
  for (const cost::OperatorCost& op : operators)
    flop += op.forward.flop + op.backwardInput.flop + op.backwardWeight.flop;
  return flop;
}

/// The relative speeds of the stages, at most 1: the sustained GEMM rate of the slowest device of
/// each stage, in the layout's compute type.
std::vector<double> speedsOf(const ir::Plan& plan) {
  std::vector<double> speeds(plan.placement.stages(), 1);
  if (plan.cluster.nodeTypes.size() == 1)
    return speeds;
  const ir::DataType type = plan.layout.precision.compute;
  const auto rateOf = [&](std::uint64_t rank) {
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint64_t c :
         plan.mesh.rankNodeTypes[plan.mesh.rankNodeTypesIndex(rank)].nodeTypes) {
      const ir::Device& device = plan.cluster.nodeTypes[c].device;
      least =
          std::min(least, ir::real(device.peakOf(type)) * device.sustainedMatmul * device.speed);
    }
    return least;
  };
  for (std::uint64_t stage = 0; stage < speeds.size(); ++stage) {
    speeds[stage] = rateOf(plan.placement.locationOf(stage).rank);
    for (std::uint64_t direction = 1; direction < plan.placement.directions(); ++direction)
      speeds[stage] =
          std::min(speeds[stage], rateOf(plan.placement.locationOf(stage, direction).rank));
  }
  const double fastest = *std::max_element(speeds.begin(), speeds.end());
  for (double& speed : speeds)
    speed = speed > 0 ? speed / fastest : 1;
  return speeds;
}

/// Splits layers by the FLOP of a forward and backward pass over the speed of each stage. An MTP
/// layer costs as much as a layer like the last one, its projection, and the head (arXiv
/// 2412.19437, section 2.2).
std::vector<std::uint64_t> byFlop(const ir::Plan& plan) {
  const ir::Model& model = plan.model;
  const cost::Division division = cost::divisionOf(plan);
  std::vector<double> ofClass;
  for (const ir::LayerType& c : model.layerTypes)
    ofClass.push_back(flopOf(cost::operatorsOf(model, c, division)));
  std::vector<double> costs;
  for (const ir::LayerRun& run : model.runs)
    costs.insert(costs.end(), run.count, ofClass[run.layerType]);
  double first = 0, last = 0;
  if (!model.isLayerList()) {
    first = flopOf(cost::embeddingOperators(model, division));
    last = flopOf(cost::headOperators(model, division));
    last += static_cast<double>(model.predictionLayers) *
            (costs.back() + flopOf(cost::predictionOperators(model, division)) + last);
  }
  return flopSplit(costs, first, last, speedsOf(plan));
}

/// Splits by GEMM parameters; those of the head count if another stage has its table too. A stage
/// gets layers until the sum so far exceeds its share of the total.
std::vector<std::uint64_t> byParameters(const ir::Plan& plan) {
  const ir::Model& model = plan.model;
  std::vector<double> ofClass;
  double whole = model.isLayerList() ? 0 : ir::real(model.vocab) * ir::real(model.hidden);
  for (const ir::LayerType& c : model.layerTypes) {
    const cost::ParameterCount count = cost::parametersOf(model, c);
    ofClass.push_back(count.dense - count.replicated + count.experts);
  }
  for (const ir::LayerRun& run : model.runs)
    whole += ir::real(run.count) * ofClass[run.layerType];
  const std::uint64_t pieces = plan.placement.stages();
  std::vector<std::uint64_t> layers(pieces, 0);
  double sum = 0;
  std::uint64_t piece = 0;
  for (const ir::LayerRun& run : model.runs)
    for (std::uint64_t i = 0; i < run.count; ++i) {
      ++layers[piece];
      sum += ofClass[run.layerType];
      if (piece + 1 < pieces && sum > whole * (ir::real(piece + 1) / ir::real(pieces)))
        ++piece;
    }
  return layers;
}

/// Splits the layers. Relies on: the split is legal (check-layout).
class PartitionLayers final : public Pass {
public:
  llvm::StringRef name() const override { return "partition-layers"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    plan.placement =
        cost::pipelineOf(plan.layout, plan.mesh.size(Axis::Pipeline), plan.mesh.microBatches)
            .placement();
    plan.splitChoice.clear();
    const std::uint64_t pieces = plan.placement.stages();
    std::vector<std::uint64_t> layers;
    switch (plan.layout.split) {
    case ir::SplitKind::Even:
      layers =
          evenSplit(plan.model.layers(), plan.layout.embeddingSlots, plan.layout.headSlots, pieces);
      break;
    case ir::SplitKind::Balanced:
      layers = balanced(plan, plan.splitChoice, diags);
      break;
    case ir::SplitKind::ByFlop:
      layers = byFlop(plan);
      break;
    case ir::SplitKind::ByParameters:
      layers = byParameters(plan);
      break;
    case ir::SplitKind::Listed:
      layers = listedSplit(plan.layout.splitLayers, plan.placement);
      break;
    }
    plan.chunks = cost::makeChunks(plan.model, layers, plan.placement);
    return LogicalResult::success();
  }
};

} // namespace

std::unique_ptr<Pass> dpl::createPartitionLayersPass() {
  return std::make_unique<PartitionLayers>();
}
