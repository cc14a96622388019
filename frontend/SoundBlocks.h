#pragma once
//===- SoundBlocks.h - What of a file with mistakes still means something -------------------===//
#include "frontend/sema/Modules.h"
#include "llvm/ADT/DenseSet.h"

namespace dpl {

/// The declarations of a file that no error stands in and that name, directly or not, none in which
/// one does. A word that happens to be such a name counts as naming it.
class SoundBlocks {
public:
  /// `said`: what was reported of the file and of what it imports, in closed phases.
  SoundBlocks(const sema::SourceModule& file, const SourceManager& sources,
              llvm::ArrayRef<Diagnostic> said);
  bool contains(const ast::Decl& decl) const { return !all && unsound.count(&decl) == 0; }

private:
  bool all = false; ///< an error stands where no declaration of the file is, so all may be touched
  llvm::DenseSet<const ast::Decl*> unsound;
};

} // namespace dpl
