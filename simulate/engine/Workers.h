#pragma once
//===- Workers.h - Data-parallel workers and how they wait for each other ---------------------===//
//
// Workers differ in what they wait for between steps. Only time is simulated, not the effect of
// stale parameters on training.
#include "support/math/Statistics.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dpl::simulate {

enum class WorkerSynchronization : std::uint8_t {
  Barrier,      ///< all wait for the slowest in each step
  Local,        ///< all wait for the slowest after every `bound` steps
  Hierarchical, ///< workers of a unit wait after every `inner` steps, all workers after every
                ///< `bound`
  Backup,       ///< all wait for all but the `bound` slowest, whose gradients of the step are lost
  Bounded,      ///< no worker is more than `bound` steps ahead of the slowest
  Never
};
/// How the exchange of a worker without barriers overlaps with its computation.
enum class ExchangeMode : std::uint8_t {
  Serial,     ///< the next step begins after the exchange
  Overlapped, ///< the exchange overlaps with the next step, one exchange at a time
  Detached    ///< the exchange delays nothing
};

struct Workers {
  std::uint32_t workers = 1, steps = 1;
  WorkerSynchronization synchronization = WorkerSynchronization::Barrier;
  std::uint32_t bound = 0;
  /// Time in ps of the exchange of all workers after a barrier, or without barriers of a worker's
  /// exchange.
  double exchange = 0;
  ExchangeMode kind = ExchangeMode::Serial;
  /// Steps of a worker that are this far apart are independent.
  std::uint64_t apart = 1;
  /// For Hierarchical: number of workers per unit, number of steps between barriers of a unit, and
  /// ps of a unit's exchange. Before a barrier of all workers the unit's barrier is left out.
  std::uint32_t workersPerUnit = 1, inner = 1;
  double innerExchange = 0;
  bool keepsUpdates = false; ///< whether WorkersTime contains the updates; only for workers without
                             ///< barriers
};

/// A worker's gradient as it reaches the parameters.
struct Update {
  double time = 0; ///< ps
  std::uint32_t worker = 0;
  std::uint32_t seen = 0; ///< number of updates, the worker's own included, before it read the
                          ///< parameters
};

struct WorkersTime {
  double step = 0;    ///< mean time in ps of a step, over all workers
  double waiting = 0; ///< share of the workers' time spent waiting for others
  double lost = 0;    ///< share of the steps whose gradients are dropped
  /// Step times in ps, one for each round between two barriers. Without barriers, one for each
  /// interval in which as many steps end as there are workers.
  std::vector<double> parts;
  /// Means over several steps, which are almost independent; empty with too few steps.
  std::vector<double> batches;
  /// Half-width of the confidence interval of the mean step, 95 % confidence.
  std::optional<double> halfWidth() const { return Sample(batches).halfWidth(); }
  /// Without barriers, the staleness of each update: the number of updates between reading the
  /// parameters and the update itself.
  std::vector<double> ages;
  /// The updates in the order in which they reach the parameters, until the first worker finishes.
  std::vector<Update> updates;
};

/// For a rule that drops gradients more than `bound` accepted updates old: the share of updates
/// that are dropped, and the ages of the accepted ones.
double rejectedShare(llvm::ArrayRef<Update> updates, std::uint64_t bound);
std::vector<double> acceptedAges(llvm::ArrayRef<Update> updates, std::uint64_t bound);

/// Simulates the workers. `compute` returns the ps of a worker's step; it is called once for each,
/// in the order of steps, then workers.
WorkersTime run(const Workers& of,
                llvm::function_ref<double(std::uint32_t worker, std::uint32_t step)> compute);

} // namespace dpl::simulate
