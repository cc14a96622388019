#pragma once
//===- Columns.h - Numbers of a column of a CSV file ------------------------------------------===//
#include "frontend/sema/Modules.h"
#include "frontend/sema/Value.h"

namespace dpl::sema {

/// What `column("steps.csv", "ms")` asks for.
struct ColumnCall {
  std::string path;   ///< of the file, as the reader takes it
  Value file, column; ///< a string; the name in its first line, or which one, from 1
  SourceRange range;
};

/// The numbers in the order of the lines, each with its place in the file. Fails after a report
/// with a value that is poison.
Value columnOf(Shared& shared, const ColumnCall& call);

} // namespace dpl::sema
