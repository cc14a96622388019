//===- CheckAsserts.cpp - Checks the file's assertions against the results --------------------===//
#include "figures/Figures.h"
#include "passes/Passes.h"

using namespace dpl;

namespace {

class CheckAsserts final : public Pass {
public:
  llvm::StringRef name() const override { return "check-asserts"; }
  LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) override {
    bool failed = false;
    const figures::Figures figures(plan, {}, figures::Depth::Values);
    const auto result = [&](const std::string& path) { return figures.result(path); };
    for (const ir::Assertion& a : plan.assertions)
      failed |= ir::report(a, ir::evaluate(a, result), diags).failed();
    return failed ? LogicalResult::failure() : LogicalResult::success();
  }
};

} // namespace

std::unique_ptr<Pass> dpl::createCheckAssertsPass() { return std::make_unique<CheckAsserts>(); }
