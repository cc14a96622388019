#pragma once
//===- Columns.h - Reads the numbers of a column in a CSV file --------------------------------===//
#include "frontend/sema/Modules.h"
#include "frontend/sema/Value.h"

namespace dpl::sema {

/// The arguments of `column("steps.csv", "ms")`.
struct ColumnCall {
  std::string path;   ///< path for the file reader
  Value file, column; ///< strings; `column` is a name in the first line, or a number from 1
  SourceRange range;
};

/// The numbers in line order, each with its place in the file. Poison after a report.
Value columnOf(Shared& shared, const ColumnCall& call);

} // namespace dpl::sema
