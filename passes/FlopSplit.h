#pragma once
//===- FlopSplit.h - Contiguous pieces of nearly equal FLOP ---------------------------------===//
#include <cstdint>
#include <vector>

namespace dpl {

/// Layers of consecutive pieces, one for each speed, so that the slowest piece is as fast as can be
/// and, among those, the sum of squares is least; ties go to the earlier cut. A piece takes its
/// cost over its speed. `first` and `last` are costs that the first and the last piece have besides
/// their layers (embedding, head). A piece may be empty.
std::vector<std::uint64_t> flopSplit(const std::vector<double>& layers, double first, double last,
                                     const std::vector<double>& speeds);

} // namespace dpl
