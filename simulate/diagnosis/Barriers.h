#pragma once
//===- Barriers.h - What waiting for the slowest costs, by how often all wait -----------------===//
#include "ir/Plan.h"
#include "support/Json.h"
#include <optional>
#include <string>

namespace dpl::diagnosis {

/// A step in so many pieces of equal mean, each behind a barrier of all devices. A piece varies by
/// itself and by √pieces as much, so that their sum varies as a step does. Times over the mean.
struct Barriers {
  std::uint64_t barriers = 1;
  double exact = 1; ///< order statistics
  double drawn = 1;
  std::optional<double> halfWidth; ///< of the drawn mean, 95 % confidence
};
/// 1, 10, 100, ... pieces while a time that is positive can vary so. None where nothing varies, by
/// no family of which that is known, or where a device keeps its number over steps.
std::vector<Barriers> barriersOf(const ir::Plan& plan, std::uint64_t seed);

std::string renderText(const std::vector<Barriers>& rows, unsigned width);
Json renderJson(const std::vector<Barriers>& rows);

} // namespace dpl::diagnosis
