#pragma once
//===- StepPrograms.h - What each action of a step needs, runs and makes ----------------------===//
#include "simulate/plan/StepShape.h"
#include "llvm/ADT/ArrayRef.h"
#include <array>

namespace dpl::simulation {

/// A message that an action needs or makes.
struct ActionPort {
  bool has = false, remote = false;
  std::uint32_t rank = 0, slot = 0; ///< pipeline rank, and slot of micro-batch 0 there
  std::uint32_t link = 0;           ///< 0 towards the next rank, 1 towards the one before
  std::uint64_t time = 0;
  const ir::Collective* what = nullptr; ///< the message that leaves
};

/// Whom a program meets. If its rank meets nobody in its collectives, and they begin after what it
/// has computed, it takes as long in each action that finds the same.
struct ProgramReach {
  /// By MicroBatchSelection: segments whose collectives meet others or run ahead; any.
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
  /// Messages that a rank receives in a step, at most.
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
