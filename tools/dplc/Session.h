#pragma once
//===- Session.h - One run of dplc: sources, diagnostics and outputs --------------------------===//
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
struct Answer;

/// The state of one command. A command appends to `out`, reports to `diags` and returns;
/// `finish` writes both and gives the exit code.
class Session {
public:
  explicit Session(CompileOptions options);

  CompileOptions options;
  Workspace workspace;
  SourceManager& sources; ///< sources of the workspace
  DiagnosticEngine diags;
  std::string out;
  Progress progress;  ///< shown on standard error until `finish`
  bool exact = false; ///< `out` is a file or is read by a program, and is written unchanged
  bool diagnosticsInOutput = false; ///< JSON and SARIF diagnostics take the place of `out`
  bool plansOfSearches = false;     ///< the plan of a search can be chosen as a layout can
  Answer* answer = nullptr;         ///< takes what `finish` would write; null: the standard streams

  /// Applies `--warn`, `--error`, `--no-warn` and the settings; false after a report.
  bool prepare();
  /// The number of bytes of a text such as "64MiB" or "65536"; none after a report.
  std::optional<std::uint64_t> bytesOf(llvm::StringRef option, llvm::StringRef text);
  /// The picoseconds of a text such as "10us"; none after a report.
  std::optional<std::uint64_t> picosecondsOf(llvm::StringRef option, llvm::StringRef text);
  /// Compiles a file of the command line with the settings; `-` is standard input.
  std::unique_ptr<CompiledUnit> compile(const std::string& path, bool keepNames = false,
                                        bool plansOneByOne = false);
  /// The name of a file in messages: "<stdin>" for `-`.
  static std::string nameOf(const std::string& path) { return path == "-" ? "<stdin>" : path; }
  /// The settings of the command line, without source ranges, because other compilations could not
  /// resolve these.
  std::vector<Override> settings() const;
  /// The layout of the file that `--layout` names, or its only one; null if there is none.
  ir::Plan* meant(CompiledFile& file) const;
  /// The layout that `meant` finds; null after a report.
  ir::Plan* choose(CompiledFile& file, const std::string& path);
  /// Compiles the file, chooses the layout and runs `use` on its plan before any pass.
  void withPlan(llvm::function_ref<void(ir::Plan&, const CompiledUnit&)> use);
  /// Returns a function that gives the place of a field of the plan: "plan.dpl:21:3".
  figures::FieldLocator whereSet(const ir::Plan& plan, const CompiledUnit& unit) const;
  /// Reports an error of the command line.
  void wrongUsage(const std::string& what, const std::string& help = "");
  /// Writes diagnostics to standard error and `out` to standard output; returns the exit code.
  int finish();
  /// Reports an error of the command line, and finishes.
  int refuse(const std::string& what, const std::string& help = "") {
    wrongUsage(what, help);
    return finish();
  }

  /// Whether the path is `-`, `/dev/stdout` or a link to it. Output to it is not followed by the
  /// line "wrote FILE".
  static bool isStandardOutput(const std::string& path);
  /// Writes a new file. An existing file is reported and not changed, except devices and pipes.
  LogicalResult writeNew(const std::string& path, llvm::StringRef text);

  /// Writes or replaces a file. A file that this command has read is not changed, and this is
  /// reported.
  LogicalResult writeNextTo(const std::string& path, llvm::StringRef text);

  /// Begins the messages of the next file; `endFiles` joins the messages of all files.
  void beginFile();
  void endFiles();
  /// The diagnostics of one file as JSON objects, for `check --json`; `finish` prints none of them.
  std::vector<Json> releaseDiagnosticsAsJson();
  /// Writes a picture to a file. Returns the text to print: "wrote FILE", or the picture itself if
  /// the path is standard output.
  std::string writePicture(const std::string& path, std::string picture);

private:
  /// A quantity as a whole number, greater than 0, of units of 1 / `parts` of its base unit; none
  /// for any other text.
  static std::optional<std::uint64_t> wholeOf(llvm::StringRef text, const char* dimension,
                                              std::int64_t parts);
  void readSettings(const std::string& path);
  /// Adds the setting of one `PATH=VALUE`.
  void addSetting(llvm::StringRef text, Override setting);
  int exitCode() const;
  std::vector<Override> overrides;
  DiagnosticEngine silent; ///< engine without messages, with the severities of codes only; copied
                           ///< for each file
  DiagnosticEngine before; ///< messages of earlier files
  int worst = ExitOk;      ///< worst exit code of the files whose diagnostics were released
  bool rendered = false;
};

/// Runs a parsed command line, or reports why it is wrong; returns the exit code.
int runCommand(const CommandLine& line, Session& session);

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
int runCompare(Session& session, const CompareOptions& options);
int runCalibrate(Session& session, const CalibrateOptions& options);
int runCompletion(Session& session, const CompletionOptions& options);
int runServe(Session& session, const ServeOptions& options);
int runLsp(Session& session, const LspOptions& options);
int runMcp(Session& session, const McpOptions& options);
int runHelp(Session& session, const HelpOptions& options);
int runVersion(Session& session, const VersionOptions& options);

/// The page of a code from docs/explain, or the page `glossary`, as Markdown; empty if there is
/// none.
llvm::StringRef explainPage(llvm::StringRef code);

} // namespace dpl::tool
