#pragma once
//===- Sandbox.h - A launch script executed where it can reach nothing ------------------------===//
#include "support/Diagnostics.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dpl::imports::sandbox {

/// What a script may use before it is stopped. Each of them is set, or nothing runs.
struct Limits {
  unsigned seconds = 20, processorSeconds = 10;
  unsigned processes = 64, openFiles = 256;
  std::uint64_t memory = std::uint64_t{1} << 30;     ///< of a process, and of all together
  std::uint64_t temporary = std::uint64_t{64} << 20; ///< what it makes, in memory
  std::uint64_t fileSize = std::uint64_t{16} << 20;
  std::uint64_t output = std::uint64_t{1} << 20;
  std::uint64_t records = std::uint64_t{1} << 20;
};

struct ScriptRun {
  std::string script; ///< a path; its folder is what the script sees
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> arguments;
  Limits limits = {};
};

/// What the script will see and may use, one thing a line; fails with a report where its folder
/// cannot be shown to it.
FailureOr<std::string> whatItSees(const ScriptRun& run, DiagnosticEngine& diags);

struct ScriptOutput {
  std::string records; ///< of the stand-ins, as they came: nothing of it is to be believed
  std::string output;  ///< standard output and error
  int status = 0;      ///< of the script
};
/// Runs the script under bubblewrap with stand-ins in place of every launcher. Without bubblewrap,
/// where a limit cannot be set, and where one is reached, it fails with a report.
FailureOr<ScriptOutput> execute(const ScriptRun& run, DiagnosticEngine& diags);

/// The commands that the records tell of, one a line, quoted for a shell, equal ones once; fails
/// with a report where a record is none, and where the script used what a program would have
/// printed that did not run.
FailureOr<std::string> commandsIn(llvm::StringRef records, const std::string& script,
                                  DiagnosticEngine& diags);

/// Descriptors that the stand-ins have in common with who starts them.
constexpr int recordPipe = 200, outputCopy = 201, firstDocument = 210;
/// A line that comes first over the pipe: all limits are set, and the script begins.
constexpr const char* ready = "ready\n";
/// The status without that line: a limit cannot be set, or a device is not there, as it says.
constexpr int lacking = 97;

/// How bubblewrap is called; `documents` are the texts of the descriptors from `firstDocument` on.
struct BubblewrapCall {
  std::vector<std::string> words, documents;
};
FailureOr<BubblewrapCall> callFor(const ScriptRun& run, const std::string& bubblewrap,
                                  DiagnosticEngine& diags);

/// The program that stands in the place of every launcher, and under which names.
llvm::StringRef standIn();
std::vector<std::string> standInNames();

/// Bounds that the kernel does not keep for a group of processes are watched here.
struct Usage {
  std::uint64_t memory = 0;               ///< of all processes below one
  std::uint64_t shared = 0;               ///< of the machine: files in memory and their inodes
  std::uint64_t total = 0, available = 0; ///< of the machine
  double processorSeconds = 0;
};
Usage usageBelow(int process);

/// Text of a stranger for people: what a terminal would take as an order is replaced.
std::string readable(llvm::StringRef text);
/// The end of it, so.
std::string lastWords(llvm::StringRef said);

} // namespace dpl::imports::sandbox
