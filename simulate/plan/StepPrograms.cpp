//===- StepPrograms.cpp - The inputs, stage programs and outputs of actions -------------------===//
#include "simulate/plan/StepPrograms.h"
#include "ir/MergedProgram.h"

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

StepPrograms::StepPrograms(const StepShape& shape) : shape(shape) {
  const Placement& placement = shape.plan.placement;
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank)
    for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk)
      chunks.push_back(chunkAt({rank, chunk}));
}

SimulatedChunk StepPrograms::chunkAt(Placement::ChunkLocation at) const {
  const Plan& plan = shape.plan;
  const Placement& placement = plan.placement;
  const ChunkPrograms& programs = plan.chunkPrograms[placement.indexOf(at.rank, at.chunk)];
  SimulatedChunk out;
  out.collectives = {plan.collectives.data() + programs.firstCollective.index(),
                     programs.collectives};
  for (std::size_t kind = 0; kind < out.programs.size(); ++kind) {
    const auto of = static_cast<ActionKind>(kind);
    if (const StageProgram* merged =
            mergedProgram(plan, at.rank, {of, static_cast<std::uint16_t>(at.chunk), 0}))
      out.programs[kind] = merged;
    else if (const auto program =
                 stageProgramOf(plan, programs, isForward(of) ? ActionKind::Forward : of))
      out.programs[kind] = &plan.stagePrograms[*program];
    if (out.programs[kind])
      out.reach[kind] = reachOf(*out.programs[kind], out.collectives);
  }
  const auto slotOf = [&](std::uint64_t of, std::size_t way) {
    return static_cast<std::uint32_t>((2 * of + way) * plan.mesh.microBatches);
  };
  // In V-shaped and bidirectional placements, every second chunk goes backwards through the ranks.
  const bool backwards = (placement.kind == PlacementKind::VShaped ||
                          placement.kind == PlacementKind::Bidirectional) &&
                         at.chunk % 2 == 1;
  for (std::size_t way = 0; way < 2; ++way) {
    const auto to = way == 0 ? placement.next(at) : placement.previous(at);
    const auto from = way == 0 ? placement.previous(at) : placement.next(at);
    if (from) {
      out.input[way].has = true;
      out.input[way].rank = static_cast<std::uint32_t>(at.rank);
      out.input[way].slot = slotOf(at.chunk, way);
    }
    if (to) {
      const Collective* message = shape.messageOf(at, way == 0);
      out.output[way] = {true,
                         to->rank != at.rank,
                         static_cast<std::uint32_t>(to->rank),
                         slotOf(to->chunk, way),
                         (way == 1) != backwards ? 1U : 0U,
                         message ? message->time : 0,
                         message};
    }
  }
  return out;
}

ProgramReach StepPrograms::reachOf(const StageProgram& program,
                                   llvm::ArrayRef<Collective> collectives) const {
  ProgramReach out;
  for (const SegmentLoop& block : program.loops)
    for (const Segment& s : block.segments) {
      const auto when = static_cast<std::size_t>(s.selection);
      out.has[when] = true;
      const CollectiveSegment* const launch = s.asCollective();
      if (!launch)
        continue;
      out.uses[static_cast<std::size_t>(launch->stream)] = true;
      // A merged program contains collectives of another chunk. A prefetch begins before the
      // action.
      out.meets[when] |= isMerged(program) || launch->prefetch ||
                         shape.rendezvousOf(0, collectives[launch->collective.index()].group,
                                            launch->stream) != StepShape::alone;
    }
  return out;
}
