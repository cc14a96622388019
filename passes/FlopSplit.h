#pragma once
//===- FlopSplit.h - Contiguous pieces of nearly equal FLOP ---------------------------------===//
#include <cstdint>
#include <vector>

namespace dpl {

/// Layers of each of `pieces` consecutive pieces so that the costliest piece is as cheap as can be
/// and, among those, the sum of squares is least; ties go to the earlier cut. `first` and `last`
/// are costs that the first and the last piece have besides their layers (embedding, head). A piece
/// may be empty.
std::vector<std::uint64_t> flopSplit(const std::vector<double>& layers, double first, double last,
                                     std::uint64_t pieces);

} // namespace dpl
