#pragma once
//===- Step.h - The step of a plan, executed --------------------------------------------------===//
//
// Passes as their bodies say, and what follows the last of them: what still runs of the gradients'
// reductions, the barrier of the global gradient norm, the update.
#include "cost/schedules/Executor.h"

namespace dpl::cost {

/// Whether a collective, or the messages of a chunk, take their time.
using TakesTime = llvm::function_ref<bool(const ir::Collective&)>;

/// What a chunk brings to a step.
struct ChunkStep {
  PieceTime time;
  PieceClocks clocks;
  bool leaves = false;                       ///< its passes leave calls behind
  std::uint64_t reductions = 0, gathers = 0; ///< ps of collectives at the end of the step, before
                                             ///< and behind the update
  double updated = 0;                        ///< parameters whose optimizer state a device holds
};
/// Of the chunk of a program; messages, which depend on where it lies, take no time yet.
ChunkStep chunkStep(const ir::Plan& plan, const ir::ChunkProgram& program,
                    const ir::ChunkCost& cost, TakesTime takesTime);
/// The first chunk whose passes take what this one's do, but for its messages, or its own index.
std::size_t sameStep(const ir::Plan& plan, std::size_t chunk);
/// ps that a chunk's messages forward and back take.
void addMessages(const ir::Plan& plan, const ir::Placement::Place& at, PieceTime& time);
/// ps of the update of so many parameters.
std::uint64_t updateTime(const ir::Plan& plan, double parameters,
                         llvm::ArrayRef<ir::Device> devices);
/// Whether bodies move the data stream of their rank.
bool movesData(const PieceClocks& clocks);

/// An operation of a rank behind its passes.
struct TailOperation {
  ir::OperationKind kind = ir::OperationKind::Wait;
  std::uint64_t collective = 0; ///< of Collective: its index
  std::uint64_t start = 0, duration = 0;
};

/// Relies on: bodies (lower-collectives) and lists of passes.
class StepRun {
public:
  explicit StepRun(const ir::Plan& plan);
  void run();

  // Of the last run.
  const Executor& passes() const { return executor; }
  llvm::ArrayRef<TailOperation> tail(std::uint64_t rank) const { return tails[rank]; }

private:
  void runTails();

  const ir::Plan& plan;
  std::vector<std::vector<ir::Device>> held; ///< parallel to Mesh::held
  std::vector<llvm::ArrayRef<ir::ScheduledOperation>> lists;
  std::vector<std::uint64_t> atEnd; ///< collectives that no body calls
  Executor executor;
  std::vector<ChunkStep> chunks;
  std::vector<PieceTime> times;
  std::vector<PieceClocks> clocks;
  std::vector<std::vector<TailOperation>> tails;
};

} // namespace dpl::cost
