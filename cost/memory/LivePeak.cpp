//===- LivePeak.cpp - What live micro-batches hold at most ------------------------------------===//
#include "cost/memory/LivePeak.h"

using namespace dpl;
using namespace dpl::cost;
using namespace dpl::ir;

LivePeak dpl::cost::livePeak(llvm::ArrayRef<ScheduledOperation> operations,
                             llvm::ArrayRef<std::uint64_t> chunkBytes,
                             llvm::ArrayRef<std::uint64_t> working) {
  LivePeak peak;
  std::vector<std::uint64_t> live(chunkBytes.size(), 0);
  peak.live = live;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const ScheduledOperation& op = operations[i];
    if (!isPass(op.kind))
      continue;
    if (op.forward())
      bytes += chunkBytes[op.chunk], ++live[op.chunk];
    if (const std::uint64_t now = bytes + working[op.chunk]; now > peak.bytes) {
      peak.bytes = now;
      peak.live = live;
      peak.operation = i;
    }
    if (op.kind == OperationKind::Backward || op.kind == OperationKind::BackwardWeight)
      bytes -= chunkBytes[op.chunk], --live[op.chunk];
  }
  return peak;
}
