#pragma once
//===- OverrideSettings.h - Settings of `--set path=value`, and levels by path ----------------===//
#include "frontend/sema/Evaluator.h"
#include "frontend/sema/FieldTexts.h"
#include "llvm/ADT/StringMap.h"

namespace dpl::sema {

/// The innermost level of a compilation: the overrides. A path begins with a param, a block of the
/// main file, the alias of an imported file, or a kind of block of which the file has one.
class OverrideSettings {
public:
  /// The words `layout`, `model` and `cluster` name the blocks of `layout`, a layout of the main
  /// file. If it is null, each word names the only block of its kind.
  OverrideSettings(Evaluator& evaluator, SourceModule& main, const ast::BlockDecl* layout)
      : evaluator(evaluator), shared(evaluator.shared), main(main), layout(layout) {}

  LogicalResult add(const Override& setting);
  /// Whether a threshold of `lint` is set although the file has no `lint` block.
  bool setsAdvice() const { return advice; }
  /// Adds the overrides to an object, which is a declared block or the default `lint` block.
  void applyTo(Object& object) const;
  /// The levels that set a field, by the path of the field, for `report --why`.
  std::vector<FieldLevel> history(const std::string& path);

private:
  /// The declaration that a path begins with. `depth` is set to the number of steps that name it.
  Declared root(llvm::ArrayRef<ast::PathStep> path, unsigned& depth, const Override& setting,
                bool report);
  /// The block of a kind that another block names in its header; none if there is none.
  Declared headed(SourceModule& module, const ast::BlockDecl& block, llvm::StringRef kind);
  Declared ofLayout(llvm::StringRef kind);
  Declared byKind(llvm::StringRef kind, const Override& setting, bool report, bool& isKind);
  bool isAdvice(llvm::StringRef name) const;
  void unknown(const Override& setting, const ast::Name& name,
               llvm::ArrayRef<llvm::StringRef> known);

  Evaluator& evaluator;
  Shared& shared;
  SourceModule& main;
  const ast::BlockDecl* layout;
  llvm::DenseMap<const ast::Decl*, std::vector<Setting>> byDecl; ///< overrides by declaration;
                                                                 ///< those of the default `lint`
                                                                 ///< have a null key
  llvm::StringMap<SourceRange> given; ///< places of the overrides, by source, block and path
  bool advice = false;
  Arena questions; ///< nodes for the paths of `history`
};

} // namespace dpl::sema
