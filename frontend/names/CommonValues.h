#pragma once
//===- CommonValues.h - Values that files often write -----------------------------------------===//
#include "frontend/sema/Schema.h"
#include <vector>

namespace dpl::names {

/// The values that plans give to a field most often, the commonest first. `listed` says that the
/// file has listed layers or clusters of std.textbook; values of such files then come first.
std::vector<llvm::StringRef> commonValuesOf(const sema::FieldDecl& field, bool listed);
/// Whether a text has listed layers or clusters of std.textbook.
bool isListed(llvm::StringRef text);
/// The figures that plans read most often, the commonest first.
std::vector<llvm::StringRef> commonFigures();
/// The name under which the table has a field: "layout.batch", "schedule.interleaved_1f1b.chunks".
std::string tableName(const sema::FieldDecl& field);

} // namespace dpl::names
