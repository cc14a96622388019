#pragma once
//===- Workers.h - Workers that wait for one another, or do not -------------------------------===//
//
// Data-parallel workers by what they wait for between their steps. Time alone: what a step is worth
// that was computed from old parameters is another matter.
#include "support/math/Statistics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::simulate {

enum class WorkerSynchronization : std::uint8_t {
  Barrier,      ///< all for the slowest, in each step
  Local,        ///< all for the slowest, behind every `bound` steps
  Hierarchical, ///< those of a unit behind every `inner` steps, all behind every `bound`
  Backup,       ///< for all but the `bound` slowest, whose step is lost
  Bounded,      ///< none is more than `bound` steps ahead of the slowest
  Never
};
/// How the exchange of a worker that meets no barrier stands to its computation.
enum class ExchangeMode : std::uint8_t {
  Serial,     ///< the next step begins when it has ended
  Overlapped, ///< it runs beside the next step, one at a time
  Detached    ///< nothing waits for it
};

struct Workers {
  std::uint32_t workers = 1, steps = 1;
  WorkerSynchronization synchronization = WorkerSynchronization::Barrier;
  std::uint32_t bound = 0;
  /// Of all behind a barrier, or of each worker with whoever holds the parameters; ps.
  double exchange = 0;
  ExchangeMode kind = ExchangeMode::Serial;
  /// A worker's step does not depend on its own so many before, or more.
  std::uint64_t apart = 1;
  /// Of Hierarchical: how many workers are a unit, behind how many steps they meet, and the ps of
  /// their exchange, which the last one before all meet does without.
  std::uint32_t workersPerUnit = 1, inner = 1;
  double innerExchange = 0;
};

struct WorkersTime {
  double step = 0;    ///< ps in which the workers do as many steps as there are workers
  double waiting = 0; ///< share of the workers' time in which they wait for others
  double lost = 0;    ///< share of the steps whose gradients nobody takes
  /// ps of a step in each round between two barriers, or where there are none of each time in which
  /// as many steps end as there are workers.
  std::vector<double> parts;
  /// Means of several steps that hardly depend on one another; of one alone nobody knows how near
  /// it is.
  std::vector<double> batches;
  /// Of the mean step, 95 % confidence.
  std::optional<double> halfWidth() const { return Sample(batches).halfWidth(); }
  /// Without barriers: of each step, the updates by others and itself between its reading the
  /// parameters and its own update.
  std::vector<double> ages;
};

/// `compute` gives the ps of a worker's step, asked for once in the order of steps, then workers.
WorkersTime run(const Workers& of,
                llvm::function_ref<double(std::uint32_t worker, std::uint32_t step)> compute);

} // namespace dpl::simulate
