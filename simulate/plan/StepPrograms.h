#pragma once
//===- StepPrograms.h - The inputs, stage programs and outputs of actions ---------------------===//
#include "simulate/plan/StepShape.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace dpl::simulation {

/// A message that an action receives or sends.
struct ActionPort {
  bool has = false, remote = false;
  std::uint32_t rank = 0, slot = 0; ///< pipeline rank, and its slot of micro-batch 0
  std::uint32_t link = 0;           ///< 0 to the next rank, 1 to the previous one
  std::uint64_t time = 0;
  const ir::Collective* what = nullptr; ///< outgoing message
};

/// The ranks that a stage program waits for. If its collectives have no rendezvous and begin after
/// its computation, equal inputs give equal times.
struct ProgramReach {
  /// By MicroBatchSelection: collectives with a rendezvous or launched early; any segments.
  std::array<bool, 3> meets{}, has{};
  std::array<bool, 5> uses{}; ///< streams of its collectives
};

struct SimulatedChunk {
  std::array<ActionPort, 2> input, output;           ///< forward, backward
  std::array<const ir::StageProgram*, 6> programs{}; ///< by kind of action
  std::array<ProgramReach, 6> reach{};
  llvm::ArrayRef<ir::Collective> collectives;
};

class StepPrograms {
public:
  explicit StepPrograms(const StepShape& shape);
  const SimulatedChunk& chunkOf(std::uint32_t rank, const ir::ScheduledAction& action) const {
    return chunks[shape.pipelineRankOf(rank) * shape.plan.placement.chunks + action.chunk];
  }
  /// The largest number of messages that a rank receives in a step.
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
