#pragma once
//===- Simulation.h - Simulation of many steps of a plan --------------------------------------===//
#include "simulate/plan/BusiestLoads.h"
#include "simulate/plan/MessageLevel.h"
#include "simulate/plan/SlowestRank.h"
#include "simulate/plan/StepTimeline.h"
#include "support/Json.h"
#include "support/math/Statistics.h"
#include <memory>
#include <optional>

namespace dpl::simulation {

struct SimulationRequest {
  Detail detail = Detail::Operation; ///< used if times vary; otherwise ranks are folded
  std::uint64_t steps = 100, seed = 1;
  unsigned threads = 0; ///< 0: all cores; does not change the results
  Ablation without{};
  bool messages = false; ///< whether every device and message is simulated
  bool fold = true;      ///< whether one device represents equal ranks if nothing varies
  bool path = false;     ///< record the critical path of the step closest to the mean
  bool timeline = false; ///< record the activities of each rank in that step
  /// Drawn expert loads that simulations of similar plans share, one after another.
  std::shared_ptr<BusiestLoads> busiest = nullptr;
  bool links = true; ///< whether messages also give link use and the cost of contention
};

/// Means over the simulated ranks and steps of a pipeline rank, in ps.
struct MeanRankTimes {
  double compute = 0, collectives = 0, peerWait = 0, inputWait = 0, sending = 0, barrier = 0,
         loading = 0;
  double last = 0; ///< share of the steps in which one of its simulated ranks was last
};

/// The critical path of one step over its ranks.
struct StepPath {
  std::uint64_t step = 0; ///< index from 0
  std::uint64_t time = 0; ///< ps
  bool drawn = false;     ///< whether other steps have other times
  std::vector<PathPart> parts;
  /// Pipeline rank of each simulated rank, and the first device that it represents. Folded ranks
  /// have that of the first data rank.
  std::vector<std::uint32_t> pipelineRank, device;
};

struct SimulationResult {
  Detail detail = Detail::Folded;
  std::uint64_t seed = 1;
  std::uint32_t simulatedRanks = 0;
  std::uint64_t steady = 0;         ///< ps of a step without variation
  std::vector<std::uint64_t> steps; ///< ps of each step; one step if nothing varies
  std::uint64_t apart = 0;          ///< distance of independent steps; 0 if nothing varies
  bool settles = true;              ///< whether their mean converges
  std::vector<MeanRankTimes> ranks;
  std::optional<Slowest> slowest;
  std::optional<MessagesOfStep> messages;
  std::optional<StepPath> path;
  std::optional<StepTimeline> timeline;
  std::uint64_t sharedMessages = 0; ///< messages of the steady step that shared their link
  simulate::Sample sample() const;
  /// Half-width of the confidence interval of the mean, or of the mean difference: ps, 95 %
  /// confidence. None with too few samples, or if the mean does not converge.
  std::optional<double> halfWidth() const { return halfWidthOf({steps.begin(), steps.end()}); }
  std::optional<double> halfWidthOf(const std::vector<double>& ofEach) const;
  /// The mean step divided by the step without variation.
  double amplification() const;
};

/// Why the plan cannot be simulated, as a sentence: steps have no flush, or `times` as many steps
/// need too much time or memory. Empty if it can.
std::string whyNotSimulated(const ir::Plan& plan, const SimulationRequest& request,
                            std::uint64_t times = 1);
/// ps of a step without variation. Relies on: a complete plan.
std::uint64_t steadyStep(const ir::Plan& plan);
/// Relies on: a complete plan, for which `whyNotSimulated` is empty.
SimulationResult runSteps(const ir::Plan& plan, const SimulationRequest& request);

/// The precision of the mean step, as text after it.
std::string nearness(std::optional<double> halfWidth, bool settles);
std::string renderText(const ir::Plan& plan, const SimulationResult& result, unsigned width);
Json renderJson(const ir::Plan& plan, const SimulationResult& result);

} // namespace dpl::simulation
