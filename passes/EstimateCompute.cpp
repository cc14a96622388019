//===- EstimateCompute.cpp - Parameters, FLOP, bytes and roofline time of each chunk ----------===//
#include "cost/compute/ChunkEstimate.h"
#include "passes/Passes.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

namespace {
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
