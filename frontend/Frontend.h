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
  NameListener onName; ///< called with the meaning of each used name
  /// Whether `nextPlan` makes the plans one at a time, because there may be thousands. Files whose
  /// runs, launches or studies add to plans have all plans in the CompiledFile.
  bool plansOneByOne = false;
  /// Whether this compiles a point of a study. The overrides have its values, and lists of studies
  /// are not evaluated.
  bool point = false;
  /// The layout of `--layout`. Only it and the layouts that its runs also train become plans, and
  /// `layout`, `model` and `cluster` in a setting name its blocks. If it is empty or the file has
  /// no such layout, all layouts become plans.
  std::string layout = {};
};
class ParsedFiles;
struct KnownDeclarations;

/// State that the points of a study or a search share, because they compile the same file with
/// different settings. Messages of a point are in `diags` until the next one.
struct PointContext {
  explicit PointContext(ParsedFiles& files) : files(files) {}
  ParsedFiles& files;
  DiagnosticEngine diags;
  std::shared_ptr<KnownDeclarations> known = {};
  /// Paths of the searched layout's fields that expressions of the last point read, other than
  /// `require` and objectives: "mesh.tensor". The plan of the point may depend on their values in
  /// any way; of other fields it has only the values.
  std::set<std::string> reads = {};
};

/// A block of the file, and the place of its name.
struct NamedBlock {
  std::string name;
  SourceRange range;
};

/// A run that no launch of the file starts.
struct UnstartedRun {
  NamedBlock block;
  std::vector<std::string> layouts; ///< layouts of its phases
  bool lengthAlone = false;         ///< whether it sets no optimizer, checkpoint or batch
};

/// The checked content of a file. Its plans have no computed figures yet. If the file has errors,
/// it contains only plans of layouts that no error affects.
struct CompiledFile {
  std::vector<ir::Plan> plans; ///< one per `layout`; none with `plansOneByOne`
  /// Layouts of other files that a `launch` of this one starts or a `study` of this one varies.
  std::vector<ir::Plan> launched;
  std::vector<NamedBlock> searches; ///< `search layout` blocks
  /// For each search with a model and a cluster, the plan of its first candidate and the space.
  std::vector<ir::Plan> searched;
  std::vector<NamedBlock> runs, studies, launches;
  std::vector<UnstartedRun> unstarted;
  /// number of blocks of any kind; a file without blocks gets a note
  std::size_t blocks = 0;
};

/// A compilation owns everything that its messages and results refer to.
class Compilation {
public:
  Compilation(ParsedFiles& files, DiagnosticEngine& diags, FrontendOptions options);
  /// A point. The context must outlive it; the compilation before it is over.
  Compilation(PointContext& context, FrontendOptions options);
  ~Compilation();
  /// Parses, resolves and checks the file and its imports. Fails if the file cannot be read or if a
  /// setting is wrong.
  FailureOr<CompiledFile> compile(const std::string& path);
  /// With `plansOneByOne` the plan of the next layout; after the last one, which completes what
  /// the compiled file holds, nothing.
  std::optional<ir::Plan> nextPlan(CompiledFile& file);
  /// The file's id among the sources; nothing when it cannot be read.
  std::optional<std::uint32_t> source() const;
  /// The levels that set a field, as "dense3d.mesh.tensor" or "layout.mesh.tensor".
  std::vector<FieldLevel> history(const std::string& path) const;
  /// All fields of a plan's layout, model and cluster, of the file's `lint` block and of the runs
  /// that train the layout, in schema order. Fields without a value are left out. In a plan that
  /// compiler passes completed, open fields have the values that searches found.
  std::vector<WrittenField> fields(const ir::Plan& plan) const;
  /// Whether no level sets a field of a plan's layout, so that it has the schema's default. The
  /// path is below the layout: "shard.optimizer".
  bool isOpen(const ir::Plan& plan, llvm::StringRef path) const;
  /// The text of the file with a search or layout as an ordinary layout, in which these fields have
  /// these values. Paths are below the layout; those of `ofOthers` begin with another block of the
  /// file. A `require` becomes an `assert`, and objectives are left out. Empty if a block has no
  /// braces.
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
/// "layout.batch": each with its schema, choice, type, usual units, default and sentence; empty if
/// there is none.
std::string showFields(llvm::StringRef path);
/// For a word of other programs (`tp`, `zero_stage`), how to write it here, by kind of block; empty
/// for other words.
std::string showFirstWord(llvm::StringRef word);

} // namespace dpl
