#pragma once
//===- DataRanks.h - Which field says how data ranks step
//---------------------------------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// The first field of a layout that says so, for messages.
inline const char* fieldOf(const DataRanks& ranks) {
  if (ranks.synchrony != SynchronyKind::Barrier)
    return "synchrony";
  return ranks.shares != SharesKind::Equal ? "shares" : "pacing";
}

} // namespace dpl::ir
