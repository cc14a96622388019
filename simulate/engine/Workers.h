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
  Hierarchical, ///< units wait after every `inner` steps, all after every `bound`
  Backup,       ///< all wait for all but the `bound` slowest, whose step is lost
  Bounded,      ///< no worker is more than `bound` steps ahead of the slowest
  Never
};
/// The overlap of a worker's exchange with its computation, without barriers.
enum class ExchangeMode : std::uint8_t {
  Serial,     ///< the next step begins after it
  Overlapped, ///< it overlaps with the next step, one at a time
  Detached    ///< it blocks nothing
};

struct Workers {
  std::uint32_t workers = 1, steps = 1;
  WorkerSynchronization synchronization = WorkerSynchronization::Barrier;
  std::uint32_t bound = 0;
  /// Exchange of all workers after a barrier, or of each worker with the parameters; ps.
  double exchange = 0;
  ExchangeMode kind = ExchangeMode::Serial;
  /// Steps of a worker that are this far apart are independent.
  std::uint64_t apart = 1;
  /// For Hierarchical: workers per unit; steps between their barriers; ps of their exchange, which
  /// is skipped before a barrier of all workers.
  std::uint32_t workersPerUnit = 1, inner = 1;
  double innerExchange = 0;
  bool keepsUpdates = false; ///< WorkersTime has them, of workers that meet no barrier
};

/// A worker's gradient as it reaches the parameters.
struct Update {
  double time = 0; ///< ps
  std::uint32_t worker = 0;
  std::uint32_t seen = 0; ///< updates before its worker read the parameters, its own included
};

struct WorkersTime {
  double step = 0;    ///< mean ps per step of all workers
  double waiting = 0; ///< share of the workers' time spent waiting for others
  double lost = 0;    ///< share of the steps whose gradients are dropped
  /// Step time in ps of each round between two barriers. Without barriers, of each interval in
  /// which as many steps end as there are workers.
  std::vector<double> parts;
  /// Means of several steps that are almost independent; empty with too few.
  std::vector<double> batches;
  /// Half-width of the confidence interval of the mean step, 95 % confidence.
  std::optional<double> halfWidth() const { return Sample(batches).halfWidth(); }
  /// Without barriers: for each step, the updates between reading the parameters and its own
  /// update.
  std::vector<double> ages;
  /// In the order in which they reach the parameters, until the first worker is through.
  std::vector<Update> updates;
};

/// Where gradients are dropped that are more than `bound` accepted updates old: the share of the
/// updates that are, and how old the others are.
double rejectedShare(llvm::ArrayRef<Update> updates, std::uint64_t bound);
std::vector<double> acceptedAges(llvm::ArrayRef<Update> updates, std::uint64_t bound);

/// `compute` returns the ps of a worker's step, once each in the order of steps, then workers.
WorkersTime run(const Workers& of,
                llvm::function_ref<double(std::uint32_t worker, std::uint32_t step)> compute);

} // namespace dpl::simulate
