#pragma once
//===- BatchUnit.h - The unit of a batch in files ---------------------------------------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// "seq" or "sample", written after a number.
inline const char* suffixOf(BatchUnitKind unit) {
  return unit == BatchUnitKind::Samples ? "sample" : "seq";
}

} // namespace dpl::ir
