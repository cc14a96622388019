#pragma once
//===- Pass.h - One job on the plan -----------------------------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include <functional>
#include <memory>

namespace dpl {

/// Whether the program that runs a plan takes a changed one; no function where none is known.
using AcceptsPlan = std::function<bool(const ir::Plan&)>;

struct PipelineOptions {
  /// Called before each pass with the plan as it finds it; for --dump-before.
  std::function<void(llvm::StringRef, const ir::Plan&)> before;
  /// Called after each pass with its name and seconds; for --time-passes and --dump-after.
  std::function<void(llvm::StringRef, double, const ir::Plan&)> after;
  bool verify = false; ///< run the verifier after each pass
  /// Try changes of a plan that fails, for advice.
  bool advise = true;
  AcceptsPlan accepts; ///< which of these may be said
};

class Pass {
public:
  virtual ~Pass() = default;
  /// Before `run`, in a pipeline that has options.
  virtual void configure(const PipelineOptions&) {}
  virtual llvm::StringRef name() const = 0;
  virtual LogicalResult run(ir::Plan& plan, DiagnosticEngine& diags) = 0;
};

/// One row of Passes.def.
struct PassInfo {
  const char* name;
  const char* summary;
  std::unique_ptr<Pass> (*create)();
};
/// In the order they run.
llvm::ArrayRef<PassInfo> allPasses();

/// For those who hear no words.
inline PipelineOptions withoutAdvice() {
  PipelineOptions out;
  out.advise = false;
  return out;
}

/// Runs every pass; stops after the first check that failed. The degrees of the mesh are known: who
/// reads `mesh = auto` asks the planner first.
LogicalResult runPipeline(ir::Plan& plan, DiagnosticEngine& diags, const PipelineOptions& options);

/// Runs the passes up to the named one, which is the last; stops after the first check that failed.
LogicalResult runThrough(ir::Plan& plan, DiagnosticEngine& diags, llvm::StringRef last);

/// Runs one pass on a plan that is as the passes before it leave it, and the verifier.
LogicalResult runPass(ir::Plan& plan, DiagnosticEngine& diags, const PassInfo& pass);

} // namespace dpl
