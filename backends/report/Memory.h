#pragma once
//===- Memory.h - Memory of a plan's devices, for people --------------------------------------===//
#include "ir/Plan.h"
#include "support/Json.h"
#include <string>
#include <vector>

namespace dpl::report {

/// A change of the plan that was tried, with its effects.
struct TriedChange {
  std::string text; ///< the change as text of a file
  std::uint64_t peak = 0, usable = 0;
  double step = 0;        ///< step time in seconds
  std::uint64_t host = 0; ///< bytes of host memory on the fullest node
};

struct TriedChanges {
  std::vector<TriedChange> tried;
  bool all = true; ///< whether all possible changes were tried
};

/// The table of memory components by pipeline rank, and the meaning of its columns.
std::string memoryByRank(const ir::Plan& plan, unsigned width);

/// The memory by rank, the fullest rank over the step and at its peak, and the tried changes. If
/// the plan does not fit, these are changes after which it fits. If it fits, they are the largest
/// changes after which it still fits. `step` is the step time of the plan in seconds.
std::string renderMemory(const ir::Plan& plan, const TriedChanges& changes, double step,
                         unsigned width);

/// Offloaded bytes: on the fullest node, and per device of each pipeline rank. Null if nothing is
/// offloaded.
Json hostJson(const ir::Plan& plan);
/// The memory by rank, the fullest rank over the step, and the tried changes, as JSON.
Json memoryJson(const ir::Plan& plan, const TriedChanges& changes, double step);

/// The memory components of the fullest rank over the step, as an SVG file.
std::string renderMemorySvg(const ir::Plan& plan);

} // namespace dpl::report
