#pragma once
//===- FieldLevels.h - The levels that set a field --------------------------------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FieldTexts.h"

namespace dpl::sema {

/// A field of a declared block, or of an object inside it.
struct FieldPlace {
  Object* block = nullptr;
  Object* object = nullptr; ///< object that has the field
  const FieldDecl* field = nullptr;
  std::vector<Setting> settings; ///< statements that set the field, the innermost last
  std::optional<Value> element;  ///< value of the element, if the path ends with an index
};

/// The field that a path names, relative to a block. None if the block has no such field, or if an
/// object on the way has no value.
std::optional<FieldPlace> placeOf(Evaluator& evaluator, Declared block,
                                  llvm::ArrayRef<ast::PathStep> path, const Environment& scope);
/// The default and the levels that set the field, the innermost last.
std::vector<FieldLevel> levelsOf(Evaluator& evaluator, const FieldPlace& place);

} // namespace dpl::sema
