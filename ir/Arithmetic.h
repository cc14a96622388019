#pragma once
//===- Arithmetic.h - Between whole base units and the doubles of cost formulas ---------------===//
#include "ir/Basics.h"
#include <cmath>

namespace dpl::ir {

/// Exact below 2^53, which no count of a plan that fits a machine reaches.
constexpr double real(std::uint64_t n) { return static_cast<double>(n); }
/// To the nearest; for 0 ≤ n < 2^63.
inline std::uint64_t whole(double n) { return static_cast<std::uint64_t>(std::llround(n)); }

constexpr double toSeconds(std::uint64_t picoseconds) { return real(picoseconds) * picosecond; }
inline std::uint64_t toPicoseconds(double seconds) { return whole(seconds / picosecond); }

} // namespace dpl::ir
