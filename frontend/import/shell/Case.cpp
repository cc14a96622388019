//===- Case.cpp - `case` of a shell script that is followed -----------------------------------===//
#include "frontend/import/shell/Condition.h"
#include "frontend/import/shell/Script.h"
#include <fnmatch.h>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {

/// Matching takes as many steps as both have characters, multiplied.
constexpr std::size_t longest = 4096;

} // namespace

std::optional<std::string> dpl::imports::megatron::unquoted(llvm::StringRef text) {
  std::string out;
  char quote = '\0';
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote != '\'' && (c == '$' || c == '`'))
      return std::nullopt;
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      out += {'\\', text[++i]};
    } else if (quote == '\0' && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = '\0';
    } else {
      if (quote != '\0' && llvm::StringRef("*?[]\\").contains(c))
        out += '\\';
      out += c;
    }
  }
  return out;
}

/// `at` stands behind `case`.
void Script::beginCase(ShellBlock& block) {
  in.skipBlanks();
  const ShellWords words = in.word();
  const bool known =
      llvm::none_of(words, [](const ShellWord& word) { return word.doubt != nullptr; });
  for (const ShellWord& word : words)
    if (word.doubt && block.unknownVariable.empty())
      block.unknownVariable = word.doubt->variable;
  in.skipBlanks();
  in.word(); // `in`
  if (!known || words.size() > 1 || (!words.empty() && words.front().text.size() > longest))
    return;
  block.subject = words.empty() ? "" : words.front().text;
  block.pattern = true;
  block.live = false;
  block.branch = variables.mark();
}

/// The patterns of a clause, `a | b)`, where they are due; decides whether the clause runs.
bool Script::pattern() {
  if (blocks.empty() || !blocks.back().pattern)
    return false;
  ShellBlock& block = blocks.back();
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
    return true; // a clause before may have run
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

/// `;;` of the clause; one that falls through to the next leaves a doubt in both.
bool Script::endsClause() {
  if (blocks.empty() || !blocks.back().subject || in.peek() != ';' ||
      (in.peek(1) != ';' && in.peek(1) != '&'))
    return false;
  ShellBlock& block = blocks.back();
  const bool through = in.peek(1) == '&' || in.peek(2) == '&';
  if (through && block.live != false) {
    block.live = std::nullopt;
  }
  in.moveTo(in.position() + 2 + (in.peek(1) == ';' && through));
  block.pattern = true;
  return true;
}
