#pragma once
//===- Schemas.h - Resolves schema declarations on demand -------------------------------------===//
#include "frontend/sema/Modules.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace dpl::sema {

class Schemas {
public:
  Schemas(Shared& shared, Modules& modules) : shared(shared), modules(modules) {}

  /// The schema that a name means in a module. Null, without a report, if there is none.
  const Schema* find(SourceModule& module, llvm::StringRef name);
  /// The schema of a declaration; null if it has errors, which were reported.
  const Schema* get(Declared declared);
  const Type& typeOf(const FieldDecl& field);
  const Type& resolve(const ast::TypeExpr& type, SourceModule& module);
  /// Resolves the type of every field. This finds errors in schemas that no block uses.
  void check(const Schema& schema);
  /// The names that can be the kind of a block in a module.
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
  std::vector<const ast::SchemaDecl*> making; ///< declarations that are being resolved, by which
                                              ///< cycles of `from` are found
  bool tooDeep = false; ///< whether a chain that is too deep was reported; it is reported once, not
                        ///< for each of its ends
};

} // namespace dpl::sema
