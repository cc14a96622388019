#pragma once
//===- Workspace.h - Files to completed plans, without input and output -----------------------===//
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include "planner/AutoSchedule.h"
#include "planner/TrainerRefusals.h"
#include "llvm/ADT/StringMap.h"

namespace dpl {

/// Where a name stands and what it means.
struct NameAt {
  SourceRange use;
  NameMeaning meaning;
};

/// A file that was compiled. Valid as long as its workspace.
class CompiledUnit {
public:
  ~CompiledUnit();
  /// What could be made of the file; nothing when it cannot be read or a setting is wrong.
  FailureOr<CompiledFile> file;
  /// The plans of the file's layouts one by one (FrontendOptions::plansOneByOne).
  std::optional<ir::Plan> nextPlan();

  /// Its id among the sources; nothing when it cannot be read.
  std::optional<std::uint32_t> source() const { return compilation.source(); }
  /// The chain of levels that set a field, as "dense3d.mesh.tensor" or "layout.mesh.tensor".
  std::vector<FieldLevel> history(const std::string& path) const;
  /// Where a field of a plan of this file was last set; not valid when nobody knows. The path
  /// begins with `layout`, `model` or `cluster`, those of the plan.
  SourceRange placeOf(const ir::Plan& plan, llvm::StringRef path) const;
  /// The fields of a plan of this file with the values that a file would set.
  std::vector<WrittenField> fieldsOf(const ir::Plan& plan) const;
  /// The innermost name around a byte of any file that took part; nothing where none stands or it
  /// means nothing.
  std::optional<NameAt> nameAt(std::uint32_t file, std::uint32_t byte) const;

private:
  friend class Workspace;
  CompiledUnit(ParsedFiles& files, DiagnosticEngine& diags, FrontendOptions options,
               bool keepNames);
  std::vector<NameAt> names;
  Compilation compilation;
};

/// Files, texts that take their place, and what was parsed of them: several compilations share the
/// library and what they import.
class Workspace {
public:
  explicit Workspace(FileReader disk = readFile);
  ~Workspace();

  SourceManager& sources() { return texts; }
  const SourceManager& sources() const { return texts; }
  /// From now on the path has this text, whatever the disk says.
  void overlay(const std::string& path, std::string text);

  /// How many bytes the source texts may hold together; what a compilation may work out goes with
  /// it.
  void limitSources(std::size_t bytes) { files.limit = bytes; }

  /// The file's id and text are among the sources afterwards. `keepNames` for `nameAt`;
  /// `plansOneByOne` and `layout` mean what FrontendOptions says.
  std::unique_ptr<CompiledUnit> compile(const std::string& path, DiagnosticEngine& diags,
                                        std::vector<Override> overrides = {},
                                        bool keepNames = false, bool plansOneByOne = false,
                                        std::string layout = {});
  /// A point of a study, whose values the overrides are: studies' lists are not worked out again.
  std::unique_ptr<CompiledUnit> compilePoint(const std::string& path, DiagnosticEngine& diags,
                                             std::vector<Override> overrides, std::string layout);
  /// Runs all passes, the verifier between them in debug builds, as one phase of messages.
  /// `schedule = auto` chooses of those that `runs`, and `mesh = auto` leaves out layouts with
  /// `refusals`.
  static LogicalResult complete(ir::Plan& plan, DiagnosticEngine& diags,
                                const PipelineOptions& options = {},
                                const planner::SupportsSchedule& runs = {},
                                const planner::PlanRefusals& refusals = {});

private:
  SourceManager texts;
  llvm::StringMap<std::string> overlays;
  ParsedFiles files;
};

} // namespace dpl
