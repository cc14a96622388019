//===- Script.cpp - The command that a launch script runs -------------------------------------===//
#include "imports/megatron/Script.h"
#include "imports/megatron/Arithmetic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <cctype>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
bool nameStart(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool nameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool startsCompound(llvm::StringRef word) {
  return word == "if" || word == "for" || word == "while" || word == "until" || word == "case" ||
         word == "function" || word == "{";
}
bool declares(llvm::StringRef word) {
  return word == "export" || word == "declare" || word == "local" || word == "readonly";
}
} // namespace

Script::Script(const LaunchImport& request, DiagnosticEngine& diags)
    : request(request), diags(diags), text(request.sources.text(request.file)) {
  for (const auto& [name, given] : request.defines)
    variables[name] = {{given, {}}};
}

SourceRange Script::from(std::size_t begin) const {
  return {request.file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(at)};
}

void Script::skipBlanks() {
  while (!done()) {
    if (peek() == ' ' || peek() == '\t' || peek() == '\r')
      ++at;
    else if (peek() == '\\' && peek(1) == '\n')
      at += 2;
    else
      return;
  }
}
void Script::skipLine() {
  while (!done() && peek() != '\n')
    ++at;
}

/// The text between brackets, which may nest; `at` stands behind the opening one.
std::string Script::untilClosed(char open, char close) {
  const std::size_t begin = at;
  for (int depth = 1; !done(); ++at) {
    if (peek() == '\\')
      ++at;
    else if (peek() == close && --depth == 0)
      break;
    else if (peek() == open)
      ++depth;
  }
  at = std::min(at, text.size());
  const std::string inside = text.slice(begin, at).str();
  at += !done();
  return inside;
}

std::string Script::value(const std::string& name, const std::string& otherwise) const {
  const auto found = variables.find(name);
  if (found == variables.end())
    return otherwise;
  std::string out;
  for (const Word& word : found->second)
    out += (out.empty() ? "" : " ") + word.text;
  return out;
}

std::string Script::arithmetic(const std::string& expression) const {
  std::string plain;
  for (std::size_t i = 0; i < expression.size();) {
    if (expression[i] == '$' || expression[i] == '{' || expression[i] == '}') {
      ++i;
    } else if (nameStart(expression[i])) {
      std::size_t end = i;
      while (end < expression.size() && nameChar(expression[end]))
        ++end;
      plain += value(expression.substr(i, end - i), "?");
      i = end;
    } else {
      plain += expression[i++];
    }
  }
  const FailureOr<long long> out = evaluate(plain);
  return out.failed() ? "$((" + expression + "))" : std::to_string(*out);
}

/// Adds to the word that is open; with `split`, blanks end words as in an unquoted expansion.
void Script::append(Words& out, bool& open, const std::string& piece, bool split,
                    std::size_t begin) {
  if (!split) {
    if (!open)
      out.push_back({"", from(begin)});
    open = true;
    out.back().text += piece;
    return;
  }
  for (const char c : piece) {
    if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      open = false;
    } else if (c != '\\' || piece.size() == 1) { // a continuation inside of a quoted string
      if (!open)
        out.push_back({"", from(begin)});
      open = true;
      out.back().text += c;
    }
  }
}

/// What stands behind a `$`, at which `at` stands.
void Script::dollar(bool quoted, Words& out, bool& open) {
  const std::size_t begin = at++;
  if (peek() == '(' && peek(1) == '(') {
    at += 2;
    std::string inside = untilClosed('(', ')');
    at += peek() == ')';
    append(out, open, arithmetic(inside), false, begin);
    return;
  }
  if (peek() == '(') {
    ++at;
    append(out, open, "$(" + untilClosed('(', ')') + ")", false, begin);
    return;
  }
  std::string name, rest;
  if (peek() == '{') {
    ++at;
    const std::string inside = untilClosed('{', '}');
    const std::size_t end = llvm::StringRef(inside).find_if_not(nameChar);
    name = inside.substr(0, end);
    rest = end == llvm::StringRef::npos ? "" : inside.substr(end);
  } else {
    while (nameChar(peek()))
      name += text[at++];
  }
  const std::string written = text.slice(begin, at).str();
  if (rest == "[@]" || rest == "[*]" || rest.empty()) {
    const auto found = variables.find(name);
    if (found == variables.end()) {
      append(out, open, written, false, begin);
    } else if (quoted && rest.empty()) {
      append(out, open, value(name, ""), false, begin);
    } else {
      bool first = true;
      for (const Word& word : found->second) {
        if (!first)
          open = false;
        first = false;
        const std::size_t before = out.size();
        append(out, open, word.text, !quoted, begin);
        for (std::size_t i = before; i < out.size(); ++i)
          out[i].at = word.at.valid() ? word.at : out[i].at;
      }
    }
    return;
  }
  for (const char* mark : {":-", ":=", "-", "="})
    if (llvm::StringRef(rest).startswith(mark)) {
      append(out, open, value(name, rest.substr(std::string(mark).size())), !quoted, begin);
      return;
    }
  append(out, open, value(name, written), !quoted, begin); // ${NAME:?is not set} and the like
}

Script::Words Script::word() {
  Words out;
  bool open = false;
  const std::size_t begin = at;
  while (!done()) {
    const char c = peek();
    if (c == '\'') {
      ++at;
      const std::size_t end = text.find('\'', at);
      append(out, open, text.slice(at, end).str(), false, begin);
      at = end == llvm::StringRef::npos ? text.size() : end + 1;
    } else if (c == '"') {
      ++at;
      append(out, open, "", false, begin);
      while (!done() && peek() != '"') {
        if (peek() == '\\' && peek(1) == '\n') {
          at += 2;
        } else if (peek() == '\\' && peek(1) != '\0' &&
                   llvm::StringRef("\"\\$`").contains(peek(1))) {
          append(out, open, std::string(1, peek(1)), false, begin);
          at += 2;
        } else if (peek() == '$' && (nameChar(peek(1)) || peek(1) == '{' || peek(1) == '(')) {
          dollar(true, out, open);
        } else {
          append(out, open, std::string(1, text[at++]), false, begin);
        }
      }
      at += !done();
    } else if (c == '`') {
      ++at;
      append(out, open, "`" + untilClosed('\0', '`') + "`", false, begin);
    } else if (c == '$' && (nameChar(peek(1)) || peek(1) == '{' || peek(1) == '(')) {
      dollar(false, out, open);
    } else if (c == '\\' && peek(1) == '\n') {
      break;
    } else if (c == '\\' && peek(1) != '\0') {
      append(out, open, std::string(1, peek(1)), false, begin);
      at += 2;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0 ||
               llvm::StringRef(";&|()<>").contains(c)) {
      break;
    } else {
      append(out, open, std::string(1, text[at++]), false, begin);
    }
  }
  for (Word& w : out)
    if (w.at.end <= w.at.begin + 1)
      w.at = from(begin);
  return out;
}

Script::Words Script::words(char closing) {
  Words out;
  while (!done()) {
    skipBlanks();
    const char c = peek();
    if (c == '#') {
      skipLine();
    } else if (closing != '\0' && c == closing) {
      ++at;
      break;
    } else if (closing != '\0' && c == '\n') {
      ++at;
    } else if (c == '<' || c == '>' ||
               (std::isdigit(static_cast<unsigned char>(c)) != 0 && peek(1) == '>')) {
      at += std::isdigit(static_cast<unsigned char>(c)) != 0;
      while (llvm::StringRef("<>&").contains(peek()) && !done())
        ++at;
      skipBlanks();
      if (peek() == '(')
        ++at, untilClosed('(', ')');
      else
        word();
    } else if (c == '\n' || llvm::StringRef(";&|()").contains(c) || done()) {
      break;
    } else {
      const std::size_t before = at;
      llvm::append_range(out, word());
      at += at == before;
    }
  }
  return out;
}

/// `NAME=value`, `NAME+=value` or `NAME=( … )` at `at`; false when something else stands there.
bool Script::assignment() {
  std::size_t end = at;
  if (!nameStart(peek()))
    return false;
  while (end < text.size() && nameChar(text[end]))
    ++end;
  const bool adds = text.substr(end).startswith("+=");
  if (!adds && (end >= text.size() || text[end] != '='))
    return false;
  const std::string name = text.slice(at, end).str();
  at = end + (adds ? 2 : 1);
  Words given;
  const bool array = peek() == '(';
  if (array) {
    ++at;
    given = words(')');
  } else {
    const std::size_t begin = at;
    Words pieces = word(); // an assignment does not split
    Word joined{"", from(begin)};
    for (const Word& piece : pieces)
      joined.text += (joined.text.empty() ? "" : " ") + piece.text;
    given = {joined};
  }
  for (const auto& [defined, unused] : request.defines)
    if (defined == name)
      return true; // what was given from outside stands
  Words& held = variables[name];
  if (!adds)
    held = given;
  else if (array || held.empty())
    llvm::append_range(held, given);
  else
    held.back().text += given.back().text;
  return true;
}

/// Skips `if`, a loop, `case` or a function. False, having reported, when it sets a variable or
/// starts the training.
bool Script::compound(const std::string& keyword, std::size_t begin) {
  const std::string closing = keyword == "if"                           ? "fi"
                              : keyword == "case"                       ? "esac"
                              : keyword == "{" || keyword == "function" ? "}"
                                                                        : "done";
  bool matters = false;
  int depth = 1;
  while (!done() && depth > 0) {
    skipBlanks();
    const std::size_t start = at;
    if (peek() == '#') {
      skipLine();
    } else if (assignment()) {
      matters = true;
    } else {
      for (const Word& w : word()) {
        depth += w.text == keyword && keyword != "function";
        depth -= w.text == closing;
        matters |= llvm::StringRef(w.text).endswith(".py");
      }
    }
    at += at == start;
  }
  if (!matters)
    return true;
  at = std::min(begin + keyword.size(), text.size());
  (void)diags.report<diag::ImportNotFollowed>(from(begin), keyword);
  return false;
}

FailureOr<std::vector<Word>> Script::launch() {
  while (!done()) {
    skipBlanks();
    const std::size_t begin = at;
    if (peek() == '#') {
      skipLine();
    } else if (!assignment()) {
      Words command = words('\0');
      if (!command.empty() && startsCompound(command[0].text)) {
        at = begin + command[0].text.size();
        if (!compound(command[0].text, begin))
          return LogicalResult::failure();
      } else if (!command.empty() && declares(command[0].text)) {
        at = begin + command[0].text.size();
        for (skipBlanks(); assignment() || peek() == '-'; skipBlanks())
          if (peek() == '-')
            word();
        words('\0');
      } else if (llvm::any_of(command, [](const Word& w) {
                   return llvm::StringRef(w.text).endswith(".py");
                 })) {
        return command;
      }
      at += at == begin || llvm::StringRef("\n;&|()").contains(peek());
    }
  }
  return diags.report<diag::ImportNoLaunch>({}, request.sources.name(request.file))
      .help("a launch is `torchrun … pretrain_gpt.py …`, or a file of options, the first of "
            "which begins with `--`");
}
