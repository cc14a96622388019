#pragma once
//===- SoundBlocks.h - Declarations that no error of the file affects -------------------------===//
#include "frontend/sema/Modules.h"
#include "llvm/ADT/DenseSet.h"

namespace dpl {

/// Finds the declarations without errors that do not use a declaration with one, even indirectly.
/// Any word equal to the name of a declaration counts as a use.
class SoundBlocks {
public:
  /// `said` are the diagnostics of the file and its imports, after their phases have ended.
  SoundBlocks(const sema::SourceModule& file, const SourceManager& sources,
              llvm::ArrayRef<Diagnostic> said);
  bool contains(const ast::Decl& decl) const { return !all && unsound.count(&decl) == 0; }

private:
  bool all = false; ///< an error is outside of all declarations and may affect each of them
  llvm::DenseSet<const ast::Decl*> unsound;
};

} // namespace dpl
