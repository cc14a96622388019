#pragma once
//===- StepTimeline.h - Activities of each rank over a step -----------------------------------===//
#include "ir/Plan.h"
#include "simulate/plan/StepWaits.h"
#include "support/Json.h"
#include <array>

namespace dpl::simulation {

enum class RankActivity : std::uint8_t {
  Computes,
  Communicates, ///< waits for communication that is in progress
  Waits,        ///< waits for ranks that have not started the awaited communication
  Samples,      ///< waits for samples
  Idle          ///< waits at the barrier, or has finished
};
constexpr std::size_t rankActivities = 5;

struct TimelinePart {
  RankActivity activity = RankActivity::Computes;
  std::uint64_t from = 0, to = 0; ///< ps
};

/// The activities from the start to the end of the step, without gaps.
std::vector<TimelinePart> timelineOf(const std::vector<StepWait>& waits, std::uint64_t through,
                                     std::uint64_t end);

struct RankTimeline {
  std::uint32_t pipelineRank = 0, device = 0; ///< first device that it represents
  bool slowest = false;                       ///< whether it is the slowest of its pipeline rank
  std::vector<TimelinePart> parts;
  /// Total ps by activity.
  std::array<std::uint64_t, rankActivities> sums() const;
};

struct StepTimeline {
  std::uint64_t step = 0; ///< index from 0
  std::uint64_t time = 0; ///< ps
  bool drawn = false;     ///< whether the times of other steps differ
  std::vector<RankTimeline> ranks;
};

/// The activities as a row of `width` columns for each rank, and their sums.
std::string renderText(const ir::Plan& plan, const StepTimeline& timeline, unsigned width);
Json renderJson(const StepTimeline& timeline);

} // namespace dpl::simulation
