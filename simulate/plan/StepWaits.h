#pragma once
//===- StepWaits.h - Waits between ranks in a step --------------------------------------------===//
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace dpl::simulation {

enum class WaitFor : std::uint8_t { Message, Collective, Barrier, Samples };

/// A wait of a rank's computation from `from` until `until`, in ps. It waits for communication that
/// the rank `cause`, possibly itself, started at `since`.
struct StepWait {
  std::uint64_t until = 0, since = 0;
  std::uint32_t cause = 0;
  WaitFor what = WaitFor::Message;
  std::uint64_t from = 0; ///< start of the wait
};

/// The waits of each simulated rank, in the order of time.
class StepWaits {
public:
  explicit StepWaits(std::uint32_t units) : waits(units) {}
  void add(std::uint32_t unit, const StepWait& wait) { waits[unit].push_back(wait); }
  const std::vector<StepWait>& of(std::uint32_t unit) const { return waits[unit]; }
  /// Returns the waits of a rank and clears them.
  std::vector<StepWait> release(std::uint32_t unit) { return std::exchange(waits[unit], {}); }
  std::uint32_t ranks() const { return static_cast<std::uint32_t>(waits.size()); }

private:
  std::vector<std::vector<StepWait>> waits;
};

/// A part of the critical path. While it lasts, only this part keeps the step from being shorter.
struct PathPart {
  std::uint32_t rank = 0;
  bool computes = false;
  WaitFor what = WaitFor::Message; ///< communication in progress, if `computes` is false
  std::uint64_t from = 0, to = 0;  ///< ps
};

/// Follows the step back from its end, which rank `last` reached at `end`: its computation, the
/// wait before that, the rank that caused the wait, and so on. Returns the parts in the order of
/// time, without gaps. Times are relative to `begin`.
std::vector<PathPart> criticalPath(const StepWaits& waits, std::uint32_t last, std::uint64_t begin,
                                   std::uint64_t end);

} // namespace dpl::simulation
