#pragma once
//===- Arithmetic.h - Conversions between whole base units and doubles ------------------------===//
#include "ir/Basics.h"
#include <cmath>

namespace dpl::ir {

/// Converts a count to a double, exactly below 2^53. Counts of plans that fit into memory are
/// smaller.
constexpr double real(std::uint64_t n) { return static_cast<double>(n); }
/// Rounds a number ≥ 0 to the nearest integer, halves up, and limits it to 2^63. Same result as
/// llround, but inlined; the difference below is exact.
constexpr std::uint64_t whole(double n) {
  if (!(n < 0x1p63))
    return std::uint64_t{1} << 63;
  const auto down = static_cast<std::int64_t>(n);
  return static_cast<std::uint64_t>(down + (n - static_cast<double>(down) >= 0.5 ? 1 : 0));
}

constexpr double toSeconds(std::uint64_t picoseconds) { return real(picoseconds) * picosecond; }
/// Converts seconds to ps, at most 2^63. schedule-pipeline refuses such times before it adds them.
constexpr std::uint64_t toPicoseconds(double seconds) { return whole(seconds / picosecond); }

} // namespace dpl::ir
