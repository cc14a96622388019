#pragma once
//===- Arithmetic.h - Between whole base units and the doubles of cost formulas ---------------===//
#include "ir/Basics.h"
#include <cmath>

namespace dpl::ir {

/// Exact below 2^53, which no count of a plan that fits a machine reaches.
constexpr double real(std::uint64_t n) { return static_cast<double>(n); }
/// To the nearest, halves up, of 0 and more; past 2^63 it is that. As llround, which is a call; the
/// difference is exact.
constexpr std::uint64_t whole(double n) {
  if (!(n < 0x1p63))
    return std::uint64_t{1} << 63;
  const auto down = static_cast<std::int64_t>(n);
  return static_cast<std::uint64_t>(down + (n - static_cast<double>(down) >= 0.5 ? 1 : 0));
}

constexpr double toSeconds(std::uint64_t picoseconds) { return real(picoseconds) * picosecond; }
/// Past 2^63 ps it is that; schedule-pipeline refuses times that long before it adds them.
constexpr std::uint64_t toPicoseconds(double seconds) { return whole(seconds / picosecond); }

} // namespace dpl::ir
