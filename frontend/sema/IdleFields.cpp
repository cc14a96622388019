//===- IdleFields.cpp - Fields that are accepted and have no effect yet -----------------------===//
#include "frontend/sema/IdleFields.h"
#include "llvm/ADT/StringRef.h"
using namespace dpl::sema;

llvm::ArrayRef<IdleField> dpl::sema::idleFields() {
  static constexpr IdleField rows[] = {
#define IDLE(SCHEMA, FIELD, WHY) {SCHEMA, FIELD, WHY},
#include "frontend/sema/IdleFields.def"
  };
  return rows;
}

const IdleField* dpl::sema::idleField(llvm::StringRef schema, llvm::StringRef field) {
  for (const IdleField& row : idleFields())
    if (schema == row.schema && (!*row.field || field == row.field))
      return &row;
  return nullptr;
}
