//===- PredictionLayerTest.cpp - Recomputation of prediction layers ===// ---------------------===//
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
  ChunkModule layer, prediction, head;
};
Parts partsOf(const Plan& plan) {
  const std::vector<ChunkModule> modules = ChunkEstimate(plan).modules(plan.chunks.back());
  const auto find = [&](ComputeKind part) {
    return *llvm::find_if(modules, [&](const ChunkModule& p) { return p.computeKind == part; });
  };
  return {find(ComputeKind::Layer), find(ComputeKind::Prediction), find(ComputeKind::Head)};
}
} // namespace

TEST(PredictionLayer, IsRecomputedFromItsTwoInputsButForItsHead) {
  const Plan plan = planOf("full");
  const Parts none = partsOf(planOf("none")), full = partsOf(plan);
  const double input = residualBytes(plan.model, divisionOf(plan));
  EXPECT_EQ(full.prediction.saved, full.head.saved + 2 * input);
  EXPECT_GT(none.prediction.saved, none.layer.saved + none.head.saved);
  EXPECT_EQ(full.prediction.time.recomputeFlop,
            full.prediction.time.forwardFlop - full.head.time.forwardFlop);
  EXPECT_GT(full.prediction.time.recomputeFlop, full.layer.time.recomputeFlop); // what joins it
  EXPECT_EQ(none.prediction.time.recompute, 0);
}

TEST(PredictionLayer, RunsTheModulesAgainThatItsLayerDoes) {
  const Parts none = partsOf(planOf("none")),
              some = partsOf(planOf("selective { modules = [mlp, norm] }"));
  EXPECT_GT(some.layer.time.restored, 0);
  EXPECT_EQ(some.prediction.time.restored, some.layer.time.restored);
  EXPECT_EQ(some.prediction.time.recomputeFlop, some.layer.time.recomputeFlop);
  EXPECT_EQ(none.prediction.saved - some.prediction.saved, some.prediction.time.restored);
}
