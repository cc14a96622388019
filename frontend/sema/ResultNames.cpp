//===- ResultNames.cpp - Figures of a plan that a file may read -------------------------------===//
#include "frontend/sema/ResultNames.h"
#include "ir/FigureNames.h"
using namespace dpl;

std::optional<Dimension> sema::resultNamed(llvm::StringRef path) {
  if (const ir::FigureRow* row = ir::figureNamed(path))
    return ir::dimensionOf(*row);
  // The spread of a figure over a study's seeds.
  const auto [base, statistic] = path.rsplit('.');
  if (statistic == "p50" || statistic == "p95" || statistic == "p99" || statistic == "mean")
    return resultNamed(base);
  return std::nullopt;
}

bool sema::isResultRoot(llvm::StringRef name) { return ir::isFigureRoot(name); }

llvm::SmallVector<llvm::StringRef, 0> sema::resultNames() {
  llvm::SmallVector<llvm::StringRef, 0> names;
  for (const ir::FigureRow& row : ir::figureRows())
    if (!row.hasHoles())
      names.push_back(row.path);
  return names;
}
