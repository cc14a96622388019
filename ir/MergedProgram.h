#pragma once
//===- MergedProgram.h - A forward and a backward pass as one stage program -------------------===//
//
// A pair of a schedule runs as one stage program, in which the token exchanges of each pass overlap
// with the computation of the other. Its kind is PairedForward, and it belongs to the chunk of the
// forward pass; the backward pass belongs to the rank's other chunk. Segments of
// MicroBatchSelection::First run in the first forward pass, those of MicroBatchSelection::Last in
// the last backward pass.
#include "ir/Plan.h"

namespace dpl::ir {

inline bool isMerged(const StageProgram& program) {
  return program.kind == ActionKind::PairedForward;
}

/// The programs of the chunk whose backward passes run merged with the forward passes of this one.
inline const ChunkPrograms& pairedWith(const Plan& plan, const ChunkPrograms& programs) {
  return plan.chunkPrograms[plan.placement.indexOf(programs.rank, 1 - programs.chunk)];
}

/// The collective that a segment of the chunk's stage programs launches or waits for.
inline CollectiveId collectiveOf(const Plan& plan, const ChunkPrograms& programs,
                                 const Segment& s) {
  return (s.backward ? pairedWith(plan, programs) : programs).idOf(*s.collective());
}

/// The stage program of an action and the next one in a rank's schedule, if they run merged;
/// otherwise null.
inline const StageProgram* mergedProgram(const Plan& plan, std::uint64_t rank,
                                         const ScheduledAction& op) {
  if (op.kind != ActionKind::PairedForward || plan.chunkPrograms.empty())
    return nullptr;
  const auto body =
      stageProgramOf(plan, plan.chunkPrograms[plan.placement.indexOf(rank, op.chunk)], op.kind);
  return body ? &plan.stagePrograms[*body] : nullptr;
}

} // namespace dpl::ir
