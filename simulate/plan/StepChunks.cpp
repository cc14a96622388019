//===- StepChunks.cpp - What each pass of a simulated step needs and makes
//---------------------===//
#include "ir/MergedProgram.h"
#include "simulate/plan/StepRun.h"

using namespace dpl;
using namespace dpl::simulation;
using namespace dpl::ir;

StepRun::StepRun(const StepShape& shape, const Ablation& without, const StepNetwork* network,
                 const Sharing& sharing)
    : shape(shape), plan(shape.plan), without(without), costs(shape.plan.layout.microBatchCosts),
      flows(std::vector<double>(2 * shape.simulatedRanks(), 1.0), queue), network(network) {
  if (network) {
    Sharing of = sharing;
    if (without.sharing)
      of.free.assign(network->links.linkTypes().size(), true);
    traffic = std::make_unique<StepMessages>(network->links, of, queue);
  }
  runs = plan.mesh.microBatches / plan.placement.directions();
  slots = static_cast<std::uint32_t>(2 * plan.placement.chunks * plan.mesh.microBatches);
  rendezvous.resize(shape.rendezvousCount());
  replays.resize(shape.simulatedRanks());
  makeChunks();
}

void StepRun::makeChunks() {
  const Placement& placement = plan.placement;
  for (std::uint64_t rank = 0; rank < placement.ranks; ++rank)
    for (std::uint64_t chunk = 0; chunk < placement.chunks; ++chunk) {
      const Placement::ChunkLocation at{rank, chunk};
      const ChunkPrograms& programs = plan.chunkPrograms[placement.indexOf(rank, chunk)];
      SimulatedChunk& piece = chunks.emplace_back();
      piece.collectives = {plan.collectives.data() + programs.firstCollective,
                           programs.collectives};
      for (std::size_t kind = 0; kind < piece.programs.size(); ++kind) {
        const auto of = static_cast<ActionKind>(kind);
        if (const StageProgram* merged =
                mergedProgram(plan, rank, {of, static_cast<std::uint16_t>(chunk), 0}))
          piece.programs[kind] = merged;
        else if (const auto body =
                     stageProgramOf(plan, programs, isForward(of) ? ActionKind::Forward : of))
          piece.programs[kind] = &plan.stagePrograms[*body];
        if (piece.programs[kind])
          piece.reach[kind] = reachOf(*piece.programs[kind], piece.collectives);
      }
      const auto slotOf = [&](std::uint64_t of, std::size_t way) {
        return static_cast<std::uint32_t>((2 * of + way) * plan.mesh.microBatches);
      };
      // Every second chunk of a V, and one of two directions, run through the ranks backwards.
      const bool backwards = (placement.kind == PlacementKind::VShaped ||
                              placement.kind == PlacementKind::Bidirectional) &&
                             chunk % 2 == 1;
      for (std::size_t way = 0; way < 2; ++way) {
        const auto to = way == 0 ? placement.next(at) : placement.previous(at);
        const auto from = way == 0 ? placement.previous(at) : placement.next(at);
        if (from)
          piece.input[way] = {true, false,  static_cast<std::uint32_t>(rank), slotOf(chunk, way), 0,
                              0,    nullptr};
        if (to) {
          const Collective* message = shape.messageOf(at, way == 0);
          piece.output[way] = {true,
                               to->rank != rank,
                               static_cast<std::uint32_t>(to->rank),
                               slotOf(to->chunk, way),
                               (way == 1) != backwards ? 1U : 0U,
                               message ? message->time : 0,
                               message};
        }
      }
    }
}
