#pragma once
//===- MergedBody.h - A forward and a backward of the same rank as one body -------------------===//
//
// A pair of a schedule runs as one body, in which the exchanges of each pass run beside the
// computation of the other. It is of the kind PairedForward and stands in the program of the
// forward's chunk; the backward is one of the rank's other chunk. Segments of When::First are of
// the first forward, those of When::Last of the last backward.
#include "ir/Plan.h"

namespace dpl::ir {

inline bool isMerged(const Body& body) { return body.kind == OperationKind::PairedForward; }

/// The program of the chunk whose backward passes run merged with the forward passes of this one.
inline const ChunkProgram& pairedWith(const Plan& plan, const ChunkProgram& program) {
  return plan.programs[plan.placement.indexOf(program.rank, 1 - program.chunk)];
}

/// The collective that a segment of the program's bodies calls or waits for, by its index.
inline std::uint64_t collectiveOf(const Plan& plan, const ChunkProgram& program, const Segment& s) {
  return (s.backward ? pairedWith(plan, program) : program).firstCollective + s.call;
}

/// What the operation and the one behind it in a rank's list run together; null where each pass
/// runs by itself.
inline const Body* mergedBody(const Plan& plan, std::uint64_t rank, const ScheduledOperation& op) {
  if (op.kind != OperationKind::PairedForward || plan.programs.empty())
    return nullptr;
  const auto body = bodyOf(plan, plan.programs[plan.placement.indexOf(rank, op.chunk)], op.kind);
  return body ? &plan.bodies[*body] : nullptr;
}

} // namespace dpl::ir
