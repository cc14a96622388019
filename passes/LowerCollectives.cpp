//===- LowerCollectives.cpp - Which collectives each axis brings, and where they stand --------===//
#include "cost/bodies/ChunkBodies.h"
#include "passes/CheckTimes.h"
#include "passes/Passes.h"

using namespace dpl;
using namespace dpl::ir;

namespace {
/// Relies on: groups of every axis subset that communicates (build-groups), one cost a chunk.
class LowerCollectives final : public Pass {
public:
  llvm::StringRef name() const override { return "lower-collectives"; }
  LogicalResult run(Plan& plan, DiagnosticEngine& diags) override {
    plan.collectives.clear(), plan.bodies.clear(), plan.programs.clear();
    const cost::ChunkEstimate estimate(plan);
    const cost::LayerLowering layers(plan, estimate);
    cost::ChunkLowering lowering(plan, estimate, layers);
    for (std::size_t i = 0; i < plan.chunks.size(); ++i)
      if (const std::size_t equal = cost::equalChunk(plan, i); equal < i)
        lowering.repeat(i, equal);
      else
        lowering.lower(i);
    if (checkTimes(plan, diags).failed())
      return LogicalResult::failure();
    cost::timePasses(plan);
    return LogicalResult::success();
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createLowerCollectivesPass() {
  return std::make_unique<LowerCollectives>();
}
