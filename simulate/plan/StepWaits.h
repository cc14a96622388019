#pragma once
//===- StepWaits.h - Who waited for whom in a step ----------------------------------------===//
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dpl::simulation {

enum class WaitFor : std::uint8_t { Message, Collective, Barrier, Samples };

/// A unit's computation waited from `from` until `until` for what a unit, which may be itself, set
/// off at `since`; ps.
struct StepWait {
  std::uint64_t until = 0, since = 0;
  std::uint32_t cause = 0;
  WaitFor what = WaitFor::Message;
  std::uint64_t from = 0; ///< when it began to
};

/// Of each unit, what its computation waited for, in the order of time.
class StepWaits {
public:
  explicit StepWaits(std::uint32_t units) : waits(units) {}
  void add(std::uint32_t unit, const StepWait& wait) { waits[unit].push_back(wait); }
  const std::vector<StepWait>& of(std::uint32_t unit) const { return waits[unit]; }
  /// Leaves none of them.
  std::vector<StepWait> release(std::uint32_t unit) { return std::exchange(waits[unit], {}); }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(waits.size()); }

private:
  std::vector<std::vector<StepWait>> waits;
};

/// What someone does on the critical path; until the next one begins nothing else could make the
/// step shorter.
struct PathPart {
  std::uint32_t rank = 0;
  bool computes = false;
  WaitFor what = WaitFor::Message; ///< that is under way where it does not
  std::uint64_t from = 0, to = 0;  ///< ps
};

/// From the end of the step, which `last` reached at `end`, back: what it computed, what it waited
/// for before that, who set that off, and so on. In the order of time, without a gap, counted from
/// `begin`.
std::vector<PathPart> criticalPath(const StepWaits& waits, std::uint32_t last, std::uint64_t begin,
                                   std::uint64_t end);

} // namespace dpl::simulation
