#pragma once
//===- Sandbox.h - Executes a launch script in isolation under bubblewrap ---------------------===//
#include "support/Diagnostics.h"
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dpl::imports::sandbox {

/// Resource limits of a script. If one of them cannot be set, nothing runs.
struct Limits {
  unsigned seconds = 20, processorSeconds = 10;
  unsigned processes = 64, openFiles = 256;
  std::uint64_t memory = std::uint64_t{1} << 30;     ///< bytes per process, and of all processes
                                                     ///< together
  std::uint64_t temporary = std::uint64_t{64} << 20; ///< bytes of files that are in memory
  std::uint64_t fileSize = std::uint64_t{16} << 20;
  std::uint64_t output = std::uint64_t{1} << 20;
  std::uint64_t records = std::uint64_t{1} << 20;
};

struct ScriptRun {
  std::string script; ///< path of the script, which sees only the folder of this file
  std::vector<std::pair<std::string, std::string>> environment;
  std::vector<std::string> arguments;
  Limits limits = {};
};

/// Describes what the script sees and may use, line by line. Fails, after a report, if the folder
/// cannot be shown to the script.
FailureOr<std::string> whatItSees(const ScriptRun& run, DiagnosticEngine& diags);

struct ScriptOutput {
  std::string records; ///< records that the stand-ins wrote; untrusted input
  std::string output;  ///< standard output and error
  int status = 0;      ///< exit status of the script
};
/// Runs the script under bubblewrap, with stand-ins for all launchers. Fails, after a report, if
/// bubblewrap is missing, or if a limit cannot be set or is reached.
FailureOr<ScriptOutput> execute(const ScriptRun& run, DiagnosticEngine& diags);

/// The distinct commands in the records, one per line, quoted for a shell. Fails, after a report,
/// if a record is malformed, or if the script reads the output of a launcher, which did not run.
FailureOr<std::string> commandsIn(llvm::StringRef records, const std::string& script,
                                  DiagnosticEngine& diags);

/// File descriptors that the stand-ins inherit.
constexpr int recordPipe = 200, outputCopy = 201, firstDocument = 210;
/// The first line in the pipe. It means that all limits are set and the script starts.
constexpr const char* ready = "ready\n";
/// Exit status if a limit cannot be set or a device is missing. The output says which.
constexpr int lacking = 97;

/// The command line of bubblewrap, and the `documents` that it reads through descriptors.
struct BubblewrapCall {
  std::vector<std::string> words, documents;
};
FailureOr<BubblewrapCall> callFor(const ScriptRun& run, const std::string& bubblewrap,
                                  DiagnosticEngine& diags);

/// The stand-in program, and the names of the launchers that it replaces.
llvm::StringRef standIn();
std::vector<std::string> standInNames();

/// Resource use of several processes, for limits that the kernel does not enforce for a group.
struct Usage {
  std::uint64_t memory = 0; ///< bytes of all processes below a process
  std::uint64_t shared = 0; ///< bytes of files in memory, with their inodes, of the machine
  std::uint64_t total = 0, available = 0; ///< bytes of the memory of the machine
  double processorSeconds = 0;
};
Usage usageBelow(int process);

/// Untrusted text, with control characters replaced, so that a terminal can show it.
std::string readable(llvm::StringRef text);
/// The last lines of the text, as `readable` prints it.
std::string lastWords(llvm::StringRef said);

} // namespace dpl::imports::sandbox
