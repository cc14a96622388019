#pragma once
//===- BatchUnit.h - What a batch is counted in, as files write it ----------------------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// "seq" or "sample", behind a number.
inline const char* suffixOf(BatchUnitKind unit) {
  return unit == BatchUnitKind::Samples ? "sample" : "seq";
}

} // namespace dpl::ir
