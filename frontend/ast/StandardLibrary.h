#pragma once
//===- StandardLibrary.h - Loads declarations of the standard library on demand ---------------===//
//
// dplc contains the parsed library. For each module, `image` has the text and an encoded tree of
// each declaration. A declaration is decoded when it is first used.
#include "frontend/ast/Ast.h"
#include "support/Arena.h"
#include "llvm/ADT/StringMap.h"
#include <memory>
#include <vector>

namespace dpl {

/// The linked image, which the generated data of `dpl_standard_library` defines.
llvm::StringRef embeddedLibrary();

/// Properties of a declaration that are known without loading it.
struct LibraryEntry {
  llvm::StringRef name;
  ast::Decl::DeclKind kind; ///< kind: Param, Let, Schema or Block; imports and asserts have no
                            ///< entry
  llvm::StringRef blockKind; ///< kind of block, "cluster" for `cluster dgx_h100 …`; empty for other
                             ///< declarations
};

/// Loads modules of the library. Their names are without `std.`: "prelude" (always in scope),
/// "models", "clusters".
class StandardLibrary {
public:
  /// The arguments must outlive the library. The text of a module is added to `sources` (as
  /// "std.clusters") when one of its declarations is loaded.
  StandardLibrary(llvm::StringRef image, SourceManager& sources, Arena& arena);
  ~StandardLibrary();

  /// The modules in alphabetical order, including `prelude`.
  std::vector<llvm::StringRef> modules() const;
  bool hasModule(llvm::StringRef module) const;
  /// The entries of a module in text order; empty if the module is not known.
  llvm::ArrayRef<LibraryEntry> entries(llvm::StringRef module);
  /// A declaration of a module, always as the same node; null if the module has no such name.
  const ast::Decl* find(llvm::StringRef module, llvm::StringRef name);
  /// The imports of a module, which its declarations may use.
  llvm::ArrayRef<const ast::ImportDecl*> imports(llvm::StringRef module);

  /// The name of the module in a file; empty if the file is not of the library.
  llvm::StringRef moduleOf(std::uint32_t file) const;
  /// The text of a module, or of a declaration with its doc comment; empty if unknown.
  llvm::StringRef text(llvm::StringRef module) const;
  llvm::StringRef text(llvm::StringRef module, llvm::StringRef name);

private:
  struct LibraryModule;
  LibraryModule* open(llvm::StringRef module) const;
  std::uint32_t fileOf(LibraryModule& module);
  SourceManager& sources;
  Arena& arena;
  std::vector<std::unique_ptr<LibraryModule>> held; ///< modules in alphabetical order, as in the
                                                    ///< image
};

} // namespace dpl
