#pragma once
//===- Simulation.h - Many steps of a plan, and what they show ----------------------------===//
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
  Detail detail = Detail::Operation; ///< where times vary; else ranks are folded
  std::uint64_t steps = 100, seed = 1;
  unsigned threads = 0; ///< 0: all cores; changes nothing but how long it takes
  Ablation without{};
  bool messages = false; ///< each device, and all that it sends as messages
  bool fold = true;      ///< ranks that do the same, where nothing varies
  bool path = false;     ///< the critical path of the step that is nearest to the mean
  bool timeline = false; ///< what each rank does in it
  /// Drawn loads of experts, which simulations of similar plans share, one after the other.
  std::shared_ptr<BusiestLoads> busiest = nullptr;
  bool links = true; ///< of messages, what they do to links and what sharing costs
};

/// Of a pipeline rank, on average over its units and steps; ps.
struct MeanRankTimes {
  double compute = 0, collectives = 0, peerWait = 0, inputWait = 0, sending = 0, barrier = 0,
         loading = 0;
  double last = 0; ///< share of the steps in which one of its units was the last
};

/// The critical path of one step through its ranks.
struct StepPath {
  std::uint64_t step = 0; ///< from 0
  std::uint64_t time = 0; ///< ps
  bool drawn = false;     ///< other steps take other times
  std::vector<PathPart> parts;
  /// By unit: its pipeline rank, and the first of the devices that it stands for; of folded ranks
  /// that of the first data rank.
  std::vector<std::uint32_t> pipelineRank, device;
};

struct SimulationResult {
  Detail detail = Detail::Folded;
  std::uint64_t seed = 1;
  std::uint32_t simulatedRanks = 0;
  std::uint64_t steady = 0;         ///< ps of a step in which nothing varies
  std::vector<std::uint64_t> steps; ///< ps of each; one where nothing varies
  std::uint64_t apart = 0; ///< steps that do not depend on one another; 0 where nothing varies
  bool settles = true;     ///< their mean, with more of them
  std::vector<MeanRankTimes> ranks;
  std::optional<Slowest> slowest;
  std::optional<MessagesOfStep> messages;
  std::optional<StepPath> path;
  std::optional<StepTimeline> timeline;
  std::uint64_t sharedMessages = 0; ///< of the steady step, that met another on their link
  simulate::Sample sample() const;
  /// Of their mean, or of that of their differences from others: ps, 95 % confidence. Nothing where
  /// too few tell, or the mean does not settle.
  std::optional<double> halfWidth() const { return halfWidthOf({steps.begin(), steps.end()}); }
  std::optional<double> halfWidthOf(const std::vector<double>& ofEach) const;
  /// Step against the step in which nothing varies.
  double amplification() const;
};

/// Why not, as a sentence: no flush parts the steps, or they, run so many times, would take too
/// long or too much memory. Empty for a plan that is simulated.
std::string whyNotSimulated(const ir::Plan& plan, const SimulationRequest& request,
                            std::uint64_t times = 1);
/// ps of a step in which nothing varies. Relies on: a complete plan.
std::uint64_t steadyStep(const ir::Plan& plan);
/// Relies on: a complete plan, and nothing that speaks against it.
SimulationResult runSteps(const ir::Plan& plan, const SimulationRequest& request);

/// How near the mean of steps is, behind it on the screen.
std::string nearness(std::optional<double> halfWidth, bool settles);
std::string renderText(const ir::Plan& plan, const SimulationResult& result, unsigned width);
Json renderJson(const ir::Plan& plan, const SimulationResult& result);

} // namespace dpl::simulation
