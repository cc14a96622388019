#pragma once
//===- Shares.h - Divides whole things by weight ----------------------------------------------===//
#include <cstdint>
#include <vector>

namespace dpl::simulate {

/// Divides `total` into whole shares by weight. Each share is at least 1. The rest goes to the
/// largest remainders, ties to the first. Requires total ≥ number of weights, and weights above 0.
std::vector<std::uint64_t> deal(std::uint64_t total, const std::vector<double>& weights);

} // namespace dpl::simulate
