#pragma once
//===- ResultNames.h - Figures of a plan that a file may read ---------------------------------===//
#include "support/Number.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::sema {

/// The dimension of a figure by its path (docs/reference/figures.md), including paths such as
/// `memory.rank[3].peak`, `step_time.p50` and `simulated.waiting`. None if there is no such figure.
std::optional<Dimension> resultNamed(llvm::StringRef path);
/// Whether a figure has a path that begins with this name.
bool isResultRoot(llvm::StringRef name);
/// The names of figures, for messages.
llvm::SmallVector<llvm::StringRef, 0> resultNames();

} // namespace dpl::sema
