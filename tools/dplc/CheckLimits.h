#pragma once
//===- CheckLimits.h - What one check may execute ---------------------------------------------===//
#include <cstdint>

namespace dpl::tool {

/// Limits the sum of the actions of all plans of a file, because a file can have thousands of
/// layouts.
constexpr std::uint64_t mostActionsOfCheck = 32'000'000;

} // namespace dpl::tool
