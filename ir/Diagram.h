#pragma once
//===- Diagram.h - An expression with the value of each part beneath it -----------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <string>
#include <vector>

namespace dpl::ir {

/// The value of one part. Positions are bytes of the expression.
struct DiagramPart {
  std::size_t begin = 0, end = 0;
  std::size_t anchor = 0; ///< the byte under which the value stands
  std::string text;
};

/// The expression on one line and the values under their columns, joined by `│`; where that is
/// wider than 80 columns with two of indentation, a list of the parts with their values. No
/// trailing line end.
std::string drawDiagram(llvm::StringRef expression, std::vector<DiagramPart> parts);

} // namespace dpl::ir
