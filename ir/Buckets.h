#pragma once
//===- Buckets.h - `gradient_bucket_size = auto` ----------------------------------------------===//
#include <cstdint>

namespace dpl::ir {

/// Value of Layout::gradientBucket for `gradient_bucket_size = auto` until the planner has chosen a
/// size; there are no buckets until then.
constexpr std::uint64_t bucketToFind = 1;

} // namespace dpl::ir
