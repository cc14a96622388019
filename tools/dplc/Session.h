#pragma once
//===- Session.h - One run of dplc: sources, diagnostics, what goes where ---------------------===//
#include "driver/workspace/Workspace.h"
#include "figures/Figures.h"
#include "support/Near.h"
#include "support/Text.h"
#include "tools/dplc/Terminal.h"
#include "tools/dplc/ToolOptions.h"

namespace dpl {
class Json;
}

namespace dpl::tool {

/// Everything that a command needs. A command appends to `out`, reports to `diags` and returns;
/// `finish` writes both and gives the exit code.
class Session {
public:
  explicit Session(ToolOptions options);

  ToolOptions options;
  Workspace workspace;
  SourceManager& sources; ///< of the workspace
  DiagnosticEngine diags;
  std::string out;
  bool exact = false; ///< `out` is a file or is read by a program, so that it is written unchanged

  /// `--warn`, `--error`, `--no-warn` and the settings; false after a report.
  bool prepare();
  /// "64MiB", "65536"; nothing after a report.
  std::optional<std::uint64_t> bytesOf(llvm::StringRef option, llvm::StringRef text);
  /// "10us"; nothing after a report.
  std::optional<std::uint64_t> picosecondsOf(llvm::StringRef option, llvm::StringRef text);
  /// Compiles a file of the command line with the settings; `-` is standard input.
  std::unique_ptr<CompiledUnit> compile(const std::string& path, bool keepNames = false,
                                        UnitPlanListener onPlan = {});
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
  /// Diagnostics to standard error; those of `check` as JSON or SARIF to standard output in place
  /// of the screen.
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

int runCheck(Session& session);
int runReport(Session& session);
int runDiff(Session& session);
int runSimulate(Session& session);
int runStudy(Session& session);
int runEmit(Session& session);
int runIr(Session& session);
int runFmt(Session& session);
int runShow(Session& session);
int runExplain(Session& session);
int runNew(Session& session);
int runImport(Session& session);
int runScore(Session& session);
int runCollective(Session& session);
int runCalibrate(Session& session);
int runCompletion(Session& session);

/// The page of a code from docs/explain, as Markdown; empty when there is none.
llvm::StringRef explainPage(llvm::StringRef code);

} // namespace dpl::tool
