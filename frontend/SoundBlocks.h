#pragma once
//===- SoundBlocks.h - Declarations that no error of the file affects -------------------------===//
#include "frontend/sema/Modules.h"
#include "llvm/ADT/DenseSet.h"

namespace dpl {

/// Finds the declarations that have no error and use no declaration with an error, even indirectly.
/// Every word that equals the name of a declaration counts as a use.
class SoundBlocks {
public:
  /// `said` has the diagnostics of the file and its imports, after all phases that report them.
  SoundBlocks(const sema::SourceModule& file, const SourceManager& sources,
              llvm::ArrayRef<Diagnostic> said);
  bool contains(const ast::Decl& decl) const { return !all && unsound.count(&decl) == 0; }

private:
  bool all = false; ///< whether an error is outside of all declarations, so that it may affect each
                    ///< of them
  llvm::DenseSet<const ast::Decl*> unsound;
};

} // namespace dpl
