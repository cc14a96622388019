#pragma once
//===- TimelineJson.h - The timeline of a step as JSON ----------------------------------------===//
#include "ir/Plan.h"
#include "support/Json.h"
#include <limits>

namespace dpl::report {

/// When each pipeline rank runs which action, in ps from the start of the step, the action whose
/// message each one needs, and the segments inside actions. A rank with more than `mostPerRank`
/// actions loses those in the middle; `left_out` says how many and when.
Json timelineJson(const ir::Plan& plan,
                  std::size_t mostPerRank = std::numeric_limits<std::size_t>::max());

} // namespace dpl::report
