#pragma once
//===- FlopSplit.h - Divides layers into contiguous parts of nearly equal FLOP ----------------===//
#include <cstdint>
#include <vector>

namespace dpl {

/// Returns the number of layers of each consecutive part, one part per speed. It minimizes the time
/// (cost over speed) of the slowest part, then the sum of squares; ties go to the earlier cut.
/// `first` and `last` are additional costs of the first and the last part (embedding, head). Parts
/// may be empty.
std::vector<std::uint64_t> flopSplit(const std::vector<double>& layers, double first, double last,
                                     const std::vector<double>& speeds);

} // namespace dpl
