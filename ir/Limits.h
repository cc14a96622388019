#pragma once
//===- Limits.h - Limits of a plan, so that products of its counts fit 64 bits ----------------===//
#include <cstdint>

namespace dpl::ir {

constexpr std::uint64_t mostDevices = 1ULL << 24; ///< also the largest degree of an axis
constexpr std::uint64_t mostLayers = 1'000'000;
constexpr std::uint64_t mostChunks = 512;           ///< chunks of a pipeline rank
constexpr std::uint64_t mostSequences = 1ULL << 32; ///< sequences or samples of a step
constexpr std::uint64_t mostElements = 1ULL << 32;  ///< elements of one dimension of a model
constexpr std::uint64_t mostMicroBatchCost =
    1'000'000'000;                                ///< largest entry of Layout::microBatchCosts
constexpr std::uint64_t leastBucket = 1ULL << 20; ///< bytes of the smallest gradient bucket

} // namespace dpl::ir
