//===- EstimateCompute.cpp - Parameters, FLOP, bytes and roofline time of each chunk ----------===//
#include "ir/CostModel.h"
#include "passes/Passes.h"
#include <algorithm>
#include <cmath>

using namespace dpl;
using namespace dpl::ir;

namespace {
double real(std::uint64_t n) { return static_cast<double>(n); }
std::uint64_t toPicoseconds(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds / picosecond));
}
std::uint64_t whole(double n) { return static_cast<std::uint64_t>(std::llround(n)); }

/// Bytes of the largest kept tensor: its gradient lives beside it while the layer runs backward.
double largestKept(const std::vector<OperatorCost>& operators) {
  double largest = 0;
  for (const OperatorCost& op : operators)
    largest = std::max(largest, op.saved);
  return largest;
}

/// One class of layers, computed once: kept whole, or recomputed whole from its input.
struct ClassCost {
  OperatorSum kept, recomputed;
  ParameterCount parameters;
  double residual = 0; ///< bytes of the residual points of a layer that is kept
  double largest = 0;
};

struct Sum {
  OperatorSum time;
  double parameters = 0, expertParameters = 0;
  double activation = 0, working = 0;
};

/// Relies on: partition-layers placed every layer once; classes have a device (verifier).
class ChunkEstimate {
public:
  explicit ChunkEstimate(const Plan& plan)
      : plan(plan), division(divisionOf(plan)), device(pacingDevice(plan)),
        input(residualBytes(plan.model, division)) {
    for (const LayerClass& c : plan.model.classes) {
      const std::vector<OperatorCost> operators = operatorsOf(plan.model, c, division);
      classes.push_back({sumOf(operators, device, plan.layout.recompute, false),
                         sumOf(operators, device, plan.layout.recompute, true),
                         parametersOf(plan.model, c), input * residualPoints(c),
                         largestKept(operators)});
    }
  }

  ChunkCost of(const Chunk& chunk) const {
    Sum sum;
    addLayers(chunk, sum);
    if (chunk.embedding)
      addOperators(embeddingOperators(plan.model, division),
                   embeddingParameters(plan.model, division.vocab), sum);
    if (chunk.head)
      addOperators(headOperators(plan.model, division), headParameters(plan.model, division.vocab),
                   sum);
    for (std::uint64_t i = 0; i < chunk.predictionLayers; ++i)
      addPrediction(sum);
    // A rank that has the head but not the embedding keeps its own copy of a tied table.
    if (chunk.head && !chunk.embedding && plan.model.tiedEmbeddings && !plan.model.isLayerList())
      sum.parameters += real(division.vocab / division.tensor * plan.model.hidden);
    return rounded(chunk, sum);
  }

private:
  void addLayers(const Chunk& chunk, Sum& sum) const {
    const Recompute& r = plan.layout.recompute;
    const bool full = r.kind == RecomputeKind::Full;
    const bool block = full && r.method == RecomputeMethod::Block;
    // Of a full recomputation: uniform keeps one input a group of layers, block recomputes the
    // first layers of each chunk and keeps the rest.
    std::uint64_t recomputed = full ? (block ? std::min(r.layers, chunk.layers) : chunk.layers) : 0;
    const std::uint64_t group = full && !block ? std::max<std::uint64_t>(1, r.layers) : 1;
    const std::uint64_t inputs = ceilDiv(recomputed, group);
    double live = 0;
    for (const LayerSpan& span : layersOf(plan.model, chunk.firstLayer, chunk.layers)) {
      const ClassCost& c = classes[span.layerClass];
      const std::uint64_t again = std::min(recomputed, span.count);
      recomputed -= again;
      sum.time += c.recomputed.times(real(again));
      sum.time += c.kept.times(real(span.count - again));
      sum.parameters += real(span.count) * c.parameters.denseOn(division.tensor);
      sum.expertParameters +=
          real(span.count) * c.parameters.experts / real(division.expert * division.expertTensor);
      sum.activation += real(span.count - again) * (c.kept.saved + c.residual);
      const double dropped =
          again > 0 ? real(group) * c.recomputed.dropped + c.residual : c.kept.dropped;
      live = std::max(live, dropped + c.largest);
    }
    sum.activation += real(inputs) * input;
    sum.working = std::max(sum.working, live);
  }

  void addOperators(const std::vector<OperatorCost>& operators, const ParameterCount& parameters,
                    Sum& sum) const {
    const OperatorSum s = sumOf(operators, device, {}, false);
    sum.time += s;
    sum.parameters += parameters.denseOn(division.tensor);
    sum.activation += s.saved;
    sum.working = std::max(sum.working, largestKept(operators));
  }

  void addPrediction(Sum& sum) const {
    const Model& m = plan.model;
    std::vector<OperatorCost> operators = operatorsOf(m, m.layer(m.layers() - 1), division);
    for (const std::vector<OperatorCost>& more :
         {predictionOperators(m, division), headOperators(m, division)})
      operators.insert(operators.end(), more.begin(), more.end());
    ParameterCount parameters = predictionParameters(m);
    sum.expertParameters += parameters.experts / real(division.expert * division.expertTensor);
    addOperators(operators, parameters, sum);
    sum.activation += 2 * input;
  }

  ChunkCost rounded(const Chunk& chunk, const Sum& sum) const {
    ChunkCost cost;
    cost.rank = chunk.rank;
    cost.chunk = chunk.chunk;
    cost.parameters = whole(sum.parameters);
    cost.expertParameters = whole(sum.expertParameters);
    cost.forwardFlop = sum.time.forwardFlop;
    cost.backwardFlop = sum.time.backwardFlop;
    cost.recomputeFlop = sum.time.recomputeFlop;
    cost.forwardBytes = sum.time.forwardBytes;
    cost.backwardBytes = sum.time.backwardBytes;
    cost.forward = toPicoseconds(sum.time.forward);
    cost.backwardInput = toPicoseconds(sum.time.backwardInput);
    cost.backwardWeight = toPicoseconds(sum.time.backwardWeight);
    cost.recompute = toPicoseconds(sum.time.recompute);
    cost.activationBytes = whole(sum.activation);
    cost.workingBytes = whole(sum.working);
    return cost;
  }

  const Plan& plan;
  Division division;
  Device device;
  double input;
  std::vector<ClassCost> classes;
};

class EstimateCompute final : public Pass {
public:
  llvm::StringRef name() const override { return "estimate-compute"; }
  LogicalResult run(Plan& plan, DiagnosticEngine&) override {
    const ChunkEstimate estimate(plan);
    plan.costs.clear();
    for (const Chunk& chunk : plan.chunks)
      plan.costs.push_back(estimate.of(chunk));
    return LogicalResult::success();
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createEstimateComputePass() {
  return std::make_unique<EstimateCompute>();
}
