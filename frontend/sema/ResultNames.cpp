//===- ResultNames.cpp - Figures of a plan that a file may read -------------------------------===//
#include "frontend/sema/ResultNames.h"
#include "ir/DrawnFigures.h"
#include "ir/FigureNames.h"
using namespace dpl;

std::optional<Dimension> sema::resultNamed(llvm::StringRef path) {
  if (const ir::FigureRow* row = ir::figureNamed(path))
    return ir::dimensionOf(*row);
  return ir::drawnFigureNamed(path) ? std::optional(ir::dimensionOfDrawn(path)) : std::nullopt;
}

bool sema::isResultRoot(llvm::StringRef name) {
  return name == "simulated" || ir::isFigureRoot(name);
}

llvm::SmallVector<llvm::StringRef, 0> sema::resultNames() {
  llvm::SmallVector<llvm::StringRef, 0> names;
  for (const ir::FigureRow& row : ir::figureRows())
    if (!row.hasHoles())
      names.push_back(row.path);
  for (const ir::SimulatedFigure& row : ir::simulatedFigures())
    names.push_back(row.path);
  return names;
}
