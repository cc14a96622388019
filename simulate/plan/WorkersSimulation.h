#pragma once
//===- WorkersSimulation.h - Data ranks of a plan that wait in another way ----------------===//
#include "ir/Plan.h"
#include "simulate/engine/Servers.h"
#include "simulate/engine/Throttling.h"
#include "simulate/plan/SlowestRank.h"
#include "support/Json.h"
#include <optional>
#include <string>

namespace dpl::simulation {

/// What `--synchronization` asks for: "barrier", "local=10", "backup=2", "bounded=5",
/// "asynchronous", "detached", "hierarchical=10".
struct SynchronizationMode {
  simulate::WorkerSynchronization synchronization = simulate::WorkerSynchronization::Barrier;
  std::uint32_t bound = 0;
  bool detached = false;
  std::string text;
  ir::SynchronizationKind kind = ir::SynchronizationKind::Barrier;
  // Of Hierarchical; what --synchronization asks for meets in nodes in each step.
  std::uint32_t inner = 1;
  ir::Level among = ir::Level::Node;
};
/// Nothing where it is none of these.
std::optional<SynchronizationMode> synchronizationNamed(const std::string& text);
/// That of the layout.
SynchronizationMode synchronizationOf(const ir::Plan& plan);
/// Has its data ranks step so, whatever the layout says of it. Relies on: a plan before its passes.
void stepBy(ir::Plan& plan, const SynchronizationMode& synchronization);
/// Whether the layout or its cluster says how data ranks step, so that steps are theirs.
bool stepsByWorkers(const ir::Plan& plan);

struct WorkersRequest {
  SynchronizationMode synchronization;
  std::uint64_t steps = 100, seed = 1;
};
struct WorkersResult {
  WorkersRequest request;
  simulate::Workers workers;
  double compute = 0; ///< ps of a step of the slowest device where nothing varies
  simulate::WorkersTime time;
  std::optional<simulate::Servers> servers; ///< that hold the parameters
  simulate::ServersTime atServers;          ///< of them
  simulate::Throttling throttling;
  double coupling = 1;        ///< declared, or of the first group that shares a bus
  double delay = 0;           ///< ps, of the last step
  double bestDelay = 0;       ///< of these steps, all the same; of a layout that paces
  double bestStep = 0;        ///< ps with it
  double unthrottledStep = 0; ///< ps where nobody is delayed
  double regret() const { return time.step - bestStep; }
  double leastShare = 0, mostShare = 0; ///< micro-batches of a worker in the last step
  std::vector<std::uint64_t> shares;    ///< of each worker in that step; empty above a thousand
  bool settles = true;                  ///< the mean step, with more of them
  std::optional<MostFrequent> slowest;  ///< worker
  /// Of the mean step, ps, 95 % confidence; 0 where nothing is drawn. Nothing where too few tell,
  /// or the mean does not settle.
  std::optional<double> halfWidth() const {
    if (workers.apart == 0)
      return 0;
    return settles ? time.halfWidth() : std::nullopt;
  }
};

/// Why not, as a sentence; empty for a plan whose data ranks are simulated so.
std::string whyNotSimulated(const ir::Plan& plan, const WorkersRequest& request);
/// Relies on: a complete plan, and nothing that speaks against it.
WorkersResult runWorkers(const ir::Plan& plan, const WorkersRequest& request);

std::string renderText(const ir::Plan& plan, const WorkersResult& result, unsigned width);
Json renderJson(const ir::Plan& plan, const WorkersResult& result);

} // namespace dpl::simulation
