#pragma once
//===- Memory.h - What a plan's devices hold, for people --------------------------------------===//
#include "ir/Plan.h"
#include "support/Json.h"
#include <string>
#include <vector>

namespace dpl::report {

/// A change of a plan that was tried.
struct TriedChange {
  std::string text; ///< what the file would say
  std::uint64_t peak = 0, usable = 0;
  double step = 0;        ///< seconds
  std::uint64_t host = 0; ///< bytes that it keeps in the host memory of the fullest node
};

struct TriedChanges {
  std::vector<TriedChange> tried;
  bool all = true; ///< that could be
};

/// The table of parts by pipeline rank, with what its columns mean.
std::string memoryByRank(const ir::Plan& plan, unsigned width);

/// That table, the fullest rank over the step and at its peak, and what was tried: of a plan that
/// does not fit changes that help, of one that does the largest that still do. `step` is that of
/// the plan, seconds.
std::string renderMemory(const ir::Plan& plan, const TriedChanges& changes, double step,
                         unsigned width);

/// Offloaded bytes on the fullest node and of one device of each pipeline rank; null if nothing is
/// offloaded.
Json hostJson(const ir::Plan& plan);
/// The account by rank, the fullest over the step and what was tried.
Json memoryJson(const ir::Plan& plan, const TriedChanges& changes, double step);

/// The fullest rank over the step as an SVG file, part by part.
std::string renderMemorySvg(const ir::Plan& plan);

} // namespace dpl::report
