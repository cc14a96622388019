//===- LowerCollectives.cpp - Which collectives each axis brings, and where they stand --------===//
#include "cost/programs/ChunkPrograms.h"
#include "passes/CheckMeans.h"
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
    cost::lowerChunks(plan, cost::ChunkEstimate(plan));
    if (checkTimes(plan, diags).failed())
      return LogicalResult::failure();
    warnOfMeans(plan, diags);
    cost::timeActions(plan);
    return LogicalResult::success();
  }
};
} // namespace

std::unique_ptr<Pass> dpl::createLowerCollectivesPass() {
  return std::make_unique<LowerCollectives>();
}
