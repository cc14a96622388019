#pragma once
//===- CommandLine.h - What the command line asks for -----------------------------------------===//
#include "tools/dplc/CommandOptions.h"
#include <functional>

namespace dpl::tool {
class Session;

/// Exit codes; docs/reference/commands.md lists them.
enum ExitCode : int {
  exitOk = 0,
  exitWrong = 1, ///< the file is wrong, the plan is illegal, or `fmt --check` found a difference
  exitUsage = 2, ///< the command line is wrong
  exitIo = 3,    ///< a file cannot be read, or the output cannot be written
};

/// A command with its options.
struct Invocation {
  CompileOptions options;           ///< those that the session needs to know
  std::function<int(Session&)> run; ///< runs the command and returns its exit code
};

/// An invocation, or what to print and the exit code (help, version, a usage error).
struct CommandLine {
  Invocation command; ///< nothing to run where `text` is all; `check` runs on a usage error, too
  int exitCode = exitOk;
  std::string text;
  std::string help; ///< advice on a usage error
};
CommandLine parseCommandLine(int argc, const char* const* argv);

/// A command and its long options, with `--`.
struct CommandWords {
  std::string name;
  std::vector<std::string> options;
};
std::vector<CommandWords> commandWords();

/// The completion script of a shell ("bash" or "zsh"), made from the same tables as the help.
std::string completionScript(const std::string& shell);

} // namespace dpl::tool
