#pragma once
//===- CompilationState.h - The state of one compilation --------------------------------------===//
//
// Frontend.cpp checks declarations and lowers layouts to plans. LayoutUsers.cpp adds the runs,
// launches and studies that use these layouts.
#include "frontend/Frontend.h"
#include "frontend/SoundBlocks.h"
#include "frontend/sema/Checker.h"
#include "frontend/sema/Lower.h"
#include "frontend/sema/OverrideSettings.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include <optional>

namespace dpl {

/// The declarations of a file. They do not depend on overrides, so all compilations of the file
/// share them.
struct KnownDeclarations {
  KnownDeclarations(ParsedFiles& files, DiagnosticEngine& diags, NameListener onName)
      : shared{files.sources,         diags, arena, files, files.library, std::move(onName),
               {diags, files.steps()}},
        modules(shared), schemas(shared, modules) {}

  Arena arena; ///< nodes that compilations add to those of the parsed files
  sema::Shared shared;
  sema::Modules modules;
  sema::Schemas schemas;
};

struct Compilation::CompilationState {
  CompilationState(std::shared_ptr<KnownDeclarations> declarations, FrontendOptions givenOptions)
      : options(std::move(givenOptions)), known(std::move(declarations)), shared(known->shared),
        modules(known->modules), schemas(known->schemas), evaluator(shared, modules, schemas),
        checker(evaluator, options.point) {}

  FailureOr<CompiledFile> compile(const std::string& path);
  void checkDeclarations();
  void checkSchemas();
  bool isOtherLayout(const ast::BlockDecl& block);
  void checkLints();
  bool isLint(const ast::Decl& decl);
  sema::Object* defaultLint();
  std::optional<ir::Plan> lowerLayout(sema::Object& layout);
  std::optional<ir::Plan> lowerSearch(sema::Object& search);
  ir::Plan* planFor(sema::Object& layout, CompiledFile& out, bool anywhere);
  void withRun(sema::Object& run, CompiledFile& out, bool anywhere,
               llvm::function_ref<void(const sema::ObjectFields&, sema::Object&, ir::Plan&)> use);
  void lowerStudyOfCluster(const sema::ObjectFields& study, sema::Object& cluster,
                           CompiledFile& out);
  /// Reports that the subject of a study and its layout do not fit together.
  void refuse(const sema::ObjectFields& study, const char* why);
  /// Adds a run, a launch or a study to the plans of the layouts that it names.
  void lowerUser(sema::Object& object, CompiledFile& out);
  bool plansGrow();
  std::optional<ir::Plan> nextPlan(CompiledFile& out);
  std::optional<ir::Plan> lowerBlock(const ast::Decl& decl, CompiledFile& out);
  const ast::BlockDecl* namedLayout();
  void findWanted(const ast::BlockDecl* layout);
  bool isWanted(const ast::BlockDecl* layout) const {
    return wanted.empty() || wanted.count(layout) != 0;
  }
  sema::Object* layoutOf(const ir::Plan& plan);
  bool isOpen(const ir::Plan& plan, llvm::StringRef field);
  std::vector<WrittenField> fields(const ir::Plan& plan);
  sema::Object& withFoundFields(sema::Object& layout, const ir::Plan& plan);
  void findUnstarted(CompiledFile& out);

  FrontendOptions options;
  bool oneByOne = false;            ///< whether `nextPlan` returns the plans one at a time
  bool told = true;                 ///< whether all errors are known; false if some were not
                                    ///< reported
  std::size_t nextBlock = 0;        ///< index of the declaration that is lowered next
  bool complete = false;            ///< whether all blocks are lowered, runs and studies included
  std::optional<SoundBlocks> sound; ///< blocks without errors; set after the checks
  std::shared_ptr<KnownDeclarations> known;
  sema::Shared& shared;
  sema::Modules& modules;
  sema::Schemas& schemas;
  sema::Evaluator evaluator;
  sema::Checker checker;
  sema::SourceModule* main = nullptr;
  std::unique_ptr<sema::OverrideSettings> settings;
  /// The place of a layout's plan: an index in `plans`, `launched` or `searched`.
  struct PlanPlace {
    std::size_t index;
    std::vector<ir::Plan> CompiledFile::*list;
    sema::Object* layout;
  };
  llvm::MapVector<const ast::BlockDecl*, PlanPlace> planOf;
  llvm::SmallPtrSet<const ast::BlockDecl*, 4> wanted; ///< layouts to lower; empty for all
  /// Pairs of a run and a layout that are already lowered.
  llvm::SetVector<std::pair<sema::Object*, const ast::BlockDecl*>> runsLowered;
  llvm::DenseSet<const sema::Schema*> broken;  ///< schemas whose declaration has a reported error
  std::optional<const ast::Decl*> writtenLint; ///< the file's `lint` block, or null; set when it is
                                               ///< first needed
  sema::Object* advice = nullptr; ///< the default lint, for a file without a `lint` block
  std::string path;
};

} // namespace dpl
