#pragma once
//===- DimensionText.h - Dimensions as the printed plan has them ------------------------------===//
#include "support/Number.h"

namespace dpl::ir {

/// The type name of the language, "Bytes"; of a dimension without a name its base unit, "tok/s^2";
/// "" for a plain number.
std::string dimensionText(const Dimension& d);
/// Reads what `dimensionText` writes; nothing for any other text.
std::optional<Dimension> readDimension(llvm::StringRef text);

} // namespace dpl::ir
