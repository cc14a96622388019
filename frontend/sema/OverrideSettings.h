#pragma once
//===- OverrideSettings.h - `--set path=value` and questions about paths
//-----------------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FieldTexts.h"
#include "llvm/ADT/StringMap.h"

namespace dpl::sema {

/// The outermost level of a compilation. A path starts with a param, a block of the main file, an
/// imported file's alias, or a kind of which the file has one block.
class OverrideSettings {
public:
  /// `layout` is the layout of the main file whose blocks the words `layout`, `model` and `cluster`
  /// name. If it is null, each word names the only block of its kind.
  OverrideSettings(Evaluator& evaluator, SourceModule& main, const ast::BlockDecl* layout)
      : evaluator(evaluator), shared(evaluator.shared), main(main), layout(layout) {}

  LogicalResult add(const Override& setting);
  /// Whether a threshold of advice is set in a file that has no `lint` block.
  bool setsAdvice() const { return advice; }
  /// Adds to a declared block, or to the advice of a file without one, the levels that were set for
  /// it.
  void applyTo(Object& object) const;
  /// The levels of a field by its path, for `report --why`.
  std::vector<FieldLevel> history(const std::string& path);

private:
  /// The declaration that a path starts with; `depth` gets the steps that it takes.
  Declared root(llvm::ArrayRef<ast::PathStep> path, unsigned& depth, const Override& setting,
                bool report);
  /// The block of a kind that another block's header names; nothing if the header names none.
  Declared headed(SourceModule& module, const ast::BlockDecl& block, llvm::StringRef kind);
  Declared ofLayout(llvm::StringRef kind);
  Declared byKind(llvm::StringRef kind, const Override& setting, bool report, bool& isKind);
  bool isAdvice(llvm::StringRef name) const;
  void unknown(const Override& setting, const ast::Name& name,
               llvm::ArrayRef<llvm::StringRef> known);
  std::string labelOf(const SettingLevel& level, const Object& block) const;

  Evaluator& evaluator;
  Shared& shared;
  SourceModule& main;
  const ast::BlockDecl* layout;
  llvm::DenseMap<const ast::Decl*, std::vector<Setting>> byDecl; ///< under null the advice
  llvm::StringMap<SourceRange> given;                            ///< by source, block and path
  bool advice = false;
  Arena questions; ///< of paths that were asked for
};

} // namespace dpl::sema
