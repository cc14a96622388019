//===- Condition.cpp - Tests of a shell over values that are known ----------------------------===//
#include "frontend/import/shell/Condition.h"
#include "frontend/import/megatron/LaunchOptions.h"
#include "frontend/import/shell/Script.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringRef.h"
#include <fnmatch.h>

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
/// Matching takes as many steps as both have characters, multiplied.
constexpr std::size_t longest = 512;

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
      return std::nullopt; // a pattern, unless it was quoted
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

/// One side of `&&` or `||`, combined with what stands before it.
std::optional<bool> combined(std::optional<bool> before, llvm::StringRef by,
                             std::optional<bool> next) {
  if (by.empty())
    return next;
  const bool ends = by == "||"; // the value that decides alone
  if (before == ends || next == ends)
    return ends;
  return before && next ? std::optional(!ends) : std::nullopt;
}
} // namespace

std::optional<bool> dpl::imports::megatron::holds(llvm::ArrayRef<ShellWord> test,
                                                  Brackets brackets) {
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
  case 1: // between `[[` and `]]` an empty value that is not quoted is a value all the same
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

/// The condition that begins here, of tests joined by `&&` and `||`, or its first test alone, whose
/// end is written to `first`. Nothing is moved.
std::optional<bool> Script::condition(ShellBlock& block, std::size_t* first) {
  const std::size_t begin = in.position();
  const auto back = llvm::make_scope_exit([&] { in.moveTo(begin); });
  // Steps over `&&` or `||`; empty where neither stands here.
  const auto joint = [&]() -> std::string {
    in.skipBlanks();
    if (in.peek() != in.peek(1) || (in.peek() != '&' && in.peek() != '|'))
      return "";
    in.moveTo(in.position() + 2);
    return std::string(2, text[in.position() - 1]);
  };
  std::optional<std::string> pattern; // the right side of a comparison, as it is written
  const auto read = [&] {
    const std::size_t from = in.position();
    ShellWords words = in.words('\0');
    for (const ShellWord& word : words)
      if (word.doubt && block.unknownVariable.empty())
        block.unknownVariable = word.doubt->variable;
    const llvm::StringRef written = in.written(from).rtrim();
    const std::size_t equals = written.find(" = "), twice = written.find(" == "),
                      unequal = written.find(" != ");
    const std::size_t at = std::min({equals, twice, unequal});
    pattern = std::nullopt;
    if (at != llvm::StringRef::npos) {
      llvm::StringRef right = written.substr(at).drop_front(at == equals ? 3 : 4);
      if (right.endswith("]]"))
        right = right.drop_back(2);
      pattern = unquoted(right.trim());
    }
    return words;
  };
  std::optional<bool> value;
  bool compares = false; // by arithmetic, in which `<` is no redirection
  for (std::string by;;) {
    in.skipBlanks();
    if (in.peek() == '(' && in.peek(1) == '(') {
      const std::size_t from = in.position();
      in.moveTo(from + 2);
      const std::string inside = in.untilClosed('(', ')');
      in.moveTo(in.position() + (in.peek() == ')'));
      const ShellWord result = in.calculated(inside, from);
      if (result.doubt && block.unknownVariable.empty())
        block.unknownVariable = result.doubt->variable;
      value = combined(value, by, result.doubt ? std::nullopt : std::optional(result.text != "0"));
      compares = true;
      by = joint();
      if (by.empty())
        break;
      continue;
    }
    ShellWords words = read();
    bool negated = false;
    while (!words.empty() && words.front().text == "!") {
      negated = !negated;
      words.erase(words.begin());
    }
    if (words.empty() || words.front().doubt)
      return std::nullopt;
    const std::string opening = words.front().text;
    if (opening != "[" && opening != "[[" && opening != "test")
      return std::nullopt;
    words.erase(words.begin());
    const bool doubled = opening == "[[";
    const auto decided = [&] {
      if (!doubled || !pattern || pattern->empty() || words.size() < 2 || words.back().doubt ||
          isComparison(words.back().text))
        return holds(words, doubled ? Brackets::Double : Brackets::Single);
      ShellWords compared = words;
      compared.back().text = *pattern;
      return holds(compared, Brackets::Patterns);
    };
    std::optional<bool> test;
    std::string inner, kind;
    while (doubled && (words.empty() || words.back().text != "]]")) {
      test = combined(test, inner, decided());
      inner = joint();
      if (inner.empty() || (!kind.empty() && kind != inner)) // `&&` binds tighter there
        return std::nullopt;
      kind = inner;
      words = read();
    }
    if (opening != "test") {
      if (words.empty() || words.back().text != (doubled ? "]]" : "]"))
        return std::nullopt;
      words.pop_back();
    }
    test = combined(test, inner, decided());
    if (negated && test)
      test = !*test;
    value = combined(value, by, test);
    if (first)
      *first = in.position();
    by = first ? "" : joint();
    if (by.empty())
      break;
  }
  // `<` and `>` compare between double brackets and would be read as redirections.
  const bool whole =
      first || in.done() || in.peek() == ';' || in.peek() == '\n' || in.peek() == '#';
  const bool redirects =
      !compares && in.written(begin).find_first_of("<>") != llvm::StringRef::npos;
  return whole && !redirects ? value : std::nullopt;
}

/// Of an `if` that begins, or goes on with `elif`: which branch runs, where its condition is known.
void Script::decide(ShellBlock& block) {
  block.live = condition(block);
  block.branchTaken |= block.live.value_or(false);
  block.branch = variables.mark();
  if (!block.live)
    block.mark = block.branch; // what ran before stands
}

/// At `elif` and `else`. What a branch did that does not run is taken back.
void Script::nextBranch(llvm::StringRef keyword) {
  if (blocks.empty() || blocks.back().keyword != "if" || !blocks.back().live)
    return;
  ShellBlock& block = blocks.back();
  if (!*block.live)
    variables.rollBack(block.branch);
  block.branch = variables.mark();
  if (block.branchTaken) {
    block.live = false;
  } else if (keyword == "else") {
    block.live = block.branchTaken = true;
  } else {
    decide(block);
  }
}

bool Script::runs() const {
  return llvm::none_of(blocks, [](const ShellBlock& block) { return block.live == false; });
}

/// Whether every value that the variable has had since then adds nothing but options without a
/// meaning for a plan to what it had before: a training with and without them is the same plan.
bool Script::addsNothing(const std::string& name, std::size_t mark) const {
  const ShellVariable before = variables.at(name, mark);
  if (before.words.empty() && !before.array)
    return false; // it would come from outside of the file
  const std::string old = joined(before.words);
  return variables.everySince(name, mark, [&](const ShellVariable& now) {
    const std::string all = joined(now.words);
    llvm::StringRef added = all;
    if (!added.consume_front(old))
      return false;
    llvm::SmallVector<llvm::StringRef, 8> words;
    added.split(words, ' ', -1, false);
    return (added.empty() || old.empty() || added.startswith(" ")) &&
           (words.empty() || words.front().startswith("--")) &&
           llvm::all_of(words, [](llvm::StringRef word) {
             return !word.startswith("--") || hasNoEffectOnPlan(word.split('=').first);
           });
  });
}
