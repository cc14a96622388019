//===- Condition.cpp - Tests of a shell over values that are known ----------------------------===//
#include "imports/megatron/Condition.h"
#include "imports/megatron/Launch.h"
#include "imports/megatron/Script.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringRef.h"

using namespace dpl;
using namespace dpl::imports::megatron;

namespace {
bool isComparison(llvm::StringRef word) {
  static constexpr const char* all[] = {"=", "==", "!=", "-eq", "-ne", "-lt", "-le", "-gt", "-ge"};
  return llvm::is_contained(all, word);
}
bool isMeasure(llvm::StringRef word) { return word == "-z" || word == "-n"; }

std::optional<bool> compare(llvm::StringRef left, llvm::StringRef with, llvm::StringRef right,
                            bool doubled) {
  if (with == "=" || with == "==" || with == "!=") {
    if (doubled && right.find_first_of("*?[") != llvm::StringRef::npos)
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

std::optional<bool> dpl::imports::megatron::holds(llvm::ArrayRef<Word> test, bool doubled) {
  if (llvm::any_of(test, [](const Word& word) { return word.doubt != nullptr; }))
    return std::nullopt;
  if (!test.empty() && test[0].text == "!" && test.size() > 1) {
    const std::optional<bool> rest = holds(test.drop_front(), doubled);
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
      return compare("", text(0), text(1), doubled);
    if (doubled && isComparison(text(1)))
      return compare(text(0), text(1), "", doubled);
    return std::nullopt;
  case 3:
    return isComparison(text(1)) ? compare(text(0), text(1), text(2), doubled) : std::nullopt;
  default:
    return std::nullopt;
  }
}

/// The condition that begins here, of tests joined by `&&` and `||`. Nothing is moved.
std::optional<bool> Script::condition(Block& block) {
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
  const auto read = [&] {
    Words words = in.words('\0');
    for (const Word& word : words)
      if (word.doubt && block.asks.empty())
        block.asks = word.doubt->variable;
    return words;
  };
  std::optional<bool> value;
  for (std::string by;;) {
    in.skipBlanks();
    Words words = read();
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
    std::optional<bool> test;
    std::string inner, kind;
    while (doubled && (words.empty() || words.back().text != "]]")) {
      test = combined(test, inner, holds(words, doubled));
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
    test = combined(test, inner, holds(words, doubled));
    if (negated && test)
      test = !*test;
    value = combined(value, by, test);
    by = joint();
    if (by.empty())
      break;
  }
  // `<` and `>` compare between double brackets and would be read as redirections.
  const bool whole = in.done() || in.peek() == ';' || in.peek() == '\n' || in.peek() == '#';
  return whole && in.written(begin).find_first_of("<>") == llvm::StringRef::npos ? value
                                                                                 : std::nullopt;
}

/// Of an `if` that begins, or goes on with `elif`: which branch runs, where its condition is known.
void Script::decide(Block& block) {
  block.live = condition(block);
  block.taken |= block.live.value_or(false);
  block.branch = variables.mark();
  if (!block.live)
    block.mark = block.branch; // what ran before stands
}

/// At `elif` and `else`. What a branch did that does not run is taken back.
void Script::nextBranch(llvm::StringRef keyword) {
  if (blocks.empty() || blocks.back().keyword != "if" || !blocks.back().live)
    return;
  Block& block = blocks.back();
  if (!*block.live)
    variables.rollBack(block.branch);
  block.branch = variables.mark();
  if (block.taken) {
    block.live = false;
  } else if (keyword == "else") {
    block.live = block.taken = true;
  } else {
    decide(block);
  }
}

bool Script::runs() const {
  return llvm::none_of(blocks, [](const Block& block) { return block.live == false; });
}

/// Whether every value that the variable has had since then adds nothing but options without a
/// meaning for a plan to what it had before: a training with and without them is the same plan.
bool Script::addsNothing(const std::string& name, std::size_t mark) const {
  const std::vector<Variable> values = variables.since(name, mark);
  const Variable& before = values.front();
  if (before.words.empty() && !before.array)
    return false; // it would come from outside of the file
  return llvm::all_of(llvm::drop_begin(values), [&](const Variable& now) {
    const auto textOf = [](const Variable& variable) {
      std::string joined;
      for (const Word& word : variable.words)
        joined += (joined.empty() ? "" : " ") + word.text;
      return joined;
    };
    const std::string old = textOf(before), all = textOf(now);
    llvm::StringRef added = all;
    if (!added.consume_front(old))
      return false;
    llvm::SmallVector<llvm::StringRef, 8> words;
    added.split(words, ' ', -1, false);
    return (added.empty() || old.empty() || added.startswith(" ")) &&
           (words.empty() || words.front().startswith("--")) &&
           llvm::all_of(words, [](llvm::StringRef word) {
             return !word.startswith("--") || meansNothingToAPlan(word.split('=').first);
           });
  });
}
