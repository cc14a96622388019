#pragma once
//===- Schemas.h - Schema declarations resolved, one at a time when named ---------------------===//
#include "frontend/sema/Modules.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dpl::sema {

class Schemas {
public:
  Schemas(Shared& shared, Modules& modules) : shared(shared), modules(modules) {}

  /// The schema of that name as the module sees it; null and no message when there is none.
  const Schema* find(SourceModule& module, llvm::StringRef name);
  /// Null when it was reported as broken.
  const Schema* get(Declared declared);
  const Type& typeOf(const FieldDecl& field);
  const Type& resolve(const ast::TypeExpr& type, SourceModule& module);
  /// Resolves every field's type, so that a mistake in a schema that nothing uses is found.
  void check(const Schema& schema);
  /// Names that a block's kind could be.
  llvm::SmallVector<llvm::StringRef, 0> kinds(SourceModule& module);

private:
  const Schema* make(Declared declared);
  bool endless(const Schema& schema, const Schema& target, const std::string& chain,
               llvm::SmallPtrSetImpl<const Schema*>& seen, unsigned depth);
  void addMembers(Schema& schema);
  Type named(ast::QualifiedName name, SourceRange range, SourceModule& module);

  Shared& shared;
  Modules& modules;
  std::deque<Schema> schemas;
  std::deque<ChoiceSchema> memberStore;
  llvm::DenseMap<const ast::Decl*, const Schema*> byDecl;
  std::vector<const ast::SchemaDecl*> making; ///< for cycles of `from`
  bool tooDeep = false;                       ///< reported: a chain is too deep from each end
};

} // namespace dpl::sema
