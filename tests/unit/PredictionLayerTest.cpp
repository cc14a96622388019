//===- PredictionLayerTest.cpp - Recomputation of prediction layers ===//
#include "cost/compute/ChunkEstimate.h"
#include "cost/compute/LayerCost.h"
#include "cost/compute/OperatorTime.h"
#include "tests/unit/CompiledPlan.h"
#include "llvm/ADT/STLExtras.h"
#include <gtest/gtest.h>

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
/// 8 layers and a prediction layer of a dense decoder.
Plan planOf(const std::string& recompute) {
  return test::completedPlan("prediction.dpl",
                             "import std.models\nimport std.clusters\n"
                             "cluster nodes from clusters.dgx_h100 { nodes = 1 }\n"
                             "model net from models.llama3_8b { layers = 8, mtp_layers = 1 }\n"
                             "layout plan for net on nodes {\n"
                             "  mesh { tensor = 2, data = rest }\n  batch = 32seq\n"
                             "  shard.sequence = tensor\n  recompute = " +
                                 recompute + "\n}\n");
}

struct Parts {
  ChunkPart layer, prediction, head;
};
Parts partsOf(const Plan& plan) {
  const std::vector<ChunkPart> parts = ChunkEstimate(plan).parts(plan.chunks.back());
  const auto find = [&](ComputePart part) {
    return *llvm::find_if(parts, [&](const ChunkPart& p) { return p.part == part; });
  };
  return {find(ComputePart::Layer), find(ComputePart::Prediction), find(ComputePart::Head)};
}
} // namespace

TEST(PredictionLayer, IsRecomputedFromItsTwoInputsButForItsHead) {
  const Plan plan = planOf("full");
  const Parts none = partsOf(planOf("none")), full = partsOf(plan);
  const double input = residualBytes(plan.model, divisionOf(plan));
  EXPECT_EQ(full.prediction.kept, full.head.kept + 2 * input);
  EXPECT_GT(none.prediction.kept, none.layer.kept + none.head.kept);
  EXPECT_EQ(full.prediction.time.recomputeFlop,
            full.prediction.time.forwardFlop - full.head.time.forwardFlop);
  EXPECT_GT(full.prediction.time.recomputeFlop, full.layer.time.recomputeFlop); // what joins it
  EXPECT_EQ(none.prediction.time.recompute, 0);
}

TEST(PredictionLayer, RunsTheModulesAgainThatItsLayerDoes) {
  const Parts none = partsOf(planOf("none")),
              some = partsOf(planOf("selective { modules = [mlp, norm] }"));
  EXPECT_GT(some.layer.time.dropped, 0);
  EXPECT_EQ(some.prediction.time.dropped, some.layer.time.dropped);
  EXPECT_EQ(some.prediction.time.recomputeFlop, some.layer.time.recomputeFlop);
  EXPECT_EQ(none.prediction.kept - some.prediction.kept, some.prediction.time.dropped);
}
