//===- Dollar.cpp - Expansions of a shell script that begin with `$` --------------------------===//
#include "frontend/import/shell/Dollar.h"
#include "frontend/import/shell/Arithmetic.h"
#include "frontend/import/shell/Parameter.h"
#include "llvm/ADT/ArrayRef.h"

using namespace dpl;
using namespace dpl::imports::shell;

/// The reason why the value of a variable is not known.
DoubtPointer Dollar::causeOf(const std::string& name) const {
  const ShellVariable* const found = variables.find(name);
  if (found && !found->words.empty() && found->words.front().doubt)
    return found->words.front().doubt;
  return expansion.outside(begin, found ? "" : name);
}

/// Expands `$NAME` or `${NAME[@]}`: each element of an array is a word of its own.
void Dollar::addAll(const ShellVariable& variable) {
  bool next = false;
  for (const ShellWord& word : variable.words) {
    if (next)
      out.open = false;
    next = true;
    const std::size_t before = out.words.size();
    add(word.text, !quoted, word.doubt);
    for (std::size_t i = before; i < out.words.size(); ++i)
      out.words[i].at = word.at.valid() ? word.at : out.words[i].at;
  }
}

/// Expands `${@:2}` or `${NAME[@]:1:3}`: some of the elements of an array, or of the arguments,
/// which are counted from 1. `${@: -1}` counts from the end. Returns none for other expansions, and
/// if a value is not known.
std::optional<ShellVariable> Dollar::slice(const std::string& name, llvm::StringRef rest) const {
  const bool arguments = name == "@" || name == "*";
  const ShellVariable* const found = variables.find(name);
  if (!found || !found->array || (!arguments && !rest.consume_front("[@]")) ||
      !rest.consume_front(":"))
    return std::nullopt;
  const auto [offset, length] = rest.split(':');
  const std::size_t size = found->words.size();
  std::size_t first = 0, count = size;
  llvm::StringRef from = offset.trim();
  const bool back = offset.startswith(" ") && from.consume_front("-");
  if (from.getAsInteger(10, first) || ((arguments || back) && first == 0) ||
      (back && first > size) || (!length.empty() && length.trim().getAsInteger(10, count)))
    return std::nullopt;
  first = back ? size - first : std::min(first - (arguments ? 1 : 0), size);
  const llvm::ArrayRef<ShellWord> words = llvm::makeArrayRef(found->words).drop_front(first);
  return ShellVariable{words.take_front(count).vec(), true};
}

/// Expands `${NAME#word}` and similar expansions, which change the value. False if the result is
/// not known.
bool Dollar::changes(const std::string& name, llvm::StringRef rest) {
  const ShellVariable* const found = variables.find(name);
  if (!found || found->words.empty() || found->words.front().doubt)
    return false;
  if (rest[0] == '[') { // an element of an array
    const FailureOr<long long> index = evaluate(rest.drop_front().split(']').first);
    if (!rest.endswith("]") || index.failed() || *index < 0 ||
        static_cast<std::size_t>(*index) >= found->words.size())
      return false;
    const ShellWord& element = found->words[static_cast<std::size_t>(*index)];
    add(element.text, !quoted, element.doubt);
    return true;
  }
  // Quotes may make characters of a pattern literal.
  const bool patterns = rest.find_first_of("*?[") != llvm::StringRef::npos &&
                        rest.find_first_of("'\"\\") != llvm::StringRef::npos;
  const ShellWord operation = patterns ? ShellWord{} : expansion.inQuotes(rest, begin);
  const std::optional<std::string> value =
      operation.doubt ? std::nullopt : changed(found->words.front().text, operation.text);
  if (value)
    add(*value, !quoted);
  return value.has_value();
}

/// Expands `${#NAME}`, `${#NAME[@]}` and `${!NAME}`. False if the value is not known.
bool Dollar::measured(llvm::StringRef inside) {
  const bool counts = inside.endswith("[@]") || inside.endswith("[*]");
  const std::string name = (counts ? inside.drop_back(3) : inside).drop_front().str();
  if (name.empty() || !nameStart(name[0]) || !llvm::all_of(name, nameChar))
    return false;
  const ShellVariable* const found = variables.find(name);
  if (!found || (!counts && found->words.empty()))
    return false;
  if (llvm::any_of(found->words, [](const ShellWord& word) { return word.doubt != nullptr; }))
    return false;
  if (inside[0] == '!') {
    const ShellVariable* const meant = counts ? nullptr : variables.find(found->words.front().text);
    if (meant)
      addValueOf(found->words.front().text);
    return meant != nullptr;
  }
  const std::size_t size = counts ? found->words.size() : found->words.front().text.size();
  add(std::to_string(size), !quoted);
  return true;
}

/// Expands `${NAME:-word}` and similar expansions.
void Dollar::operation(const std::string& name, llvm::StringRef rest) {
  const ShellVariable* const found = variables.find(name);
  const llvm::StringRef entire = rest;
  const bool colon = rest.consume_front(":");
  const char kind = rest.empty() ? '\0' : rest[0];
  const bool known = kind != '\0' && llvm::StringRef("-=?+").contains(kind) && !name.empty();
  if (!known) {
    const bool done = name.empty() ? measured(entire) : changes(name, entire);
    if (!done)
      addUnknown(causeOf(name));
    return;
  }
  const bool set = found && !found->words.empty() &&
                   !(colon && found->words.front().text.empty() && !found->words.front().doubt);
  if (kind == '+' ? !set : set) {
    if (kind != '+')
      return addValueOf(name);
    return add("", !quoted);
  }
  if (kind == '?')
    return addUnknown(expansion.outside(begin, name));
  const ShellWord otherwise = expansion.inQuotes(rest.drop_front(), begin);
  if (kind == '=')
    variables.set(name, {{otherwise}, false});
  add(otherwise.text, !quoted, otherwise.doubt);
}

void Dollar::expand() {
  in.advance();
  if (in.peek() == '(' && in.peek(1) == '(') {
    in.advance(2);
    const std::string inside = in.untilClosed('(', ')');
    in.advance(in.peek() == ')');
    const ShellWord value = expansion.calculated(inside, begin);
    return add(value.text, false, value.doubt);
  }
  if (in.peek() == '(') {
    in.advance();
    in.untilClosed('(', ')');
    return addUnknown(expansion.outside(begin, ""));
  }
  std::string name;
  llvm::StringRef rest;
  std::string inside;
  const auto next = [&] {
    name += in.peek();
    in.advance();
  };
  if (in.peek() == '{') {
    in.advance();
    inside = in.untilClosed('{', '}');
    std::size_t end = std::min(llvm::StringRef(inside).find_if_not(nameChar), inside.size());
    if (end == 0 && (inside == "#" || llvm::StringRef("@*").contains(inside[0])))
      end = 1;
    name = inside.substr(0, end);
    rest = llvm::StringRef(inside).substr(end);
  } else if (nameStart(in.peek())) {
    while (nameChar(in.peek()))
      next();
  } else {
    next();
  }
  if (const std::optional<ShellVariable> some = slice(name, rest))
    return addAll(*some);
  const ShellVariable* const found = variables.find(name);
  const bool joins = rest == "[*]" || (name == "*" && rest.empty()); // if quoted, the result is one
                                                                     // word
  const bool every = joins || rest == "[@]" || (name == "@" && rest.empty());
  if (!every && !rest.empty())
    return operation(name, rest);
  if (!found)
    return addUnknown(expansion.outside(begin, name));
  if (joins && quoted) {
    for (std::size_t i = 0; i < found->words.size(); ++i)
      add((i == 0 ? "" : " ") + found->words[i].text, false, found->words[i].doubt);
    return;
  }
  if (every)
    return addAll(*found);
  addValueOf(name);
}
