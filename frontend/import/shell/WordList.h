#pragma once
//===- WordList.h - The words that expansions produce -----------------------------------------===//
#include "frontend/import/shell/ScriptCursor.h"
#include "frontend/import/shell/ShellVariables.h"

namespace dpl::imports::shell {

using DoubtPointer = std::shared_ptr<const Doubt>;

/// Limits the bytes of expanded values, per statement and per script, and the words that all
/// variables contain together.
class ValueBudget {
public:
  explicit ValueBudget(const ShellVariables& variables) : variables(variables) {}
  void beginStatement() { statement = 0; }
  void add(std::size_t bytes) { statement += bytes, all += bytes; }
  void exceed() { all = mostOfAll + 1; }
  bool exceeded() const { return statement > most || all > mostOfAll || variables.tooMany(); }

  static constexpr std::size_t most = std::size_t{64} << 10, mostOfAll = std::size_t{16} << 20;

private:
  const ShellVariables& variables;
  std::size_t statement = 0, all = 0;
};

/// The words into which one word of the script expands: none or several if a variable is not
/// quoted.
class WordList {
public:
  WordList(const ScriptCursor& in, const ShellVariables& variables, ValueBudget& budget)
      : in(in), variables(variables), budget(budget) {}
  /// Appends a text to the open word. If `split` is set, blanks end words, as in an expansion
  /// without quotes.
  void append(llvm::StringRef piece, bool split, std::size_t begin,
              const DoubtPointer& doubt = nullptr);

  ShellWords words;
  bool open = false; ///< whether the next text belongs to the last word

private:
  void beginWord(std::size_t begin);
  void appendParts(llvm::StringRef piece, std::size_t begin, const DoubtPointer& doubt);
  std::string unknownIn(llvm::StringRef expression) const;
  DoubtPointer causeOf(llvm::StringRef part, const DoubtPointer& doubt) const;

  const ScriptCursor& in;
  const ShellVariables& variables;
  ValueBudget& budget;
};

} // namespace dpl::imports::shell
