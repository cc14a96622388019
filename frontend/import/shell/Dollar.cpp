//===- Dollar.cpp - What stands behind a `$` of a shell script --------------------------------===//
#include "frontend/import/shell/Arithmetic.h"
#include "frontend/import/shell/Expansion.h"
#include "frontend/import/shell/Parameter.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

using namespace dpl;
using namespace dpl::imports::megatron;

Expansion::DoubtPointer Expansion::outside(std::size_t begin, const std::string& variable) const {
  auto doubt = std::make_shared<Doubt>();
  doubt->at = from(begin), doubt->what = text.slice(begin, at).str();
  doubt->variable = !variable.empty() && nameStart(variable[0]) ? variable : "";
  doubt->outside = true;
  return doubt;
}

/// The value of a plain variable, the first one of an array.
ShellWord Expansion::first(const std::string& name, const std::string& otherwise,
                           std::size_t begin) {
  const ShellVariable* const found = variables.find(name);
  if (!found)
    return {otherwise, from(begin), outside(begin, name)};
  return found->words.empty() ? ShellWord{"", from(begin), nullptr} : found->words.front();
}

ShellWord Expansion::inQuotes(llvm::StringRef inside, std::size_t begin) {
  ShellWord joined{"", from(begin), nullptr};
  constexpr unsigned deepest = 32;
  if (depth >= deepest)
    return {inside.str(), from(begin), outside(begin, "")};
  const std::string quoted = '"' + inside.str() + '"';
  Expansion inner(quoted, file, variables);
  inner.depth = depth + 1, inner.statement = statement, inner.all = all;
  // A quote within is removed: `${X:-"a"}` is a.
  for (const ShellWord& piece : inner.word()) {
    joined.text += piece.text;
    if (piece.doubt) {
      Doubt located = *piece.doubt;
      located.at = located.outside ? from(begin) : located.at;
      joined.doubt = std::make_shared<Doubt>(located);
    }
  }
  statement = inner.statement, all = inner.all;
  return joined;
}

ShellWord Expansion::arithmetic(const std::string& expression, std::size_t begin) {
  const ShellWord expanded = inQuotes(expression, begin);
  DoubtPointer doubt = expanded.doubt;
  std::string plain;
  for (std::size_t i = 0; i < expanded.text.size();) {
    const std::size_t start = i;
    while (i < expanded.text.size() && nameChar(expanded.text[i]))
      ++i;
    const std::string name = expanded.text.substr(start, i - start);
    if (name.empty()) {
      plain += expanded.text[i++];
    } else if (nameStart(name[0])) {
      const ShellWord value = first(name, "?", begin);
      if (value.doubt && !doubt)
        doubt = value.doubt;
      plain += value.text;
    } else {
      plain += name;
    }
  }
  const FailureOr<long long> out = evaluate(plain);
  if (!out.failed() && !doubt)
    return {std::to_string(*out), from(begin), nullptr};
  llvm::StringRef sets(expression);
  if (sets.contains('=') || sets.contains("++") || sets.contains("--"))
    for (std::size_t i = 0, end = 0; i < expression.size(); i = end + 1) {
      end = i;
      while (end < expression.size() && nameChar(expression[end]))
        ++end;
      if (end > i && nameStart(expression[i]))
        variables.doubt(expression.substr(i, end - i), from(begin), written(begin).str());
    }
  return {written(begin).str(), from(begin), doubt ? doubt : outside(begin, "")};
}

/// Why an expansion of the variable is not known.
Expansion::DoubtPointer Expansion::causeOf(const std::string& name, std::size_t begin) const {
  const ShellVariable* const found = variables.find(name);
  if (found && !found->words.empty() && found->words.front().doubt)
    return found->words.front().doubt;
  return outside(begin, found ? "" : name);
}

/// `$NAME`, `${NAME[@]}`: the words of an array are words.
void Expansion::whole(const ShellVariable& variable, bool quoted, ShellWords& out, bool& open,
                      std::size_t begin) {
  bool next = false;
  for (const ShellWord& word : variable.words) {
    if (next)
      open = false;
    next = true;
    const std::size_t before = out.size();
    append(out, open, word.text, !quoted, begin, word.doubt);
    for (std::size_t i = before; i < out.size(); ++i)
      out[i].at = word.at.valid() ? word.at : out[i].at;
  }
}

/// `${@:2}`, `${NAME[@]:1:3}`: so many words of an array or of the arguments, which count from 1;
/// `${@: -1}` counts from the end.
/// Nothing where it is another expansion or a word of it is not known.
std::optional<ShellVariable> Expansion::slice(const std::string& name, llvm::StringRef rest) const {
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

/// `${NAME#word}` and its relatives, which make another value; false where that is not known.
bool Expansion::changes(const std::string& name, llvm::StringRef rest, bool quoted, ShellWords& out,
                        bool& open, std::size_t begin) {
  const ShellVariable* const found = variables.find(name);
  if (!found || found->words.empty() || found->words.front().doubt)
    return false;
  if (rest[0] == '[') { // an element of an array
    const FailureOr<long long> index = evaluate(rest.drop_front().split(']').first);
    if (!rest.endswith("]") || index.failed() || *index < 0 ||
        static_cast<std::size_t>(*index) >= found->words.size())
      return false;
    const ShellWord& element = found->words[static_cast<std::size_t>(*index)];
    append(out, open, element.text, !quoted, begin, element.doubt);
    return true;
  }
  // A quote may make a pattern stand for itself.
  const bool patterns = rest.find_first_of("*?[") != llvm::StringRef::npos &&
                        rest.find_first_of("'\"\\") != llvm::StringRef::npos;
  const ShellWord operation = patterns ? ShellWord{} : inQuotes(rest, begin);
  const std::optional<std::string> value =
      operation.doubt ? std::nullopt : changed(found->words.front().text, operation.text);
  if (value)
    append(out, open, *value, !quoted, begin);
  return value.has_value();
}

/// `${#NAME}`, `${#NAME[@]}` and `${!NAME}`; false where the value is not known.
bool Expansion::measured(llvm::StringRef inside, bool quoted, ShellWords& out, bool& open,
                         std::size_t begin) {
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
      whole({{first(found->words.front().text, "", begin)}, false}, quoted, out, open, begin);
    return meant != nullptr;
  }
  const std::size_t size = counts ? found->words.size() : found->words.front().text.size();
  append(out, open, std::to_string(size), !quoted, begin);
  return true;
}

/// `${NAME:-word}` and its relatives.
void Expansion::operation(const std::string& name, llvm::StringRef rest, bool quoted,
                          ShellWords& out, bool& open, std::size_t begin) {
  const ShellVariable* const found = variables.find(name);
  const llvm::StringRef entire = rest;
  const bool colon = rest.consume_front(":");
  const char kind = rest.empty() ? '\0' : rest[0];
  const bool known = kind != '\0' && llvm::StringRef("-=?+").contains(kind) && !name.empty();
  if (!known) {
    const bool done = name.empty() ? measured(entire, quoted, out, open, begin)
                                   : changes(name, entire, quoted, out, open, begin);
    if (!done)
      append(out, open, written(begin), false, begin, causeOf(name, begin));
    return;
  }
  const bool set = found && !found->words.empty() &&
                   !(colon && found->words.front().text.empty() && !found->words.front().doubt);
  if (kind == '+' ? !set : set) {
    if (kind != '+')
      return whole({{first(name, "", begin)}, false}, quoted, out, open, begin);
    return append(out, open, "", !quoted, begin);
  }
  if (kind == '?')
    return append(out, open, written(begin), false, begin, outside(begin, name));
  const ShellWord otherwise = inQuotes(rest.drop_front(), begin);
  if (kind == '=')
    variables.set(name, {{otherwise}, false});
  append(out, open, otherwise.text, !quoted, begin, otherwise.doubt);
}

void Expansion::dollar(bool quoted, ShellWords& out, bool& open) {
  const std::size_t begin = at++;
  if (peek() == '(' && peek(1) == '(') {
    at += 2;
    const std::string inside = untilClosed('(', ')');
    at += peek() == ')';
    const ShellWord value = arithmetic(inside, begin);
    return append(out, open, value.text, false, begin, value.doubt);
  }
  if (peek() == '(') {
    ++at;
    untilClosed('(', ')');
    return append(out, open, written(begin), false, begin, outside(begin, ""));
  }
  std::string name;
  llvm::StringRef rest;
  std::string inside;
  if (peek() == '{') {
    ++at;
    inside = untilClosed('{', '}');
    std::size_t end = std::min(llvm::StringRef(inside).find_if_not(nameChar), inside.size());
    if (end == 0 && (inside == "#" || llvm::StringRef("@*").contains(inside[0])))
      end = 1;
    name = inside.substr(0, end);
    rest = llvm::StringRef(inside).substr(end);
  } else if (nameStart(peek())) {
    while (nameChar(peek()))
      name += text[at++];
  } else {
    name = text[at++];
  }
  if (const std::optional<ShellVariable> some = slice(name, rest))
    return whole(*some, quoted, out, open, begin);
  const ShellVariable* const found = variables.find(name);
  const bool joins = rest == "[*]" || (name == "*" && rest.empty()); // one word in quotes
  const bool every = joins || rest == "[@]" || (name == "@" && rest.empty());
  if (!every && !rest.empty())
    return operation(name, rest, quoted, out, open, begin);
  if (!found)
    return append(out, open, written(begin), false, begin, outside(begin, name));
  if (!joins || !quoted)
    return whole(every ? *found : ShellVariable{{first(name, "", begin)}, false}, quoted, out, open,
                 begin);
  for (std::size_t i = 0; i < found->words.size(); ++i)
    append(out, open, (i == 0 ? "" : " ") + found->words[i].text, false, begin,
           found->words[i].doubt);
}
