#pragma once
//===- Diagram.h - An expression with the value of each part below it -------------------------===//
#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <string>
#include <vector>

namespace dpl::ir {

/// The value of one part. Positions are bytes of the expression.
struct DiagramPart {
  std::size_t begin = 0, end = 0;
  std::size_t anchor = 0; ///< byte under which the value is drawn
  std::string text;
};

/// Draws the expression on one line and the values under their columns, joined by `│`. If that is
/// wider than 80 columns with two columns of indentation, lists the parts with their values. There
/// is no trailing newline.
std::string drawDiagram(llvm::StringRef expression, std::vector<DiagramPart> parts);

} // namespace dpl::ir
