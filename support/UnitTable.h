#pragma once
//===- UnitTable.h - The rows of Units.def, for the parts of support that search them ---------===//
#include "support/Number.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// A dimension that has a type name in the language.
struct NamedDimension {
  const char* typeName;
  const char* words;
  const char* denominator; ///< of the units that output uses: "h" for usd/h; "" for plain units
  Dimension dimension;
};
llvm::ArrayRef<NamedDimension> namedDimensions();

/// Units without a quotient, in the order of the table.
llvm::ArrayRef<Unit> units();

} // namespace dpl
