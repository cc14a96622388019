#pragma once
//===- MergedProgram.h - A forward and a backward of the same rank as one body
//-----------------===//
//
// A pair of a schedule runs as one body, in which the exchanges of each pass run beside the
// computation of the other. It is of the kind PairedForward and stands in the program of the
// forward's chunk; the backward is one of the rank's other chunk. Segments of
// MicroBatchSelection::First are of the first forward, those of MicroBatchSelection::Last of the
// last backward.
#include "ir/Plan.h"

namespace dpl::ir {

inline bool isMerged(const StageProgram& program) {
  return program.kind == ActionKind::PairedForward;
}

/// The program of the chunk whose backward passes run merged with the forward passes of this one.
inline const ChunkPrograms& pairedWith(const Plan& plan, const ChunkPrograms& programs) {
  return plan.chunkPrograms[plan.placement.indexOf(programs.rank, 1 - programs.chunk)];
}

/// The collective that a segment of the program's bodies launches or waits for.
inline CollectiveId collectiveOf(const Plan& plan, const ChunkPrograms& programs,
                                 const Segment& s) {
  return (s.backward ? pairedWith(plan, programs) : programs).idOf(*s.collective());
}

/// What the operation and the one behind it in a rank's list run together; null where each pass
/// runs by itself.
inline const StageProgram* mergedProgram(const Plan& plan, std::uint64_t rank,
                                         const ScheduledAction& op) {
  if (op.kind != ActionKind::PairedForward || plan.chunkPrograms.empty())
    return nullptr;
  const auto body =
      stageProgramOf(plan, plan.chunkPrograms[plan.placement.indexOf(rank, op.chunk)], op.kind);
  return body ? &plan.stagePrograms[*body] : nullptr;
}

} // namespace dpl::ir
