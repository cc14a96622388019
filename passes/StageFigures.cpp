//===- StageFigures.cpp - What each stage and each kind of layer costs ------------------------===//
#include "cost/compute/ChunkEstimate.h"
#include "ir/Arithmetic.h"
#include "passes/FigureFormula.h"
#include "passes/StepFigures.h"
#include <functional>
#include <set>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// A figure of a part that a figure of the stage sums up.
struct Column {
  const char* name;
  const char* dimension;
  const char* ofPart;
  const char* ofStage;
  std::function<double(const ChunkPart&)> part;
  std::function<double(const ChunkCost&)> stage;
};

constexpr const char* roofline =
    "of one and one micro-batch: the sum over its operators of max(FLOP / sustained rate at their "
    "shape, bytes / sustained bandwidth), at least what launching their kernels takes";

const std::vector<Column>& columns() {
  static const std::vector<Column> all = {
      {"parameters", "", "elements of one on one device, experts included",
       "elements on one device",
       [](const ChunkPart& p) { return p.parameters + p.expertParameters; },
       [](const ChunkCost& c) { return real(c.parameters + c.expertParameters); }},
      {"expert_parameters", "", "elements of the routed experts of one on one device",
       "elements of routed experts on one device",
       [](const ChunkPart& p) { return p.expertParameters; },
       [](const ChunkCost& c) { return real(c.expertParameters); }},
      {"forward", "Duration", roofline, "of one micro-batch, without communication",
       [](const ChunkPart& p) { return p.time.forward; },
       [](const ChunkCost& c) { return toSeconds(c.forward); }},
      {"backward", "Duration", roofline,
       "of one micro-batch, both gradients, without communication and recomputation",
       [](const ChunkPart& p) { return p.time.backwardInput + p.time.backwardWeight; },
       [](const ChunkCost& c) { return toSeconds(c.backwardInput + c.backwardWeight); }},
      {"recompute", "Duration", roofline, "of one micro-batch, the operators that run again",
       [](const ChunkPart& p) { return p.time.recompute; },
       [](const ChunkCost& c) { return toSeconds(c.recompute); }},
      {"kept", "Bytes", "of one and one micro-batch, until its backward pass",
       "of one micro-batch, until its backward pass", [](const ChunkPart& p) { return p.kept; },
       [](const ChunkCost& c) { return real(c.activationBytes); }},
  };
  return all;
}
} // namespace

void dpl::addStageFigures(Plan& plan) {
  const ChunkEstimate estimate(plan);
  std::set<std::string> known;
  for (std::size_t i = 0; i < plan.chunks.size() && i < plan.costs.size(); ++i) {
    const std::vector<ChunkPart> parts = estimate.parts(plan.chunks[i]);
    const ChunkCost& cost = plan.costs[i];
    const std::string stage = stagePath(plan.layout.chunks, cost.rank, cost.chunk);
    for (const Column& column : columns()) {
      FigureFormula sum;
      for (const ChunkPart& part : parts) {
        const double value = column.part(part);
        if (value == 0)
          continue;
        const std::string path = part.name + "." + column.name;
        sum.plus(path, part.count);
        if (known.insert(path).second) {
          FigureFormula hardware;
          if (column.ofPart == roofline)
            hardware.inputs = {"device.peak", "device.sustained.matmul", "device.memory_bandwidth"};
          addFigure(plan.results, path, value, column.dimension, std::move(hardware),
                    column.ofPart);
        }
      }
      const double value = column.stage(cost);
      if (value > 0 && !sum.text.empty())
        addFigure(plan.results, stage + "." + column.name, value, column.dimension, std::move(sum),
                  column.ofStage);
    }
    const std::uint64_t exposed =
        cost.forwardCommunication + cost.backwardCommunication + cost.recomputeCommunication;
    if (exposed > 0)
      addFigure(plan.results, stage + ".exposed", toSeconds(exposed), "Duration", {},
                "of one micro-batch: tensor, context and expert communication that computation "
                "waits for");
  }
}
