#pragma once
//===- DimensionText.h - Dimensions in the text of a plan -------------------------------------===//
#include "support/Number.h"

namespace dpl::ir {

/// The type name of the language, "Bytes"; for a dimension without a name its base unit, "tok/s^2";
/// "" for a plain number.
std::string dimensionText(const Dimension& d);
/// Reads the output of `dimensionText`; nothing for any other text.
std::optional<Dimension> readDimension(llvm::StringRef text);

} // namespace dpl::ir
