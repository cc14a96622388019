#pragma once
//===- StandardLibrary.h - The standard library, loaded a declaration at a time
//----------------===//
//
// dplc is built with the library already parsed: `image` holds, for each module, its text and one
// encoded tree a declaration. Nothing is decoded before it is named.
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace dpl {

/// The image that was linked in; defined by the generated data of `dpl_standard_library`.
llvm::StringRef embeddedLibrary();

/// What is known of a declaration without loading it.
struct LibraryEntry {
  llvm::StringRef name;
  ast::Decl::DeclKind kind;  ///< Param, Let, Schema or Block: imports and asserts have no entry
  llvm::StringRef blockKind; ///< "cluster" of `cluster dgx_h100 …`; empty for the other kinds
};

/// Modules are named without `std.`: "prelude" (always in scope), "models", "clusters".
class StandardLibrary {
public:
  /// The three must outlive the library; a module's text is added to `sources` (as "std.clusters")
  /// when something of it is loaded.
  StandardLibrary(llvm::StringRef image, SourceManager& sources, Arena& arena);
  ~StandardLibrary();

  /// In alphabetical order, `prelude` included.
  std::vector<llvm::StringRef> modules() const;
  bool hasModule(llvm::StringRef module) const;
  /// In order of the text; empty for an unknown module.
  llvm::ArrayRef<LibraryEntry> entries(llvm::StringRef module);
  /// The declaration, the same node each time; null when the module has none of that name.
  const ast::Decl* find(llvm::StringRef module, llvm::StringRef name);
  /// The imports of a module, which its declarations see.
  llvm::ArrayRef<const ast::ImportDecl*> imports(llvm::StringRef module);

  /// Which module a file of the SourceManager is; empty when it is not of the library.
  llvm::StringRef moduleOf(std::uint32_t file) const;
  /// The text of a module, and of one declaration with its doc comment; empty when unknown.
  llvm::StringRef text(llvm::StringRef module) const;
  llvm::StringRef text(llvm::StringRef module, llvm::StringRef name);

private:
  struct LibraryModule;
  LibraryModule* open(llvm::StringRef module) const;
  std::uint32_t fileOf(LibraryModule& module);
  SourceManager& sources;
  Arena& arena;
  std::vector<std::unique_ptr<LibraryModule>> held; ///< in the image's order, which is alphabetical
};

} // namespace dpl
