//===- Main.cpp - dplc ------------------------------------------------------------------------===//
#include "support/FileIo.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/Session.h"
#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <malloc.h>
#include <new>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// What is said when there is no more memory: written before, as nothing can be made then.
std::string lastWords;
[[noreturn]] void outOfMemory() {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  while (told.test_and_set()) // another thread prints the message and ends the process
    ::pause();
  (void)writeAll(STDERR_FILENO, lastWords.empty() ? "error[DPL0723]: there is no more memory\n"
                                                  : llvm::StringRef(lastWords));
  std::_Exit(exitIo);
}
/// Installs the handler before `main`, because constructors of libraries allocate memory.
[[gnu::constructor(101)]] void outOfMemoryBeforeMain() { std::set_new_handler(outOfMemory); }

void prepareOutOfMemory() {
  DiagnosticEngine diags;
  (void)diags.report<diag::NoMoreMemory>({}).help("the file is larger than this machine can take");
  diags.endPhase();
  lastWords = renderText(diags, SourceManager(), false);
  std::set_new_handler(outOfMemory);
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { outOfMemory(); }, nullptr);
}
int run(CommandLine& line, Session& session) {
  if (!line.run) {
    if (line.exitCode == exitOk) {
      session.out = line.text;
      return session.finish();
    }
    (void)session.diags.report<diag::UsageError>({}, line.text).help(line.help);
    // `check --json` prints its object whatever happens.
    return line.options.command == ToolCommand::Check ? runCheck(session) : session.finish();
  }
  switch (line.options.command) {
  case ToolCommand::Check:
    return runCheck(session);
  case ToolCommand::Report:
    return runReport(session);
  case ToolCommand::Diff:
    return runDiff(session);
  case ToolCommand::Simulate:
    return runSimulate(session);
  case ToolCommand::Study:
    return runStudy(session);
  case ToolCommand::Emit:
    return runEmit(session);
  case ToolCommand::Ir:
    return runIr(session);
  case ToolCommand::Fmt:
    return runFmt(session);
  case ToolCommand::Show:
    return runShow(session);
  case ToolCommand::Explain:
    return runExplain(session);
  case ToolCommand::New:
    return runNew(session);
  case ToolCommand::Import:
    return runImport(session);
  case ToolCommand::Score:
    return runScore(session);
  case ToolCommand::Collective:
    return runCollective(session);
  case ToolCommand::Calibrate:
    return runCalibrate(session);
  case ToolCommand::Completion:
    return runCompletion(session);
  }
  return exitUsage;
}
} // namespace

int main(int argc, char** argv) {
  // A reader that goes away is an exit code, not a signal that kills.
  std::signal(SIGPIPE, SIG_IGN);
  // A limit on the size of files is an error that we report.
  std::signal(SIGXFSZ, SIG_IGN);
  // What is larger goes back to the machine when it is freed. Left alone, glibc keeps blocks of the
  // size of the largest that was, between which what lives longer lies.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  prepareOutOfMemory();
  CommandLine line = parseCommandLine(argc, argv);
  Session session(line.options);
  const int code = run(line, session);
#ifdef NDEBUG
  // All is written. What is left goes with the process faster than it is taken apart.
  std::_Exit(code);
#else
  return code;
#endif
}
