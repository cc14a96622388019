#pragma once
//===- Barriers.h - Barrier amplification by the number of barriers per step ------------------===//
#include "ir/Plan.h"
#include "support/Json.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// A step of N equal parts, each followed by a barrier of all devices. Parts vary independently,
/// with √N times the spread of a step, so that their sum varies as a step does.
struct Barriers {
  std::uint64_t barriers = 1;
  double exact = 1; ///< amplification by order statistics
  double drawn = 1;
  std::optional<double> halfWidth; ///< 95 % confidence half width of `drawn`
};
/// Returns the amplification with 1, 10, 100, ... barriers per step, as long as positive times can
/// have such a spread. Empty if nothing varies, if the sum of the distribution is not known, or if
/// a device keeps its random number over several steps.
std::vector<Barriers> barriersOf(const ir::Plan& plan, std::uint64_t seed);

std::string renderText(const std::vector<Barriers>& rows, unsigned width);
Json renderJson(const std::vector<Barriers>& rows);

} // namespace dpl::diagnosis
