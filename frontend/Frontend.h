#pragma once
//===- Frontend.h - Compiles a .dpl file to plans ---------------------------------------------===//
#include "frontend/format/Format.h"
#include "frontend/sema/FieldTexts.h"
#include "frontend/sema/NameMeaning.h"
#include "ir/Plan.h"
#include "support/Diagnostics.h"
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace dpl {

struct FrontendOptions {
  std::vector<Override> overrides;
  NameListener onName; ///< called with the meaning of each name that the file uses
  /// Whether `nextPlan` returns the plans one at a time, because there may be thousands. A file
  /// whose runs, launches or studies add to plans has all its plans in the CompiledFile.
  bool plansOneByOne = false;
  /// Whether this compiles a point of a study. The overrides are the values of the point, and lists
  /// of studies are not evaluated.
  bool point = false;
  /// The name that `--layout` gives. Only this layout, and layouts that its runs also train, become
  /// plans. In an override, `layout`, `model` and `cluster` name its blocks. If it is empty, or if
  /// the file has no such layout, all layouts become plans.
  std::string layout = {};
  /// Whether statements without a value are a part of the file, without an error. Only plans that
  /// read none of these values are made. Compilation fails after other syntax errors.
  bool keepsDamaged = false;
};
class ParsedFiles;
struct KnownDeclarations;

/// State that the points of a study or a search share, because they compile the same file with
/// different overrides. `diags` has the messages of one point until the next point is compiled.
struct PointContext {
  explicit PointContext(ParsedFiles& files) : files(files) {}
  ParsedFiles& files;
  DiagnosticEngine diags;
  std::shared_ptr<KnownDeclarations> known = {};
  /// Paths of the searched layout's fields that expressions of the last point read, apart from
  /// `require` and objectives: "mesh.tensor". The plan of the point may depend on these fields in
  /// any way. Other fields are only copied to it.
  std::set<std::string> reads = {};
};

/// A block of the file, with the place of its name.
struct NamedBlock {
  std::string name;
  SourceRange range;
};

/// A run that no launch of the file starts.
struct UnstartedRun {
  NamedBlock block;
  std::vector<std::string> layouts; ///< layouts of its phases
  bool lengthAlone = false;         ///< whether it sets only a length: no optimizer, checkpoint or
                                    ///< batch
};

/// The checked contents of a file. Its plans do not have figures yet. If the file has errors, it
/// has only the plans that no error affects.
struct CompiledFile {
  std::vector<ir::Plan> plans; ///< one plan per `layout`; none with `plansOneByOne`
  /// Plans of layouts in other files that a `launch` of this file starts or a `study` varies.
  std::vector<ir::Plan> launched;
  std::vector<NamedBlock> searches; ///< `search layout` blocks
  /// For each search with a model and a cluster, the plan of its first candidate, with the space.
  std::vector<ir::Plan> searched;
  std::vector<NamedBlock> runs, studies, launches;
  std::vector<UnstartedRun> unstarted;
  /// Number of blocks of any kind. A file without blocks gets a note.
  std::size_t blocks = 0;
};

/// A compilation owns everything that its messages and results refer to.
class Compilation {
public:
  Compilation(ParsedFiles& files, DiagnosticEngine& diags, FrontendOptions options);
  /// Compiles one point. The context must outlive the compilation, which must end before the next
  /// point.
  Compilation(PointContext& context, FrontendOptions options);
  ~Compilation();
  /// Parses, resolves and checks the file and its imports. Fails if the file cannot be read, or if
  /// an override is wrong.
  FailureOr<CompiledFile> compile(const std::string& path);
  /// With `plansOneByOne`, returns the plan of the next layout. After the last one it completes the
  /// compiled file and returns none.
  std::optional<ir::Plan> nextPlan(CompiledFile& file);
  /// The file's id among the sources; none if the file cannot be read.
  std::optional<std::uint32_t> source() const;
  /// The levels that set a field. The path is "dense3d.mesh.tensor" or "layout.mesh.tensor".
  std::vector<FieldLevel> history(const std::string& path) const;
  /// All fields of a plan's layout, model and cluster, of the file's `lint` block, and of the runs
  /// that train the layout, in schema order. Fields without a value are left out. If compiler
  /// passes have completed the plan, fields that `auto` left open have the values that were found.
  std::vector<WrittenField> fields(const ir::Plan& plan) const;
  /// Whether a field of a plan's layout has its default, because no level sets it. The path is
  /// relative to the layout: "shard.optimizer".
  bool isOpen(const ir::Plan& plan, llvm::StringRef path) const;
  /// The text of the file in which a search or layout is an ordinary layout with these values.
  /// Paths in `values` are relative to the layout; those in `ofOthers` begin with another block of
  /// the file. A `require` becomes an `assert`, and objectives are left out. Empty if a block has
  /// no braces.
  std::string withValues(llvm::StringRef layout, llvm::ArrayRef<WrittenField> values,
                         llvm::ArrayRef<WrittenField> ofOthers = {}) const;

private:
  struct CompilationState;
  std::unique_ptr<CompilationState> state;
};

/// The modules of the library ("clusters"), and the text of a module.
std::vector<std::string> libraryModules();
llvm::StringRef libraryText(llvm::StringRef module);
/// The names of all modules and declarations: "std.clusters", "std.clusters.dgx_h100", …
std::vector<std::string> libraryNames();
/// The text of a declaration with its doc comment, for `dplc show std.clusters.dgx_h100`; empty if
/// unknown.
std::string showLibrary(llvm::StringRef path);
/// The fields and choices of the prelude's schemas with a name such as "batch", "mesh.tensor" or
/// "layout.batch". Each has its schema, choice, type, usual units, default and sentence. Empty if
/// there is none.
std::string showFields(llvm::StringRef path);
/// How a word of another program (`tp`, `zero_stage`) is written in DPL, by kind of block; empty
/// for other words.
std::string showFirstWord(llvm::StringRef word);

} // namespace dpl
