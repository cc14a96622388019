#pragma once
//===- Script.h - The command that a launch script runs ---------------------------------------===//
#include "imports/Megatron.h"
#include <map>

namespace dpl::imports::megatron {

/// A word of a command after all expansions, and where it, or the variable that held it, stands.
struct Word {
  std::string text;
  SourceRange at;
};

/// Follows a shell script without running anything: variables, arrays, arithmetic, defaults,
/// continued lines. What depends on the surroundings (`$SLURM_NNODES`, `$(hostname)`) stays as it
/// is written; `if` and loops that set a variable are reported.
class Script {
public:
  Script(const LaunchImport& request, DiagnosticEngine& diags);
  /// The words of the command that starts a script of Megatron-LM; fails when there is none.
  FailureOr<std::vector<Word>> launch();

private:
  using Words = std::vector<Word>;
  bool done() const { return at >= text.size(); }
  char peek(std::size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }
  SourceRange from(std::size_t begin) const;
  void skipBlanks();
  void skipLine();
  /// Words up to the end of the command, or of the array with `closing` = ')'.
  Words words(char closing);
  /// One word, expanded: none or several where a variable is not quoted.
  Words word();
  void dollar(bool quoted, Words& out, bool& open);
  std::string untilClosed(char open, char close);
  std::string arithmetic(const std::string& expression) const;
  std::string value(const std::string& name, const std::string& otherwise) const;
  bool assignment();
  bool compound(const std::string& keyword, std::size_t begin);
  void append(Words& out, bool& open, const std::string& piece, bool split, std::size_t begin);

  const LaunchImport& request;
  DiagnosticEngine& diags;
  llvm::StringRef text;
  std::size_t at = 0;
  std::map<std::string, Words> variables;
};

} // namespace dpl::imports::megatron
