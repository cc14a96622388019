#pragma once
//===- Workspace.h - Compiles files to complete plans, without input and output ---------------===//
#include "frontend/FileNames.h"
#include "frontend/Frontend.h"
#include "frontend/sema/ParsedFiles.h"
#include "planner/AutoSchedule.h"
#include "planner/TrainerRefusals.h"
#include "llvm/ADT/StringMap.h"

namespace dpl {

/// The files that a workspace has read.
struct ReadFiles {
  explicit ReadFiles(FileReader reader) : files(texts, std::move(reader)), point(files) {}
  SourceManager texts;
  ParsedFiles files;
  PointContext point;
  llvm::StringSet<> paths; ///< normalized
};

/// The place and meaning of a name.
struct NameAt {
  SourceRange use;
  NameMeaning meaning;
};

/// A file that was compiled. It keeps the texts that it was compiled from, also after an overlay.
class CompiledUnit {
public:
  ~CompiledUnit();
  /// The contents of the file. Fails if the file cannot be read, or if an override is wrong.
  FailureOr<CompiledFile> file;
  /// The plan of the next layout of the file (FrontendOptions::plansOneByOne).
  std::optional<ir::Plan> nextPlan();

  /// The id of the file among the sources; none if it cannot be read.
  std::optional<std::uint32_t> source() const { return compilation.source(); }
  /// The levels that set a field, by path: "dense3d.mesh.tensor" or "layout.mesh.tensor".
  std::vector<FieldLevel> history(const std::string& path) const;
  /// The place at which a field of a plan was last set; invalid if this is not known. The path
  /// begins with `layout`, `model` or `cluster`, which mean those of the plan.
  SourceRange placeOf(const ir::Plan& plan, llvm::StringRef path) const;
  /// The fields of a plan, with their values as a file would write them.
  std::vector<WrittenField> fieldsOf(const ir::Plan& plan) const;
  /// Whether no level sets a field of a plan. The path is relative to the layout.
  bool isOpen(const ir::Plan& plan, llvm::StringRef path) const {
    return compilation.isOpen(plan, path);
  }
  /// The text of the file in which a layout or search, and other blocks, have these values.
  std::string withValues(llvm::StringRef layout, llvm::ArrayRef<WrittenField> values,
                         llvm::ArrayRef<WrittenField> ofOthers) const {
    return compilation.withValues(layout, values, ofOthers);
  }
  /// The innermost name at a byte of a file that was compiled; none if there is none.
  std::optional<NameAt> nameAt(std::uint32_t file, std::uint32_t byte) const;

private:
  friend class Workspace;
  CompiledUnit(std::shared_ptr<ReadFiles> read, DiagnosticEngine& diags, FrontendOptions options,
               bool keepNames);
  CompiledUnit(std::shared_ptr<ReadFiles> read, FrontendOptions options);
  explicit CompiledUnit(std::shared_ptr<ReadFiles> read);
  std::shared_ptr<ReadFiles> read;
  DiagnosticEngine unreported; ///< messages of a compilation that reports nothing
  std::vector<NameAt> names;
  Compilation compilation;
};

/// Files, texts that replace files, and their parsed forms. All compilations of a workspace share
/// the library and imported files.
class Workspace {
public:
  explicit Workspace(FileReader disk = readFile);
  ~Workspace();

  /// The texts that were read. The first ones stay valid as long as the workspace.
  SourceManager& sources() { return read->texts; }
  const SourceManager& sources() const { return read->texts; }
  /// Replaces the file at the path by this text from now on. When the texts that were read exceed
  /// `keptBytes`, four times this text, or half of their limit, all of them are forgotten; memory
  /// stays flat over any number of edits.
  void overlay(const std::string& path, std::string text);

  /// Limits the bytes of all source texts, on which the limits of evaluation depend.
  void limitSources(std::size_t bytes) { read->files.limit = bytes; }

  /// Compiles a file. Its id and text are then among the sources. `keepNames` is needed for
  /// `nameAt`; FrontendOptions describes `plansOneByOne` and `layout`.
  std::unique_ptr<CompiledUnit> compile(const std::string& path, DiagnosticEngine& diags,
                                        std::vector<Override> overrides = {},
                                        bool keepNames = false, bool plansOneByOne = false,
                                        std::string layout = {});
  /// Compiles a file of which values are missing, as while a line is typed, for editors. It has the
  /// plans of the layouts that read none of these values, and reports nothing: `compile` does.
  /// Fails if the file has other syntax errors.
  std::unique_ptr<CompiledUnit> compileAroundMissingValues(const std::string& path);
  /// The meaning of the names of a file, for editors. Damaged declarations are a part of it.
  std::unique_ptr<FileNames> names(const std::string& path);
  /// Compiles a point of a study or a search. The overrides are its values. The lists of candidates
  /// and the declarations of the files are not evaluated again. All points of a workspace must be
  /// of one file. The unit is valid until the next point is compiled.
  std::unique_ptr<CompiledUnit> compilePoint(const std::string& path, DiagnosticEngine& diags,
                                             std::vector<Override> overrides, std::string layout);
  /// Fields of the searched layout that expressions of the last point read (PointContext::reads).
  const std::set<std::string>& readsOfPoint() const { return read->point.reads; }
  /// Runs all passes as one phase of messages, with the verifier in debug builds. `schedule = auto`
  /// chooses among schedules that `runs` accepts, and `mesh = auto` avoids layouts with `refusals`.
  static LogicalResult complete(ir::Plan& plan, DiagnosticEngine& diags,
                                const PipelineOptions& options = {},
                                const planner::SupportsSchedule& runs = {},
                                const planner::PlanRefusals& refusals = {});

private:
  static constexpr std::size_t keptBytes = std::size_t{1} << 20; ///< of which trees take ten times
  std::shared_ptr<ReadFiles> readNothing();
  FileReader disk;
  llvm::StringMap<std::string> overlays;
  std::shared_ptr<ReadFiles> first; ///< what `sources` returned first
  std::shared_ptr<ReadFiles> read;  ///< what is read now; units share it
};

} // namespace dpl
