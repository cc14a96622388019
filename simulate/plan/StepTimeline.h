#pragma once
//===- StepTimeline.h - What each rank does over a step ---------------------------------------===//
#include "ir/Plan.h"
#include "simulate/plan/StepWaits.h"
#include "support/Json.h"
#include <array>

namespace dpl::simulation {

enum class RankActivity : std::uint8_t {
  Computes,
  Communicates, ///< what it needs is under way
  Waits,        ///< for others who have not set off what it needs
  Samples,      ///< waits for those of the step
  Idle          ///< is at the barrier, or through
};
constexpr std::size_t rankActivities = 5;

struct TimelinePart {
  RankActivity activity = RankActivity::Computes;
  std::uint64_t from = 0, to = 0; ///< ps
};

/// From the step's begin to its end, without a gap.
std::vector<TimelinePart> timelineOf(const std::vector<StepWait>& waits, std::uint64_t through,
                                     std::uint64_t end);

struct RankTimeline {
  std::uint32_t pipelineRank = 0, device = 0; ///< the first that it stands for
  bool slowest = false;                       ///< computes longest beside those of its rank
  std::vector<TimelinePart> parts;
  /// ps, by what it does.
  std::array<std::uint64_t, rankActivities> sums() const;
};

struct StepTimeline {
  std::uint64_t step = 0; ///< from 0
  std::uint64_t time = 0; ///< ps
  bool drawn = false;     ///< other steps take other times
  std::vector<RankTimeline> ranks;
};

/// Rows of ranks in so many columns, and what they do in all.
std::string renderText(const ir::Plan& plan, const StepTimeline& timeline, unsigned width);
Json renderJson(const StepTimeline& timeline);

} // namespace dpl::simulation
