#pragma once
//===- Loops.h - A list of operations as the repetitions that it is made of -------------------===//
#include "backends/program/source/Tables.h"
#include <vector>

namespace dpl::program {

/// Cuts a list into loops of at most 8 operations whose micro-batches grow by one each time, the
/// longest repetition first found at each place. What it appends reads back to `list`.
void appendLoops(const std::vector<twin::Operation>& list, std::vector<twin::Operation>& operations,
                 std::vector<twin::Loop>& loops);

} // namespace dpl::program
