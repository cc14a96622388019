#pragma once
//===- FigureNames.h - The table of figures: paths, dimensions, definitions -------------------===//
#include "support/Number.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>
#include <string>

namespace dpl::ir {

/// One row of Results.def.
struct FigureRow {
  const char* path; ///< path with placeholders in capitals: "memory.rank[R].peak"
  const char* dimension;
  const char* note;
  bool hasHoles() const;
};
/// All rows in print order.
llvm::ArrayRef<FigureRow> figureRows();
/// The row that a path such as `memory.rank[3].peak` belongs to; null if there is none.
const FigureRow* figureNamed(llvm::StringRef path);
/// The dimension of a row; a plain number has none.
Dimension dimensionOf(const FigureRow& row);
/// Paths of the rows that are shares of a whole: at least 0 and at most 1.
llvm::ArrayRef<const char*> shareFigures();
/// Whether a figure, or a statistic of it such as `mfu.mean`, is a share.
bool isShareFigure(llvm::StringRef path);
/// The forms of a placeholder at the start of a path, which may contain placeholders: MODULE,
/// DEVICE; nothing for other words.
llvm::ArrayRef<const char*> formsOf(llvm::StringRef hole);
/// A path as it is written in a file and printed: names that are not identifiers are quoted,
/// `link["old port"].devices`.
std::string writtenPath(llvm::StringRef path);
/// The reverse of writtenPath: `layer[gated].forward` for `layer["gated"].forward`.
std::string pathWritten(llvm::StringRef text);
/// Whether the path of a figure starts with this name: "memory", "layer".
bool isFigureRoot(llvm::StringRef name);

} // namespace dpl::ir
