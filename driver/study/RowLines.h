#pragma once
//===- RowLines.h - Rows of a study that differ in one field ----------------------------------===//
#include "ir/Space.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>

namespace dpl::study {

/// Calls `use` for each line: the rows that differ only in one field, in the order of its
/// candidates. With `zip` all rows are one line. Relies on: `rows` is the number of all points.
template <class Use>
void eachLine(const ir::Space& space, std::size_t rows, llvm::StringRef field, Use use) {
  std::size_t stride = 1, length = std::max<std::size_t>(1, rows);
  if (space.sampling.kind == ir::SamplingKind::Grid)
    for (std::size_t i = space.open.size(), below = 1; i-- > 0; below *= space.open[i].size())
      if (space.open[i].path == field)
        stride = below, length = space.open[i].size();
  std::vector<std::size_t> line(length);
  for (std::size_t row = 0; row < rows; ++row) {
    if (row / stride % length != 0)
      continue;
    for (std::size_t i = 0; i < length; ++i)
      line[i] = row + i * stride;
    use(llvm::makeArrayRef(line));
  }
}

} // namespace dpl::study
