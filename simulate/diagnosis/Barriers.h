#pragma once
//===- Barriers.h - Barrier amplification by the number of barriers per step ------------------===//
#include "ir/Plan.h"
#include "support/Json.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// A step of N equal parts, each followed by a barrier of all devices. The parts vary
/// independently, each with √N times the relative deviation of a whole step, so that their sum
/// varies as a step does.
struct Barriers {
  std::uint64_t barriers = 1;
  double exact = 1; ///< barrier amplification by order statistics
  double drawn = 1;
  std::optional<double> halfWidth; ///< 95 % confidence half width of `drawn`
};
/// Returns the amplification with 1, 10, 100, ... barriers per step, up to the number for which
/// positive times can have the required deviation. Empty if nothing varies, if the distribution of
/// sums is not known, or if a device keeps its random number over several steps.
std::vector<Barriers> barriersOf(const ir::Plan& plan, std::uint64_t seed);

std::string renderText(const std::vector<Barriers>& rows, unsigned width);
Json renderJson(const std::vector<Barriers>& rows);

} // namespace dpl::diagnosis
