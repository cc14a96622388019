#pragma once
//===- ResultNames.h - Figures of a plan that a file may read ---------------------------------===//
#include "support/Number.h"
#include "llvm/ADT/SmallVector.h"

namespace dpl::sema {

/// The dimension of a figure by its path (docs/reference/figures.md), `memory.rank[3].peak`,
/// `step_time.p50` and `simulated.waiting` included; nothing when there is none of that name.
std::optional<Dimension> resultNamed(llvm::StringRef path);
/// Whether some figure's path starts with the name.
bool isResultRoot(llvm::StringRef name);
/// For messages.
llvm::SmallVector<llvm::StringRef, 0> resultNames();

} // namespace dpl::sema
