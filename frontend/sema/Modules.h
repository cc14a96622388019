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

/// Objects that all parts of the front end share; the Compilation owns them.
struct Shared {
  SourceManager& sources;
  DiagnosticEngine& diags;
  Arena& arena;
  ParsedFiles& files;
  StandardLibrary& library; ///< the library of `files`
  NameListener onName;
  Budget budget;
  /// If not null, receives the paths of a layout's fields that an expression reads, such as
  /// "mesh.tensor". Direct reads by a `require` or an objective are left out.
  std::set<std::string>* reads = nullptr;

  /// Copies the text into the arena, so that it lives as long as the compilation.
  llvm::StringRef keep(const std::string& text) { return arena.copy(llvm::StringRef(text)); }
  /// The known name that was probably meant by `wrong` at `at`.
  Suggestion nearest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known, SourceRange at) {
    // Bounds the work, which would be quadratic in the size of a file of unknown names.
    return budget.spend(4 * known.size(), at) ? suggest(wrong, known) : Suggestion();
  }
  /// Tells the listener the meaning of the name at `use`.
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
  llvm::StringRef name;           ///< name in messages: "std.clusters", "plans/site.dpl"
  llvm::StringRef libraryName;    ///< "clusters"; empty for a file
  std::string path;               ///< normalized path of a file
  const ast::File* ast = nullptr; ///< null for the library
  llvm::StringMap<const ast::Decl*> names;
  llvm::SmallVector<Import, 4> imports;
  llvm::StringMap<std::size_t> importOfAlias; ///< index of the first import with the alias
  Environment scope;
  const ParsedFile* parsed = nullptr; ///< null for the library
  bool failed() const { return parsed && parsed->failed; }
  /// Whether a declaration with a syntax error declares the name.
  bool isLost(llvm::StringRef wanted) const { return parsed && parsed->lost.count(wanted) > 0; }
  /// Whether the name was probably declared in text with a syntax error.
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

  /// A declaration of this module.
  const ast::Decl* find(SourceModule& module, llvm::StringRef name);
  /// A declaration of this module, else of the prelude.
  Declared findVisible(SourceModule& module, llvm::StringRef name);
  /// The module of an alias; null if it is unreadable, or unknown, which sets `known` to false.
  SourceModule* imported(SourceModule& module, llvm::StringRef alias, bool& known);
  /// The import with that alias; null if there is none.
  const Import* importOf(const SourceModule& module, llvm::StringRef alias) const;
  /// A declaration of an imported module; in a library module also one of the prelude.
  Declared member(SourceModule& of, llvm::StringRef name);
  /// Like `resolve`, but without reports.
  Declared known(SourceModule& module, ast::QualifiedName name);
  /// The declaration that `models.llama3_8b`, `dgx` or `decoder` names. Reports unknown names.
  Declared resolve(SourceModule& module, ast::QualifiedName name);

  /// The names of a module, for messages.
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
  std::vector<SourceModule*> opening; ///< files that are being read, to find cycles
};

/// The name that a declaration declares; empty for assertions and imports.
llvm::StringRef declaredName(const ast::Decl& decl);
/// The meaning of a name that resolves to the declaration.
NameMeaning meaningOf(const ast::Decl& decl);

/// "a.b.c"
std::string text(ast::QualifiedName name);
SourceRange range(ast::QualifiedName name);

} // namespace dpl::sema
