#pragma once
//===- DataRanks.h - Which field says how data ranks step -------------------------------------===//
#include "ir/Layout.h"

namespace dpl::ir {

/// The first field of a layout that says so, for messages.
inline const char* fieldOf(const DataRanks& ranks) {
  if (ranks.synchrony != SynchronyKind::Barrier)
    return "synchrony";
  if (ranks.shares != SharesKind::Equal)
    return "shares";
  return ranks.pacing != PacingKind::None ? "pacing" : "servers";
}

} // namespace dpl::ir
