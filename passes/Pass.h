#pragma once
//===- Pass.h - A compiler pass on the plan ---------------------------------------------------===//
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include <functional>
#include <memory>

namespace dpl {

/// Whether the program that runs a plan accepts a changed plan; empty if no program is known.
using AcceptsPlan = std::function<bool(const ir::Plan&)>;

struct PipelineOptions {
  /// Called with the plan before each pass; for --dump-before.
  std::function<void(llvm::StringRef, const ir::Plan&)> before;
  /// Called after each pass with its name and seconds; for --time-passes and --dump-after.
  std::function<void(llvm::StringRef, double, const ir::Plan&)> after;
  bool verify = false; ///< run the verifier after each pass
  /// Whether to try changes of a plan that fails, so that its error contains advice.
  bool advise = true;
  AcceptsPlan accepts; ///< filter of the changes that advice may propose
};

class Pass {
public:
  virtual ~Pass() = default;
  /// Receives the options of the pipeline before `run`.
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
/// All passes in the order in which they run.
llvm::ArrayRef<PassInfo> allPasses();

/// Options for callers that ignore messages.
inline PipelineOptions withoutAdvice() {
  PipelineOptions out;
  out.advise = false;
  return out;
}

/// Runs every pass, and stops after the first check that fails. The degrees of the mesh must be
/// known, so `mesh = auto` is resolved by the planner first.
LogicalResult runPipeline(ir::Plan& plan, DiagnosticEngine& diags, const PipelineOptions& options);

/// Runs the passes up to and including the named one; stops after the first check that fails.
LogicalResult runThrough(ir::Plan& plan, DiagnosticEngine& diags, llvm::StringRef last);

/// Runs one pass and the verifier on a plan that all earlier passes have processed.
LogicalResult runPass(ir::Plan& plan, DiagnosticEngine& diags, const PassInfo& pass);

} // namespace dpl
