#pragma once
//===- StepFacts.h - What measured steps determine of a machine -------------------------------===//
#include "ir/Plan.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl::score {

/// A field of a cluster that step times depend on. Its logarithm is fitted.
struct StepFactKind {
  const char* path; ///< "node.gpu.sustained.matmul"
  const char* name; ///< "GEMM efficiency"
  bool isTime;      ///< whether it is a time in seconds; otherwise it is a share of at most 1
  double most;
  double usual; ///< standard deviation of the logarithm among healthy machines
  double (*get)(const ir::Plan&);
  void (*set)(ir::Plan&, double);
  const char* examine; ///< what slows a machine down if the value is bad
};
llvm::ArrayRef<StepFactKind> stepFactKinds();

} // namespace dpl::score
