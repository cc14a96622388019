#pragma once
//===- Loops.h - Compresses a list of operations into loops -----------------------------------===//
#include "backends/program/source/Tables.h"
#include <vector>

namespace dpl::program {

/// Divides a list into loops of at most 8 operations, in which the index of the micro-batch grows
/// by one per iteration. At each place it chooses the longest repetition. The appended loops expand
/// to `list`.
void appendLoops(const std::vector<twin::Operation>& list, std::vector<twin::Operation>& operations,
                 std::vector<twin::Loop>& loops);

} // namespace dpl::program
