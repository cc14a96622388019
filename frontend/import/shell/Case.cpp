//===- Case.cpp - The `case` statement of a shell script --------------------------------------===//
#include "frontend/import/shell/Blocks.h"
#include <fnmatch.h>

using namespace dpl;
using namespace dpl::imports::shell;

namespace {

/// Limit on the length of patterns and subjects, because fnmatch takes length × length steps.
constexpr std::size_t longest = 4096;

} // namespace

/// Reads the head of a `case`. The cursor is after the keyword.
void Blocks::beginCase(ShellBlock& block) {
  in.skipBlanks();
  const ShellWords words = expansion.word();
  const bool known =
      llvm::none_of(words, [](const ShellWord& word) { return word.doubt != nullptr; });
  for (const ShellWord& word : words)
    if (word.doubt && block.unknownVariable.empty())
      block.unknownVariable = word.doubt->variable;
  in.skipBlanks();
  expansion.word(); // the word `in`
  if (!known || words.size() > 1 || (!words.empty() && words.front().text.size() > longest))
    return;
  block.subject = words.empty() ? "" : words.front().text;
  block.pattern = true;
  block.live = false;
  block.branch = variables.mark();
}

bool Blocks::pattern() {
  if (open.empty() || !open.back().pattern)
    return false;
  ShellBlock& block = open.back();
  const llvm::StringRef text = in.text();
  const std::size_t begin = in.position();
  block.pattern = false;
  if (text.substr(begin).startswith("esac") && !nameChar(in.peek(4)))
    return false;
  std::vector<std::string> alternatives(1);
  char quote = '\0';
  std::size_t at = begin + (in.peek() == '(');
  for (; at < text.size() && (text[at] != ')' || quote != '\0'); ++at) {
    const char c = text[at];
    if (quote == '\0' && c == '|') {
      alternatives.emplace_back();
      continue;
    }
    if (c == quote)
      quote = '\0';
    else if (quote == '\0' && (c == '"' || c == '\''))
      quote = c;
    alternatives.back() += c;
    if (c == '\\' && quote != '\'' && at + 1 < text.size())
      alternatives.back() += text[++at];
  }
  in.moveTo(std::min(at + 1, text.size()));
  bool matches = false, doubtful = false;
  for (const std::string& written : alternatives) {
    const std::optional<std::string> one = unquoted(llvm::StringRef(written).trim());
    if (!one || one->size() > longest)
      doubtful = true;
    else if (::fnmatch(one->c_str(), block.subject->c_str(), 0) == 0)
      matches = true;
  }
  if (!block.live)
    return true; // it is not known whether an earlier clause has run
  if (!*block.live)
    variables.rollBack(block.branch);
  block.branch = variables.mark();
  if (block.branchTaken || matches || !doubtful)
    block.live = matches && !block.branchTaken;
  else
    block.live = std::nullopt;
  if (!block.live)
    block.mark = block.branch;
  block.branchTaken |= matches;
  return true;
}

bool Blocks::endsClause() {
  if (open.empty() || !open.back().subject || in.peek() != ';' ||
      (in.peek(1) != ';' && in.peek(1) != '&'))
    return false;
  ShellBlock& block = open.back();
  const bool through = in.peek(1) == '&' || in.peek(2) == '&';
  if (through && block.live != false) {
    block.live = std::nullopt;
  }
  in.moveTo(in.position() + 2 + (in.peek(1) == ';' && through));
  block.pattern = true;
  return true;
}
