#pragma once
//===- UnitTable.h - The rows of Units.def, for parts of support ------------------------------===//
#include "support/Number.h"
#include "llvm/ADT/ArrayRef.h"

namespace dpl {

/// A dimension that has a type name in DPL.
struct NamedDimension {
  const char* typeName;
  const char* words;
  const char* denominator; ///< denominator of output units: "h" for usd/h; "" for none
  Dimension dimension;
};
llvm::ArrayRef<NamedDimension> namedDimensions();

/// Units that are not quotients, in the order of the table.
llvm::ArrayRef<Unit> units();

} // namespace dpl
