//===- CommonValues.cpp - Values that files often write ---------------------------------------===//
#include "frontend/names/CommonValues.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
using namespace dpl;
using namespace dpl::names;

namespace {
/// A row of the table. Values are separated by `|`.
struct CommonRow {
  llvm::StringLiteral field, usual, listed;
};
constexpr CommonRow table[] = {
#define COMMON(FIELD, USUAL, LISTED) {FIELD, USUAL, LISTED},
#include "frontend/names/CommonValues.def"
#undef COMMON
};

std::vector<llvm::StringRef> valuesOf(llvm::StringRef name, bool listed) {
  std::vector<llvm::StringRef> out;
  const auto* row = llvm::find_if(table, [&](const CommonRow& one) { return one.field == name; });
  if (row == std::end(table))
    return out;
  for (const llvm::StringRef all :
       {listed ? row->listed : row->usual, listed ? row->usual : row->listed}) {
    llvm::StringRef rest = all;
    while (!rest.empty()) {
      const auto [value, after] = rest.split('|');
      if (!llvm::is_contained(out, value))
        out.push_back(value);
      rest = after;
    }
  }
  return out;
}
} // namespace

std::string names::tableName(const sema::FieldDecl& field) {
  const std::string owner = field.owner->name.str();
  if (field.ofMember)
    for (const sema::ChoiceSchema* choice : field.owner->members)
      for (const sema::FieldDecl& one : choice->fields)
        if (one.ast == field.ast)
          return fmt::format("{}.{}.{}", owner, choice->name, field.name());
  return fmt::format("{}.{}", owner, field.name());
}

bool names::isListed(llvm::StringRef text) {
  return text.contains("std.textbook") || text.contains("layer_list");
}

std::vector<llvm::StringRef> names::commonValuesOf(const sema::FieldDecl& field, bool listed) {
  return valuesOf(tableName(field), listed);
}

std::vector<llvm::StringRef> names::commonFigures() { return valuesOf("figure", false); }
