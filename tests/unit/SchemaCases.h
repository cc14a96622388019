#pragma once
//===- SchemaCases.h - Random files with `mesh = auto`, drawn from the library's schemas ------===//
#include "frontend/ast/Ast.h"
#include "frontend/sema/ParsedFiles.h"
#include "ir/Plan.h"
#include "llvm/ADT/StringMap.h"
#include <random>

namespace dpl::test {

/// The number in the variable. Without it `usual`, or with DPL_LONG=1 `longer`, if that is not 0.
std::uint64_t numberOf(const char* variable, std::uint64_t usual, std::uint64_t longer = 0);

/// Files of a library model on a library cluster with random settings of some fields. The fields
/// and their possible values are read from the declarations of prelude.dpl, so that a new field is
/// drawn as soon as it is declared. Each call gives another case, and the sequence is the same on
/// every machine.
class SchemaCases {
public:
  explicit SchemaCases(unsigned seed);
  ~SchemaCases();

  /// A plan that the front end has lowered and whose fixed fields break no rule.
  ir::Plan plan();
  /// The file of the last plan.
  const std::string& text() const { return file; }
  std::uint64_t below(std::uint64_t n) { return random() % n; }

private:
  struct Setting {
    std::string path, value;
  };
  /// The settings of one block, each on a line of its own.
  using Settings = std::vector<Setting>;
  /// The settings of a file's three blocks.
  struct Draft {
    /// Names of library blocks, and the lines that every layout has.
    std::string model, cluster, head;
    Settings ofModel, ofCluster, ofLayout;
  };

  void readPrelude();
  std::vector<std::string> blocksOf(const char* library, const char* schema);
  bool chance(unsigned percent) { return below(100) < percent; }
  std::string one(std::initializer_list<const char*> of) { return of.begin()[below(of.size())]; }
  Draft draft();
  /// A random field of a schema, or of a block that it holds.
  std::optional<Setting> setting(const ast::SchemaDecl& schema, const std::string& above);
  std::optional<std::string> value(const ast::TypeExpr& type, unsigned depth);
  std::optional<std::string> choice(const ast::SchemaDecl& schema, unsigned depth);
  std::optional<std::string> block(llvm::ArrayRef<ast::SchemaField> fields, unsigned depth);
  void named(Settings& to, const char* field);
  std::string textOf(const Draft& draft) const;
  std::optional<ir::Plan> compiled(Draft& draft);
  void drop(Draft& draft, std::uint64_t line);

  std::mt19937 random;
  SourceManager sources;
  std::unique_ptr<ParsedFiles> files;
  llvm::StringMap<const ast::SchemaDecl*> schemas;
  std::vector<std::string> models, clusters;
  std::string file;
};

} // namespace dpl::test
