#pragma once
//===- Jitters.h - How times vary, in a word --------------------------------------------------===//
#include "ir/Cluster.h"

namespace dpl::test {

inline ir::Jitter jitter(ir::JitterKind kind, double spread, double node = 0) {
  ir::Jitter out;
  out.kind = kind, out.spread = spread, out.node = node;
  return out;
}

} // namespace dpl::test
