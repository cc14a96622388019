#pragma once
//===- CommandLine.h - What the command line asks for -----------------------------------------===//
#include "tools/dplc/CommandOptions.h"
#include <functional>

namespace dpl::tool {
class Session;

/// Exit codes; docs/reference/commands.md lists them.
enum ExitCode : int {
  ExitOk = 0,
  ExitWrong = 1, ///< the file is wrong, the plan is illegal, or `fmt --check` found a difference
  ExitUsage = 2, ///< the command line is wrong
  ExitIo = 3,    ///< a file cannot be read, or the output cannot be written
  ExitInterrupted = 130, ///< Ctrl-C ended a search, which printed what it had found
};

/// A command to run, with its options.
struct Invocation {
  CompileOptions options;           ///< options that the session needs
  std::function<int(Session&)> run; ///< runs the command and returns its exit code
};

/// The parsed command line: an invocation, or a text to print (help, version, a usage error) with
/// the exit code.
struct CommandLine {
  Invocation command; ///< empty if only `text` is printed; after a usage error `check` runs too
  int exitCode = ExitOk;
  std::string text;
  std::string help; ///< advice on a usage error
};
CommandLine parseCommandLine(int argc, const char* const* argv);

/// A long option, without `--`.
struct OptionWords {
  std::string name, description;
  bool hasValue = false;
};

/// A command and its long options.
struct CommandWords {
  std::string name, description;
  std::vector<OptionWords> options;
};
std::vector<CommandWords> commandWords();

/// The help of a command, or of dplc if `command` is empty; empty if there is no such command.
std::string helpText(const std::string& command);
/// The text of `dplc` without a command: what dplc is, and five first commands.
std::string startText();

/// The completion script of a shell, one of completionShells, made from the same tables as the
/// help.
std::string completionScript(const std::string& shell);

} // namespace dpl::tool
