//===- ResultNames.cpp - Figures of a plan that a file may read -------------------------------===//
#include "frontend/sema/ResultNames.h"
#include "ir/FigureNames.h"
#include "ir/StepStatistics.h"
using namespace dpl;

std::optional<Dimension> sema::resultNamed(llvm::StringRef path) {
  if (const ir::FigureRow* row = ir::figureNamed(path))
    return ir::dimensionOf(*row);
  const std::optional<ir::StepStatistic> statistic = ir::stepStatisticNamed(path);
  return statistic ? resultNamed(statistic->figure) : std::nullopt;
}

bool sema::isResultRoot(llvm::StringRef name) { return ir::isFigureRoot(name); }

llvm::SmallVector<llvm::StringRef, 0> sema::resultNames() {
  llvm::SmallVector<llvm::StringRef, 0> names;
  for (const ir::FigureRow& row : ir::figureRows())
    if (!row.hasHoles())
      names.push_back(row.path);
  return names;
}
