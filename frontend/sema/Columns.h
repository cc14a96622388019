#pragma once
//===- Columns.h - Reads the numbers of a column in a CSV file --------------------------------===//
#include "frontend/sema/Modules.h"
#include "frontend/sema/Value.h"

namespace dpl::sema {

/// The arguments of `column("steps.csv", "ms")`.
struct ColumnCall {
  std::string path;   ///< path with which the file is read
  Value file, column; ///< both are strings; `column` is a name in the first line, or a number from
                      ///< 1 on
  SourceRange range;
};

/// The numbers of a column in the order of lines, each with its place in the file. Poison after an
/// error was reported.
Value columnOf(Shared& shared, const ColumnCall& call);

} // namespace dpl::sema
