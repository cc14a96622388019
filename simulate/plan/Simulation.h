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
  Detail detail = Detail::Operation; ///< detail if times vary; if nothing varies, ranks are folded
  std::uint64_t steps = 100, seed = 1;
  unsigned threads = 0; ///< 0: all cores; does not change the results
  Ablation without{};
  bool messages = false; ///< whether all devices and messages are simulated individually
  bool fold = true;      ///< whether one device represents equal ranks if nothing varies
  bool path = false;     ///< whether to record the critical path of the step closest to the mean
  bool timeline = false; ///< whether to record the activities of each rank in that step
  /// Drawn expert loads that simulations of similar plans share, one after another.
  std::shared_ptr<BusiestLoads> busiest = nullptr;
  bool links = true; ///< with `messages`: whether to determine link use and the cost of contention
};

/// Means over the simulated ranks and steps of a pipeline rank, in ps.
struct MeanRankTimes {
  double compute = 0, collectives = 0, peerWait = 0, inputWait = 0, sending = 0, barrier = 0,
         loading = 0;
  double last = 0; ///< share of the steps in which one of the rank's devices was the last
};

/// The critical path of one step through its ranks.
struct StepPath {
  std::uint64_t step = 0; ///< index from 0
  std::uint64_t time = 0; ///< ps
  bool drawn = false;     ///< whether the times of other steps differ
  std::vector<PathPart> parts;
  /// By simulated rank: its pipeline rank, and the first device that it represents. For a folded
  /// rank, that is the device of the first data rank.
  std::vector<std::uint32_t> pipelineRank, device;
};

struct SimulationResult {
  Detail detail = Detail::Folded;
  std::uint64_t seed = 1;
  std::uint32_t simulatedRanks = 0;
  std::uint64_t steady = 0;         ///< ps of a step without variation
  std::vector<std::uint64_t> steps; ///< ps of each step; one step if nothing varies
  std::uint64_t apart = 0;          ///< distance of two independent steps; 0 if nothing varies
  bool settles = true;              ///< whether the mean of steps converges
  std::vector<MeanRankTimes> ranks;
  std::optional<Slowest> slowest;
  std::optional<MessagesOfStep> messages;
  std::optional<StepPath> path;
  std::optional<StepTimeline> timeline;
  std::uint64_t sharedMessages = 0; ///< messages of the steady step that shared a link with another
                                    ///< message
  simulate::Sample sample() const;
  /// Half-width in ps of the 95 % confidence interval of the mean step, or of the mean of `ofEach`.
  /// None with too few samples, or if the mean does not converge.
  std::optional<double> halfWidth() const { return halfWidthOf({steps.begin(), steps.end()}); }
  std::optional<double> halfWidthOf(const std::vector<double>& ofEach) const;
  /// The mean step time divided by that of a step without variation.
  double amplification() const;
};

/// Why the plan cannot be simulated, as a sentence: its steps have no flush, or the steps need too
/// much time or memory. `times` is the number of such simulations. Empty if it can.
std::string whyNotSimulated(const ir::Plan& plan, const SimulationRequest& request,
                            std::uint64_t times = 1);
/// ps of a step without variation. Relies on: a complete plan.
std::uint64_t steadyStep(const ir::Plan& plan);
/// Relies on: a complete plan, for which `whyNotSimulated` is empty.
SimulationResult runSteps(const ir::Plan& plan, const SimulationRequest& request);

/// Text about the precision of the mean step, to be printed after the mean.
std::string nearness(std::optional<double> halfWidth, bool settles);
std::string renderText(const ir::Plan& plan, const SimulationResult& result, unsigned width);
Json renderJson(const ir::Plan& plan, const SimulationResult& result);

} // namespace dpl::simulation
