#pragma once
//===- StepPrograms.h - The inputs, stage programs and outputs of actions ---------------------===//
#include "simulate/plan/StepShape.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace dpl::simulation {

/// A message that an action receives or sends.
struct ActionPort {
  bool has = false, remote = false;
  std::uint32_t rank = 0, slot = 0; ///< pipeline rank of the sender or receiver, and index of
                                    ///< micro-batch 0 in its arrivals
  std::uint32_t link = 0;           ///< 0: link to the next rank, 1: link to the previous one
  std::uint64_t time = 0;
  const ir::Collective* what = nullptr; ///< the message, for outputs
};

/// What an action can wait for. If none of its collectives has a rendezvous or begins before its
/// computation, equal inputs give equal times.
struct ProgramReach {
  /// By MicroBatchSelection: whether a collective has a rendezvous or begins early, and whether
  /// there are segments at all.
  std::array<bool, 3> meets{}, has{};
  std::array<bool, 5> uses{}; ///< by stream: whether collectives use it
};

struct SimulatedChunk {
  std::array<ActionPort, 2> input, output;           ///< [0] for forward passes, [1] for backward
                                                     ///< passes
  std::array<const ir::StageProgram*, 6> programs{}; ///< by ActionKind
  std::array<ProgramReach, 6> reach{};
  llvm::ArrayRef<ir::Collective> collectives;
};

class StepPrograms {
public:
  explicit StepPrograms(const StepShape& shape);
  const SimulatedChunk& chunkOf(std::uint32_t rank, const ir::ScheduledAction& action) const {
    return chunks[shape.pipelineRankOf(rank) * shape.plan.placement.chunks + action.chunk];
  }
  /// An upper bound on the number of messages that a rank receives in a step.
  static std::size_t slots(const ir::Plan& plan) {
    return 2 * plan.placement.chunks * plan.mesh.microBatches;
  }

private:
  SimulatedChunk chunkAt(ir::Placement::ChunkLocation at) const;
  ProgramReach reachOf(const ir::StageProgram& program,
                       llvm::ArrayRef<ir::Collective> collectives) const;

  const StepShape& shape;
  std::vector<SimulatedChunk> chunks; ///< by pipeline rank and chunk
};

} // namespace dpl::simulation
