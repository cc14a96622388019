//===- Main.cpp - dplc ------------------------------------------------------------------------===//
#include "support/FileIo.h"
#include "support/diagnostics/Tools.h"
#include "tools/dplc/CommandLine.h"
#include "tools/dplc/Session.h"
#include "llvm/Support/ErrorHandling.h"
#include <atomic>
#include <csignal>
#include <malloc.h>
#include <new>
#include <unistd.h>
using namespace dpl;
using namespace dpl::tool;

namespace {
/// The message that memory is exhausted. It is made in advance, because it could not be allocated
/// at that time.
std::string lastWords;
[[noreturn]] void outOfMemory() {
  static std::atomic_flag told = ATOMIC_FLAG_INIT;
  while (told.test_and_set()) // another thread prints the message and ends the process
    ::pause();
  (void)writeAll(STDERR_FILENO, lastWords.empty() ? "error[DPL0723]: there is no more memory\n"
                                                  : llvm::StringRef(lastWords));
  std::_Exit(ExitIo);
}
/// Installs the handler before `main`, because constructors of libraries allocate memory.
[[gnu::constructor(101)]] void outOfMemoryBeforeMain() { std::set_new_handler(outOfMemory); }

void prepareOutOfMemory() {
  DiagnosticEngine diags;
  (void)diags.report<diag::NoMoreMemory>({}).help(
      "the file needs more memory than this machine has");
  diags.endPhase();
  lastWords = renderText(diags, SourceManager(), false);
  std::set_new_handler(outOfMemory);
  llvm::install_bad_alloc_error_handler([](void*, const char*, bool) { outOfMemory(); }, nullptr);
}
} // namespace

int main(int argc, char** argv) {
  // A closed pipe leads to an exit code and does not kill the process.
  std::signal(SIGPIPE, SIG_IGN);
  // An exceeded limit on file sizes becomes an error that is reported.
  std::signal(SIGXFSZ, SIG_IGN);
  // Blocks above this size are returned to the system when they are freed. By default glibc raises
  // the threshold to the largest freed block, and its heap becomes fragmented.
  mallopt(M_MMAP_THRESHOLD, 1 << 20);
  prepareOutOfMemory();
  const CommandLine line = parseCommandLine(argc, argv);
  Session session(line.command.options);
  if (line.command.run && argc > 1)
    session.progress.begin(STDERR_FILENO, std::string("dplc ") + argv[1]);
  const int code = runCommand(line, session);
#ifdef NDEBUG
  // All output is written. Ending the process here is faster than running destructors.
  std::_Exit(code);
#else
  return code;
#endif
}
