#pragma once
//===- Shares.h - Whole things dealt by weight ------------------------------------------------===//
#include <cstdint>
#include <vector>

namespace dpl::simulate {

/// `total` in whole shares by weight: each at least 1, what is left to the largest remainders, of
/// equal ones to the first. There are no fewer things than weights, and these are above 0.
std::vector<std::uint64_t> deal(std::uint64_t total, const std::vector<double>& weights);

} // namespace dpl::simulate
