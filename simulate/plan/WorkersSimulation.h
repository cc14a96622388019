#pragma once
//===- WorkersSimulation.h - Data ranks with a synchronization mode ---------------------------===//
#include "ir/Plan.h"
#include "simulate/engine/Servers.h"
#include "simulate/engine/Throttling.h"
#include "simulate/plan/SlowestRank.h"
#include "support/Json.h"
#include <optional>
#include <string>

namespace dpl::simulation {

/// The value of `--synchronization`: "barrier", "local=10", "backup=2", "bounded=5",
/// "asynchronous", "detached", "hierarchical=10".
struct SynchronizationMode {
  simulate::WorkerSynchronization synchronization = simulate::WorkerSynchronization::Barrier;
  std::uint32_t bound = 0;
  bool detached = false;
  std::string text;
  ir::SynchronizationKind kind = ir::SynchronizationKind::Barrier;
  // For Hierarchical, `inner` and `among`. With --synchronization, nodes synchronize in each step.
  std::uint32_t inner = 1;
  ir::Level among = ir::Level::Node;
  /// For `late = reject`: gradients are dropped if they are older than this number of updates.
  std::optional<std::uint64_t> rejectsAbove = {};
};
/// None if the text is not such a value.
std::optional<SynchronizationMode> synchronizationNamed(const std::string& text);
/// The synchronization mode that the layout sets.
SynchronizationMode synchronizationOf(const ir::Plan& plan);
/// Sets the synchronization mode of a plan, in place of that of its layout. Relies on: a plan
/// before its passes.
void stepBy(ir::Plan& plan, const SynchronizationMode& synchronization);
/// Whether the layout or its cluster sets a synchronization mode, so that workers are simulated.
bool stepsByWorkers(const ir::Plan& plan);

struct WorkersRequest {
  SynchronizationMode synchronization;
  std::uint64_t steps = 100, seed = 1;
  bool keepsUpdates = false; ///< whether the result contains the updates; only for workers without
                             ///< barriers
};
struct WorkersResult {
  WorkersRequest request;
  simulate::Workers workers;
  double compute = 0; ///< ps of a step of the slowest device without variation
  simulate::WorkersTime time;
  std::optional<simulate::Servers> servers; ///< parameter servers
  simulate::ServersTime atServers;          ///< times at the servers
  simulate::Throttling throttling;
  double coupling = 1;        ///< slowdown by communication: declared, or measured in the first
                              ///< group on a bus
  double delay = 0;           ///< ps of delay in the last step
  double bestDelay = 0;       ///< best fixed delay in ps for these steps, for layouts that throttle
  double bestStep = 0;        ///< ps of a step with `bestDelay`
  double unthrottledStep = 0; ///< ps of a step without delays
  double regret() const { return time.step - bestStep; }
  double leastShare = 0, mostShare = 0; ///< fewest and most micro-batches of a worker in the last
                                        ///< step
  std::vector<std::uint64_t> shares;    ///< micro-batches of each worker in the last step; empty
                                        ///< above 1000 workers
  bool settles = true;                  ///< whether the mean step converges
  std::optional<MostFrequent> slowest;  ///< worker that is slowest in most steps
  /// Half-width in ps of the 95 % confidence interval of the mean step. 0 if nothing is drawn. None
  /// with too few samples, or if the mean does not converge.
  std::optional<double> halfWidth() const {
    if (workers.apart == 0)
      return 0;
    return settles ? time.halfWidth() : std::nullopt;
  }
};

/// Why workers cannot be simulated, as a sentence; empty if they can.
std::string whyNotSimulated(const ir::Plan& plan, const WorkersRequest& request);
/// Simulates the workers. Relies on: a complete plan, for which `whyNotSimulated` is empty.
WorkersResult runWorkers(const ir::Plan& plan, const WorkersRequest& request);

std::string renderText(const ir::Plan& plan, const WorkersResult& result, unsigned width);
Json renderJson(const ir::Plan& plan, const WorkersResult& result);

} // namespace dpl::simulation
