#pragma once
//===- IdleFields.h - Fields that are accepted and have no effect yet -------------------------===//
#include "llvm/ADT/ArrayRef.h"

namespace dpl::sema {

/// A row of IdleFields.def.
struct IdleField {
  const char* schema;
  const char* field; ///< "" is every field of the schema
  const char* why;
};
llvm::ArrayRef<IdleField> idleFields();
/// The row that a field of a schema of the library belongs to; null when it has an effect. Without
/// a field the row of the whole schema.
const IdleField* idleField(llvm::StringRef schema, llvm::StringRef field = "");

} // namespace dpl::sema
