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

/// The values of `--synchronization`: "barrier", "local=10", "backup=2", "bounded=5",
/// "asynchronous", "detached", "hierarchical=10".
struct SynchronizationMode {
  simulate::WorkerSynchronization synchronization = simulate::WorkerSynchronization::Barrier;
  std::uint32_t bound = 0;
  bool detached = false;
  std::string text;
  ir::SynchronizationKind kind = ir::SynchronizationKind::Barrier;
  // For Hierarchical; with --synchronization, nodes synchronize in each step.
  std::uint32_t inner = 1;
  ir::Level among = ir::Level::Node;
  /// For Bounded with `late = reject`: gradients older than this number of updates are dropped.
  std::optional<std::uint64_t> rejectsAbove = {};
};
/// None if the text is none of these values.
std::optional<SynchronizationMode> synchronizationNamed(const std::string& text);
/// The mode of the layout.
SynchronizationMode synchronizationOf(const ir::Plan& plan);
/// Sets the mode of a plan, whatever its layout has. Relies on: a plan before its passes.
void stepBy(ir::Plan& plan, const SynchronizationMode& synchronization);
/// Whether the layout or its cluster sets a synchronization mode, which workers then follow.
bool stepsByWorkers(const ir::Plan& plan);

struct WorkersRequest {
  SynchronizationMode synchronization;
  std::uint64_t steps = 100, seed = 1;
  bool keepsUpdates = false; ///< the result has them, of workers that meet no barrier
};
struct WorkersResult {
  WorkersRequest request;
  simulate::Workers workers;
  double compute = 0; ///< ps of a step of the slowest device without variation
  simulate::WorkersTime time;
  std::optional<simulate::Servers> servers; ///< parameter servers
  simulate::ServersTime atServers;          ///< times at the servers
  simulate::Throttling throttling;
  double coupling = 1;        ///< declared, or measured in the first group on a bus
  double delay = 0;           ///< ps, in the last step
  double bestDelay = 0;       ///< best fixed delay for these steps; of layouts with `pacing`
  double bestStep = 0;        ///< ps with that delay
  double unthrottledStep = 0; ///< ps without delays
  double regret() const { return time.step - bestStep; }
  double leastShare = 0, mostShare = 0; ///< micro-batches of a worker in the last step
  std::vector<std::uint64_t> shares;    ///< by worker in that step; empty above 1000 workers
  bool settles = true;                  ///< whether the mean step converges
  std::optional<MostFrequent> slowest;  ///< worker that is slowest in most steps
  /// Half-width of the confidence interval of the mean step: ps, 95 % confidence. 0 if nothing is
  /// drawn. None with too few samples, or if the mean does not converge.
  std::optional<double> halfWidth() const {
    if (workers.apart == 0)
      return 0;
    return settles ? time.halfWidth() : std::nullopt;
  }
};

/// Why workers cannot be simulated, as a sentence; empty if they can.
std::string whyNotSimulated(const ir::Plan& plan, const WorkersRequest& request);
/// Relies on: a complete plan, for which `whyNotSimulated` is empty.
WorkersResult runWorkers(const ir::Plan& plan, const WorkersRequest& request);

std::string renderText(const ir::Plan& plan, const WorkersResult& result, unsigned width);
Json renderJson(const ir::Plan& plan, const WorkersResult& result);

} // namespace dpl::simulation
