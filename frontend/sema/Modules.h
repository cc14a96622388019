#pragma once
//===- Modules.h - Files, library modules and the names that they declare ---------------------===//
#include "frontend/sema/Budget.h"
#include "frontend/sema/NameMeaning.h"
#include "frontend/sema/Object.h"
#include "frontend/sema/ParsedFiles.h"
#include "support/Diagnostics.h"
#include "support/Near.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <set>
#include <string>

namespace dpl::sema {

/// Objects that all parts of the front end share. The Compilation owns them.
struct Shared {
  SourceManager& sources;
  DiagnosticEngine& diags;
  Arena& arena;
  ParsedFiles& files;
  StandardLibrary& library; ///< the library of `files`
  NameListener onName;
  Budget budget;
  /// If it is not null, receives the paths of a layout's fields that expressions read, such as
  /// "mesh.tensor". Fields that a `require` or an objective reads directly are left out.
  std::set<std::string>* reads = nullptr;
  bool keepsDamaged = false; ///< whether declarations with syntax errors are a part of each file

  /// Copies a text into the arena, so that it lives as long as the compilation.
  llvm::StringRef keep(const std::string& text) { return arena.copy(llvm::StringRef(text)); }
  /// The known name that was probably meant by the name `wrong`, which is at `at`.
  Suggestion nearest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known, SourceRange at) {
    // The work is limited, because a file of unknown names would take quadratic time.
    return budget.spend(4 * known.size(), at) ? suggest(wrong, known) : Suggestion();
  }
  /// Reports the meaning of the name at `use` to the listener.
  void names(SourceRange use, NameMeaning meaning) const {
    if (onName && use.valid())
      onName(use, meaning);
  }
};

struct Import {
  llvm::StringRef alias;
  const ast::ImportDecl* decl = nullptr;
  SourceModule* module =
      nullptr; ///< null if it could not be read; library modules are opened on demand
  bool opened = false;
};

struct SourceModule {
  llvm::StringRef name;           ///< name of the module in messages: "std.clusters",
                                  ///< "plans/site.dpl"
  llvm::StringRef libraryName;    ///< name in the library: "clusters"; empty for a file
  std::string path;               ///< normalized path of a file; empty for a library module
  const ast::File* ast = nullptr; ///< tree of a file; null for a library module
  llvm::StringMap<const ast::Decl*> names;
  llvm::SmallVector<Import, 4> imports;
  llvm::StringMap<std::size_t> importOfAlias; ///< index of the first import with each alias
  Environment scope;
  const ParsedFile* parsed = nullptr; ///< parsed file; null for a library module
  bool failed() const { return parsed && parsed->failed; }
  /// Whether a name is declared by a declaration that has a syntax error.
  bool isLost(llvm::StringRef wanted) const { return parsed && parsed->lost.count(wanted) > 0; }
  /// Whether a name was probably declared in text that has a syntax error.
  bool isPoisoned(llvm::StringRef unknown) const {
    return parsed && parsed->poisoned.count(unknown) > 0;
  }
  bool isLibrary() const { return !libraryName.empty(); }
};

/// A declaration and its module.
struct Declared {
  SourceModule* module = nullptr;
  const ast::Decl* decl = nullptr;
  explicit operator bool() const { return decl != nullptr; }
};

class Modules {
public:
  explicit Modules(Shared& shared) : shared(shared) {}

  /// Reads, parses and registers a file and its imports. Null if it cannot be read.
  SourceModule* openFile(const std::string& path);
  SourceModule& prelude() { return *openLibrary("prelude"); }
  SourceModule* openLibrary(llvm::StringRef name);

  /// The declaration with a name in this module.
  const ast::Decl* find(SourceModule& module, llvm::StringRef name);
  /// The declaration with a name in this module, otherwise in the prelude.
  Declared findVisible(SourceModule& module, llvm::StringRef name);
  /// The module of an alias. Null if it cannot be read, or if the alias is not known; `known` is
  /// then false.
  SourceModule* imported(SourceModule& module, llvm::StringRef alias, bool& known);
  /// The import with an alias; null if there is none.
  const Import* importOf(const SourceModule& module, llvm::StringRef alias) const;
  /// The declaration with a name in an imported module. In a library module also in the prelude.
  Declared member(SourceModule& of, llvm::StringRef name);
  /// Like `resolve`, but without error reports.
  Declared known(SourceModule& module, ast::QualifiedName name);
  /// The declaration that `models.llama3_8b`, `dgx` or `decoder` names. Reports unknown names.
  Declared resolve(SourceModule& module, ast::QualifiedName name);

  /// The names that a module declares, for messages.
  llvm::SmallVector<llvm::StringRef, 0> namesOf(SourceModule& module);
  llvm::SmallVector<llvm::StringRef, 0> aliasesOf(SourceModule& module);
  /// All files that were read, the main file first.
  std::deque<SourceModule>& all() { return modules; }

private:
  SourceModule* read(const std::string& path, SourceRange from);
  void declare(SourceModule& module);
  void addImport(SourceModule& module, const ast::ImportDecl& decl);

  Shared& shared;
  std::deque<SourceModule> modules;
  llvm::StringMap<SourceModule*> byPath, byLibraryName;
  std::vector<SourceModule*> opening; ///< files that are being read, by which cycles of imports are
                                      ///< found
};

/// The name that a declaration declares; empty for assertions and imports.
llvm::StringRef declaredName(const ast::Decl& decl);
/// The meaning of a name that stands for a declaration.
NameMeaning meaningOf(const ast::Decl& decl);

/// The name as text: "a.b.c".
std::string text(ast::QualifiedName name);
SourceRange range(ast::QualifiedName name);

} // namespace dpl::sema
