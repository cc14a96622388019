#pragma once
//===- Buckets.h - `gradient_bucket_size = auto` ----------------------------------------------===//
#include <cstdint>

namespace dpl::ir {

/// Layout::gradientBucket of `gradient_bucket_size = auto` until the planner has found it; none
/// till then.
constexpr std::uint64_t bucketToFind = 1;

} // namespace dpl::ir
