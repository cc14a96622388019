#pragma once
//===- Modules.h - Files, library modules and the names they declare --------------------------===//
#include "frontend/sema/Budget.h"
#include "frontend/sema/NameMeaning.h"
#include "frontend/sema/Object.h"
#include "frontend/sema/ParsedFiles.h"
#include "support/Diagnostics.h"
#include "support/Near.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include <deque>
#include <string>

namespace dpl::sema {

/// What every part of the front end works with; owned by the Compilation.
struct Shared {
  SourceManager& sources;
  DiagnosticEngine& diags;
  Arena& arena;
  ParsedFiles& files;
  StandardLibrary& library; ///< of the files
  NameListener onName;
  Budget budget;

  /// A copy that lives as long as the compilation.
  llvm::StringRef keep(const std::string& text) { return arena.copy(llvm::StringRef(text)); }
  /// Which of the known names was probably meant by the one that stands at `at`.
  Suggestion nearest(llvm::StringRef wrong, llvm::ArrayRef<llvm::StringRef> known, SourceRange at) {
    // Each is spelled anew, so a file of unknown names would cost the square of its size.
    return budget.spend(4 * known.size(), at) ? suggest(wrong, known) : Suggestion();
  }
  /// Tells who asked what a name that stands at `use` means.
  void names(SourceRange use, NameMeaning meaning) const {
    if (onName && use.valid())
      onName(use, meaning);
  }
};

struct Import {
  llvm::StringRef alias;
  const ast::ImportDecl* decl = nullptr;
  SourceModule* module =
      nullptr; ///< null when it could not be read; a library module is opened when named
  bool opened = false;
};

struct SourceModule {
  llvm::StringRef name;           ///< what messages say: "std.clusters", "plans/site.dpl"
  llvm::StringRef libraryName;    ///< "clusters"; empty for a file
  std::string path;               ///< of a file, normalised
  const ast::File* ast = nullptr; ///< null for the library
  llvm::StringMap<const ast::Decl*> names;
  llvm::SmallVector<Import, 4> imports;
  llvm::StringMap<std::size_t> importOfAlias; ///< the first of `imports` with it
  Environment scope;
  const ParsedFile* parsed = nullptr; ///< null for the library
  bool failed() const { return parsed && parsed->failed; }
  /// Whether a declaration with a syntax error gives the name.
  bool isLost(llvm::StringRef wanted) const { return parsed && parsed->lost.count(wanted) > 0; }
  /// Whether the name was probably declared in text with a syntax error.
  bool isPoisoned(llvm::StringRef unknown) const {
    return parsed && parsed->poisoned.count(unknown) > 0;
  }
  bool isLibrary() const { return !libraryName.empty(); }
};

/// A declaration and where it stands.
struct Declared {
  SourceModule* module = nullptr;
  const ast::Decl* decl = nullptr;
  explicit operator bool() const { return decl != nullptr; }
};

class Modules {
public:
  explicit Modules(Shared& shared) : shared(shared) {}

  /// Reads, parses and registers a file and the files that it imports. Null when it cannot be read.
  SourceModule* openFile(const std::string& path);
  SourceModule& prelude() { return *openLibrary("prelude"); }
  SourceModule* openLibrary(llvm::StringRef name);

  /// A declaration of the module itself.
  const ast::Decl* find(SourceModule& module, llvm::StringRef name);
  /// Own declarations first, then the prelude's.
  Declared findVisible(SourceModule& module, llvm::StringRef name);
  /// The module behind an alias; null when there is none or it failed. `known` tells which.
  SourceModule* imported(SourceModule& module, llvm::StringRef alias, bool& known);
  /// The import of that alias; null when there is none.
  const Import* importOf(const SourceModule& module, llvm::StringRef alias) const;
  /// A member of an imported module; a library module also has the prelude's names.
  Declared member(SourceModule& of, llvm::StringRef name);
  /// The same as `resolve`, with nothing said of what is unknown.
  Declared known(SourceModule& module, ast::QualifiedName name);
  /// `models.llama3_8b`, `dgx`, `decoder`: reports what is unknown.
  Declared resolve(SourceModule& module, ast::QualifiedName name);

  /// Names of a module, for messages.
  llvm::SmallVector<llvm::StringRef, 0> namesOf(SourceModule& module);
  llvm::SmallVector<llvm::StringRef, 0> aliasesOf(SourceModule& module);
  /// Every file that was read, the main one first.
  std::deque<SourceModule>& all() { return modules; }

private:
  SourceModule* read(const std::string& path, SourceRange from);
  void declare(SourceModule& module);
  void addImport(SourceModule& module, const ast::ImportDecl& decl);

  Shared& shared;
  std::deque<SourceModule> modules;
  llvm::StringMap<SourceModule*> byPath, byLibraryName;
  std::vector<SourceModule*> opening; ///< the chain of files being read, for cycles
};

/// The name that a declaration gives; empty for an assertion and an import.
llvm::StringRef declaredName(const ast::Decl& decl);
/// What a name that resolves to the declaration means.
NameMeaning meaningOf(const ast::Decl& decl);

/// "a.b.c"
std::string text(ast::QualifiedName name);
SourceRange range(ast::QualifiedName name);

} // namespace dpl::sema
