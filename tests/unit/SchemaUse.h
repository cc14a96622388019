#pragma once
//===- SchemaUse.h - Which fields of the library's schemas a set of files sets ----------------===//
#include "frontend/sema/ParsedFiles.h"
#include "llvm/ADT/StringMap.h"
#include <set>
#include <string>
#include <vector>

namespace dpl::test {

/// Collects the fields that files set, by the names of FieldCases: "device.launch_overhead",
/// "recompute.full.layers". A field that a block inherits is one of the schema that declares it.
class SchemaUse {
public:
  SchemaUse();
  /// Every field that the library's prelude declares, in the order of its text.
  const std::vector<std::string>& declared() const { return fields; }
  const std::set<std::string>& used() const { return seen; }
  /// The blocks of `text` and the values of its fields. Mistakes in it do not matter.
  void read(const std::string& name, std::string text);

private:
  /// What the names of a block are looked up in: a schema, and the choice of it that the block
  /// follows. Without the choice, a name counts that only one choice has.
  struct Place {
    const ast::SchemaDecl* schema = nullptr;
    const ast::ChoiceMember* choice = nullptr;
  };
  const ast::SchemaDecl* schemaNamed(llvm::StringRef name) const { return schemas.lookup(name); }
  bool derives(const ast::SchemaDecl* schema, const ast::SchemaDecl* from) const;
  const ast::SchemaField* field(const Place& place, llvm::StringRef name, bool use);
  const ast::TypeExpr* path(Place place, llvm::ArrayRef<ast::PathStep> steps);
  void block(const ast::Block& block, const Place& place);
  void statement(const ast::Stmt& stmt, const Place& place);
  void varied(const ast::Block& block);
  void value(const ast::Expr& expr, const ast::TypeExpr& type);
  void declaration(const ast::Decl& decl);

  SourceManager sources;
  std::unique_ptr<ParsedFiles> files;
  std::string current; ///< text of the file that is read
  std::vector<std::string> fields;
  std::set<std::string> seen;
  llvm::StringMap<const ast::SchemaDecl*> schemas;
  llvm::StringMap<const ast::SchemaDecl*> blocks; ///< schema of each block, by its name
};

} // namespace dpl::test
