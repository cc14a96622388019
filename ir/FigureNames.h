#pragma once
//===- FigureNames.h - The table of figures: paths, dimensions, definitions -------------------===//
#include "support/Number.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace dpl::ir {

/// One row of Results.def.
struct FigureRow {
  const char* path; ///< with holes in capitals: "memory.rank[R].peak"
  const char* dimension;
  const char* note;
  bool hasHoles() const;
};
/// In the order in which the figures are printed.
llvm::ArrayRef<FigureRow> figureRows();
/// The row that a path belongs to, `memory.rank[3].peak` included; null when there is none.
const FigureRow* figureNamed(llvm::StringRef path);
/// Of a row; a plain number has none.
Dimension dimensionOf(const FigureRow& row);
/// Paths of the rows that are shares of a whole: at least 0 and at most 1.
llvm::ArrayRef<const char*> shareFigures();
/// Whether a figure, or a statistic of it such as `mfu.mean`, is a share.
bool isShareFigure(llvm::StringRef path);
/// What a hole stands for at the start of a path, with holes of its own: MODULE, DEVICE; nothing
/// for other words.
llvm::ArrayRef<const char*> formsOf(llvm::StringRef hole);
/// A path as a file writes it and as it is printed: names that are no words of the language stand
/// in quotes, `link["old port"].devices`.
std::string writtenPath(llvm::StringRef path);
/// The reverse: `layer[gated].forward` of `layer["gated"].forward`.
std::string pathWritten(llvm::StringRef text);
/// Whether some figure's path starts with the name: "memory", "layer".
bool isFigureRoot(llvm::StringRef name);

} // namespace dpl::ir
