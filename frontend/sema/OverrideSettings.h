#pragma once
//===- OverrideSettings.h - Settings of `--set path=value`, and levels by path ----------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FieldTexts.h"
#include "llvm/ADT/StringMap.h"

namespace dpl::sema {

/// The innermost level of a compilation. A path begins with a param, a block of the main file, an
/// imported file's alias, or a kind of which the file has one block.
class OverrideSettings {
public:
  /// `layout` is the layout of the main file whose blocks the words `layout`, `model` and `cluster`
  /// name. If it is null, each word names the only block of its kind.
  OverrideSettings(Evaluator& evaluator, SourceModule& main, const ast::BlockDecl* layout)
      : evaluator(evaluator), shared(evaluator.shared), main(main), layout(layout) {}

  LogicalResult add(const Override& setting);
  /// Whether a threshold of `lint` is set, but the file has no `lint` block.
  bool setsAdvice() const { return advice; }
  /// Adds the levels that were set for a declared block, or for the default `lint` block.
  void applyTo(Object& object) const;
  /// The levels of a field by its path, for `report --why`.
  std::vector<FieldLevel> history(const std::string& path);

private:
  /// The declaration at the beginning of a path; `depth` receives the number of steps that name it.
  Declared root(llvm::ArrayRef<ast::PathStep> path, unsigned& depth, const Override& setting,
                bool report);
  /// The block of a kind in another block's header; nothing if there is none.
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
  llvm::DenseMap<const ast::Decl*, std::vector<Setting>> byDecl; ///< null key: `lint`
  llvm::StringMap<SourceRange> given; ///< places by source, block and path
  bool advice = false;
  Arena questions; ///< nodes of paths in `history`
};

} // namespace dpl::sema
