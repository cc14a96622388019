#pragma once
//===- Session.h - One run of dplc: sources, diagnostics, what goes where ---------------------===//
#include "frontend/Frontend.h"
#include "passes/Pass.h"
#include "support/Near.h"
#include "support/Text.h"
#include "tools/dplc/Options.h"
#include "tools/dplc/Terminal.h"

namespace dpl::tool {

/// Everything that a command needs. A command appends to `out`, reports to `diags` and returns;
/// `finish` writes both and gives the exit code.
class Session {
public:
  explicit Session(Options options);

  Options options;
  SourceManager sources;
  DiagnosticEngine diags;
  std::string out;

  /// `--warn`, `--error`, `--no-warn` and the settings; false after a report.
  bool prepare(FrontendOptions& front);
  /// Runs all passes, the verifier between them in debug builds.
  bool complete(ir::Plan& plan, const PipelineOptions& pipeline = {});
  /// The layout that `--layout` or the file's only one names; null after a report.
  ir::Plan* choose(CompiledFile& file);
  /// Diagnostics to standard error; those of `check` as JSON or SARIF to standard output in place
  /// of the screen.
  int finish();

  /// The diagnostics so far as JSON objects, for `check --json`; `finish` then prints none.
  std::string takeDiagnosticsAsJson();

private:
  bool readSettings(const std::string& path, FrontendOptions& front);
  /// One `PATH=VALUE`; false after a report.
  bool addSetting(llvm::StringRef text, Override setting, FrontendOptions& front);
  int exitCode() const;
  bool rendered = false;
};

int runCheck(Session& session);
int runReport(Session& session);
int runEmit(Session& session);
int runIr(Session& session);
int runFmt(Session& session);
int runShow(Session& session);
int runExplain(Session& session);
int runNew(Session& session);
int runImport(Session& session);
int runCompletion(Session& session);

/// The page of a code from docs/explain, as Markdown; empty when there is none.
llvm::StringRef explainPage(llvm::StringRef code);

} // namespace dpl::tool
