#pragma once
//===- Session.h - One run of dplc: sources, diagnostics, what goes where ---------------------===//
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include "support/Near.h"
#include "support/Progress.h"
#include "support/Text.h"
#include "tools/dplc/CommandLine.h"
#include "tools/dplc/Terminal.h"

namespace dpl {
class Json;
}

namespace dpl::tool {

/// Everything that a command needs. A command appends to `out`, reports to `diags` and returns;
/// `finish` writes both and gives the exit code.
class Session {
public:
  explicit Session(CompileOptions options);

  CompileOptions options;
  Workspace workspace;
  SourceManager& sources; ///< of the workspace
  DiagnosticEngine diags;
  std::string out;
  Progress progress;  ///< on standard error; `finish` ends it
  bool exact = false; ///< `out` is a file or is read by a program, so that it is written unchanged
  bool diagnosticsInOutput = false; ///< JSON and SARIF diagnostics take the place of `out`
  bool plansOfSearches = false;     ///< the plan of a search can be chosen as a layout can

  /// `--warn`, `--error`, `--no-warn` and the settings; false after a report.
  bool prepare();
  /// "64MiB", "65536"; nothing after a report.
  std::optional<std::uint64_t> bytesOf(llvm::StringRef option, llvm::StringRef text);
  /// "10us"; nothing after a report.
  std::optional<std::uint64_t> picosecondsOf(llvm::StringRef option, llvm::StringRef text);
  /// Compiles a file of the command line with the settings; `-` is standard input.
  std::unique_ptr<CompiledUnit> compile(const std::string& path, bool keepNames = false,
                                        bool plansOneByOne = false);
  /// What messages call a file of the command line: "<stdin>" for `-`.
  static std::string nameOf(const std::string& path) { return path == "-" ? "<stdin>" : path; }
  /// Those of the command line, without their places: other compilations do not know them.
  std::vector<Override> settings() const;
  /// The layout of the file that `--layout` names, or its only one; null where there is none.
  ir::Plan* meant(CompiledFile& file) const;
  /// The same; null after a report.
  ir::Plan* choose(CompiledFile& file, const std::string& path);
  /// Compiles the file, chooses the layout and runs `use` on its plan before any pass.
  void withPlan(llvm::function_ref<void(ir::Plan&, const CompiledUnit&)> use);
  /// "plan.dpl:21:3" for the fields of a plan of the unit.
  figures::FieldLocator whereSet(const ir::Plan& plan, const CompiledUnit& unit) const;
  /// Writes diagnostics to standard error and `out` to standard output; returns the exit code.
  int finish();

  /// Whether the path is `-`, `/dev/stdout` or a link to it. Output goes there without the line
  /// "wrote FILE".
  static bool isStandardOutput(const std::string& path);
  /// Writes a file that does not exist yet. An existing file is left alone, with a report; devices
  /// and pipes are written to.
  LogicalResult writeNew(const std::string& path, llvm::StringRef text);

  /// Writes a file or replaces one; any that was read is left alone, with a report.
  LogicalResult writeNextTo(const std::string& path, llvm::StringRef text);

  /// Begins a file of its own; `endFiles` puts the messages of all together.
  void beginFile();
  void endFiles();
  /// The diagnostics of one file as JSON objects, for `check --json`; `finish` prints none of them.
  std::vector<Json> releaseDiagnosticsAsJson();
  /// Writes a picture to a file. Returns the text to print: "wrote FILE", or the picture itself if
  /// the path is standard output.
  std::string writePicture(const std::string& path, std::string picture);

private:
  /// A whole number above 0 of parts of the dimension's base unit; nothing where the text is none.
  static std::optional<std::uint64_t> wholeOf(llvm::StringRef text, const char* dimension,
                                              std::int64_t parts);
  void readSettings(const std::string& path);
  /// One `PATH=VALUE`.
  void addSetting(llvm::StringRef text, Override setting);
  int exitCode() const;
  std::vector<Override> overrides;
  DiagnosticEngine silent; ///< with the mappings alone, for the next file
  DiagnosticEngine before; ///< of the files before this one
  int worst = exitOk;      ///< of the files whose diagnostics were taken
  bool rendered = false;
};

int runCheck(Session& session, const CheckOptions& options);
int runReport(Session& session, const ReportOptions& options);
int runDiff(Session& session, const DiffOptions& options);
int runSimulate(Session& session, const SimulateOptions& options);
int runStudy(Session& session, const StudyOptions& options);
int runSearch(Session& session, const SearchCommandOptions& options);
int runEmit(Session& session, const EmitOptions& options);
int runIr(Session& session, const IrOptions& options);
int runFmt(Session& session, const FmtOptions& options);
int runShow(Session& session, const ShowOptions& options);
int runExplain(Session& session, const ExplainOptions& options);
int runNew(Session& session, const NewOptions& options);
int runImport(Session& session, const ImportOptions& options);
int runScore(Session& session, const ScoreOptions& options);
int runCollective(Session& session, const CollectiveOptions& options);
int runCalibrate(Session& session, const CalibrateOptions& options);
int runCompletion(Session& session, const CompletionOptions& options);
int runHelp(Session& session, const HelpOptions& options);
int runVersion(Session& session, const VersionOptions& options);

/// The page of a code from docs/explain, or `glossary`, as Markdown; empty when there is none.
llvm::StringRef explainPage(llvm::StringRef code);

} // namespace dpl::tool
