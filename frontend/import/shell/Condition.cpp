//===- Condition.cpp - Conditions of a shell script over known values -------------------------===//
#include "frontend/import/shell/Condition.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringRef.h"
#include <fnmatch.h>

using namespace dpl;
using namespace dpl::imports::shell;

std::optional<std::string> dpl::imports::shell::unquoted(llvm::StringRef text) {
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

namespace {
/// Limit on the length of patterns and texts, because fnmatch takes length × length steps.
constexpr std::size_t longest = 512;

/// The form of a test: `[ … ]`, `[[ … ]]`, or `[[ … ]]` whose right side has become a pattern.
enum class Brackets { Single, Double, Patterns };

bool isComparison(llvm::StringRef word) {
  static constexpr const char* all[] = {"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
  return llvm::is_contained(all, word);
}
bool isMeasure(llvm::StringRef word) { return word == "-z" || word == "-n"; }

std::optional<bool> compare(llvm::StringRef left, llvm::StringRef with, llvm::StringRef right,
                            Brackets brackets) {
  if (with == "=" || with == "==" || with == "!=") {
    const bool pattern = right.find_first_of("*?[") != llvm::StringRef::npos;
    if (pattern && brackets == Brackets::Patterns && left.size() <= longest &&
        right.size() <= longest)
      return (::fnmatch(right.str().c_str(), left.str().c_str(), 0) == 0) == (with != "!=");
    if (pattern && brackets != Brackets::Single)
      return std::nullopt; // the right side may be a pattern
    return (left == right) == (with != "!=");
  }
  std::int64_t a = 0, b = 0;
  if (left.getAsInteger(10, a) || right.getAsInteger(10, b))
    return std::nullopt;
  return with == "-eq"   ? a == b
         : with == "-ne" ? a != b
         : with == "-lt" ? a < b
         : with == "-le" ? a <= b
         : with == "-gt" ? a > b
                         : a >= b;
}

/// The value of the previous tests combined with the next one by `&&` or `||`.
std::optional<bool> combined(std::optional<bool> before, llvm::StringRef by,
                             std::optional<bool> next) {
  if (by.empty())
    return next;
  const bool ends = by == "||"; // the value that decides, whatever the other side is
  if (before == ends || next == ends)
    return ends;
  return before && next ? std::optional(!ends) : std::nullopt;
}

/// Evaluates the words of a test. Returns none if a value is not known, if the test needs more than
/// the file (whether a path exists), or if it may compare with a pattern.
std::optional<bool> holds(llvm::ArrayRef<ShellWord> test, Brackets brackets) {
  const bool doubled = brackets != Brackets::Single;
  if (llvm::any_of(test, [](const ShellWord& word) { return word.doubt != nullptr; }))
    return std::nullopt;
  if (!test.empty() && test[0].text == "!" && test.size() > 1) {
    const std::optional<bool> rest = holds(test.drop_front(), brackets);
    return rest ? std::optional(!*rest) : std::nullopt;
  }
  const auto text = [&](std::size_t i) { return llvm::StringRef(test[i].text); };
  switch (test.size()) {
  case 0:
    return false;
  case 1: // `[[` keeps an unquoted value that is empty
    return doubled && isMeasure(text(0)) ? text(0) == "-z" : !text(0).empty();
  case 2:
    if (isMeasure(text(0)))
      return text(1).empty() == (text(0) == "-z");
    if (doubled && isComparison(text(0)))
      return compare("", text(0), text(1), brackets);
    if (doubled && isComparison(text(1)))
      return compare(text(0), text(1), "", brackets);
    return std::nullopt;
  case 3:
    return isComparison(text(1)) ? compare(text(0), text(1), text(2), brackets) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// The right side of a comparison as a pattern, from the text of the command.
std::optional<std::string> patternIn(llvm::StringRef written) {
  const std::size_t equals = written.find(" = ");
  const std::size_t at = std::min({equals, written.find(" == "), written.find(" != ")});
  if (at == llvm::StringRef::npos)
    return std::nullopt;
  llvm::StringRef right = written.substr(at).drop_front(at == equals ? 3 : 4);
  if (right.endswith("]]"))
    right = right.drop_back(2);
  return unquoted(right.trim());
}

/// Reads the tests of a condition.
class ConditionReader {
public:
  ConditionReader(ScriptCursor& in, Expansion& expansion) : in(in), expansion(expansion) {}
  Condition read(bool firstAlone);

private:
  std::string joint();
  ShellWords command();
  std::optional<bool> calculated();
  bool bracketed(std::optional<bool>& test);
  std::optional<bool> decided(const ShellWords& words, bool doubled) const;
  void note(const ShellWord& word) {
    if (word.doubt && out.unknownVariable.empty())
      out.unknownVariable = word.doubt->variable;
  }

  ScriptCursor& in;
  Expansion& expansion;
  Condition out;
  std::optional<std::string> pattern; ///< right side of the last comparison
};

/// Skips `&&` or `||` and returns it; empty if there is neither.
std::string ConditionReader::joint() {
  in.skipBlanks();
  const char c = in.peek();
  if (c != in.peek(1) || (c != '&' && c != '|'))
    return "";
  in.advance(2);
  return std::string(2, c);
}

ShellWords ConditionReader::command() {
  const std::size_t from = in.position();
  ShellWords words = expansion.words('\0');
  for (const ShellWord& word : words)
    note(word);
  pattern = patternIn(in.written(from).rtrim());
  return words;
}

/// Evaluates `(( … ))`.
std::optional<bool> ConditionReader::calculated() {
  const std::size_t from = in.position();
  in.advance(2);
  const std::string inside = in.untilClosed('(', ')');
  in.advance(in.peek() == ')');
  const ShellWord result = expansion.calculated(inside, from);
  note(result);
  return result.doubt ? std::nullopt : std::optional(result.text != "0");
}

std::optional<bool> ConditionReader::decided(const ShellWords& words, bool doubled) const {
  if (!doubled || !pattern || pattern->empty() || words.size() < 2 || words.back().doubt ||
      isComparison(words.back().text))
    return holds(words, doubled ? Brackets::Double : Brackets::Single);
  ShellWords compared = words;
  compared.back().text = *pattern;
  return holds(compared, Brackets::Patterns);
}

/// Reads `[ … ]`, `[[ … ]]` or `test …`. False if none of them is at the cursor.
bool ConditionReader::bracketed(std::optional<bool>& test) {
  ShellWords words = command();
  bool negated = false;
  while (!words.empty() && words.front().text == "!") {
    negated = !negated;
    words.erase(words.begin());
  }
  if (words.empty() || words.front().doubt)
    return false;
  const std::string opening = words.front().text;
  if (!isAny(opening, {"[", "[[", "test"}))
    return false;
  words.erase(words.begin());
  const bool doubled = opening == "[[";
  std::string inner, kind;
  while (doubled && (words.empty() || words.back().text != "]]")) {
    test = combined(test, inner, decided(words, doubled));
    inner = joint();
    if (inner.empty() || (!kind.empty() && kind != inner)) // `&&` binds more tightly than `||`
                                                           // inside `[[ ]]`
      return false;
    kind = inner;
    words = command();
  }
  if (opening != "test") {
    if (words.empty() || words.back().text != (doubled ? "]]" : "]"))
      return false;
    words.pop_back();
  }
  test = combined(test, inner, decided(words, doubled));
  if (negated && test)
    test = !*test;
  return true;
}

Condition ConditionReader::read(bool firstAlone) {
  const std::size_t begin = in.position();
  const auto back = llvm::make_scope_exit([&] { in.moveTo(begin); });
  std::optional<bool> value;
  bool compares = false; // whether this is `((…))`, in which `<` compares
  for (std::string by;;) {
    in.skipBlanks();
    std::optional<bool> test;
    if (in.peek() == '(' && in.peek(1) == '(')
      test = calculated(), compares = true;
    else if (!bracketed(test))
      return out;
    value = combined(value, by, test);
    out.end = in.position();
    by = firstAlone ? "" : joint();
    if (by.empty())
      break;
  }
  // In `[[ ]]` `<` and `>` compare, but the words were read as if they redirected.
  const bool whole =
      firstAlone || in.done() || in.peek() == ';' || in.peek() == '\n' || in.peek() == '#';
  const bool redirects =
      !compares && in.written(begin).find_first_of("<>") != llvm::StringRef::npos;
  if (whole && !redirects)
    out.value = value;
  return out;
}
} // namespace

Condition dpl::imports::shell::conditionAt(ScriptCursor& in, Expansion& expansion,
                                           bool firstAlone) {
  return ConditionReader(in, expansion).read(firstAlone);
}
