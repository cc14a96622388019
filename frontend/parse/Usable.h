#pragma once
//===- Usable.h - Which damaged statements are complete enough for later phases ---------------===//
#include "frontend/ast/Ast.h"

namespace dpl {

/// Whether a statement, of which a syntax error left parts out, has the names without which later
/// phases cannot read it.
bool isUsable(const ast::Stmt& stmt);
bool isUsable(const ast::SchemaField& field);
bool isUsable(const ast::Decl& decl);

/// Whether the value of a statement is an ErrorExpr, and the rest of the statement is sound.
bool lacksValue(const ast::Stmt& stmt);
bool lacksValue(const ast::SchemaField& field);
bool lacksValue(const ast::Decl& decl);

} // namespace dpl
