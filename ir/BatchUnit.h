#pragma once
//===- BatchUnit.h - What a batch is counted in, as files write it ----------------------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// "seq" or "sample", behind a number.
inline const char* suffixOf(BatchUnit unit) {
  return unit == BatchUnit::Samples ? "sample" : "seq";
}

} // namespace dpl::ir
