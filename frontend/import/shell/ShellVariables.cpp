//===- ShellVariables.cpp - The variables of a shell script -----------------------------------===//
#include "frontend/import/shell/ShellVariables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <iterator>
#include <set>

using namespace dpl;
using namespace dpl::imports::shell;

std::string dpl::imports::shell::joined(const ShellWords& words) {
  return llvm::join(llvm::map_range(words, [](const ShellWord& word) { return word.text; }), " ");
}

namespace {
/// Number of positional arguments that are set, even if fewer are given.
constexpr std::size_t fewest = 32;

/// The bytes of the words, plus one per word.
std::size_t bytesOf(const ShellWords& words) {
  std::size_t bytes = words.size();
  for (const ShellWord& word : words)
    bytes += word.text.size();
  return bytes;
}

/// The reason why a value was not known before the statement at `at`. Reasons inside this statement
/// are left out.
std::shared_ptr<const Doubt> doubtBefore(const ShellVariable& value, SourceRange at) {
  constexpr unsigned mostEarlier = 64;
  for (const ShellWord& word : value.words) {
    std::shared_ptr<const Doubt> doubt = word.doubt;
    while (doubt && doubt->at.file == at.file && doubt->at.begin >= at.begin)
      doubt = doubt->before;
    if (doubt && !doubt->outside)
      return doubt->earlier < mostEarlier ? doubt : nullptr;
  }
  return nullptr;
}
} // namespace

ShellVariables::ShellVariables(const std::vector<std::pair<std::string, std::string>>& given) {
  for (const auto& [name, value] : given) {
    if (name == "@") {
      giveArguments(value);
      continue;
    }
    states[name].value = {{{value, {}, nullptr}}, false};
    fixed[name] = true;
  }
}

/// Sets the arguments of the script from `--define '@=A B'`. `shift` may change them later.
void ShellVariables::giveArguments(llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef, 8> pieces;
  llvm::SplitString(value, pieces);
  ShellVariable all{{}, true};
  for (const llvm::StringRef piece : pieces)
    all.words.push_back({piece.str(), {}, nullptr});
  for (std::size_t i = 0; i < std::max(pieces.size(), fewest); ++i)
    states[std::to_string(i + 1)].value = {
        i < pieces.size() ? ShellWords{all.words[i]} : ShellWords{}, false};
  states["#"].value = {{{std::to_string(pieces.size()), {}, nullptr}}, false};
  states["@"].value = states["*"].value = all;
}

void ShellVariables::setArguments(const ShellWords& words) {
  const std::optional<ShellWords> before = arguments();
  const std::size_t most = std::max(words.size(), before ? before->size() : std::size_t{0});
  for (std::size_t i = 0; i < std::max(most, fewest); ++i)
    set(std::to_string(i + 1), {i < words.size() ? ShellWords{words[i]} : ShellWords{}, false});
  set("#", {{{std::to_string(words.size()), {}, nullptr}}, false});
  for (const char* all : {"@", "*"})
    set(all, {words, true});
}

std::optional<ShellWords> ShellVariables::arguments() const {
  const ShellVariable* const all = find("@");
  if (!all || !all->array)
    return std::nullopt;
  return all->words;
}

bool ShellVariables::shift(llvm::StringRef count) {
  std::size_t by = 0;
  const std::optional<ShellWords> given = arguments();
  if (!given || count.getAsInteger(10, by))
    return false;
  if (by <= given->size()) // otherwise `shift` fails and has no effect
    setArguments({given->begin() + static_cast<std::ptrdiff_t>(by), given->end()});
  return true;
}

const ShellVariable* ShellVariables::find(const std::string& name) const {
  const auto found = states.find(name);
  return found == states.end() ? nullptr : &found->second.value;
}

void ShellVariables::noteScript(const std::string& name, llvm::StringRef text) {
  if (text.contains(".py"))
    scripts.insert(name);
}

void ShellVariables::set(const std::string& name, ShellVariable value) {
  if (fixed.count(name) != 0)
    return;
  for (const ShellWord& word : value.words)
    noteScript(name, word.text);
  value.bytes = bytesOf(value.words);
  const auto found = states.find(name);
  VariableChange change{name, none, value.words.size() + 1, std::nullopt, std::nullopt};
  if (found != states.end()) {
    change.before = std::move(found->second.value);
    change.previous = found->second.last;
  }
  wordsHeld += change.words;
  states[name] = {std::move(value), changes.size()};
  changes.push_back(std::move(change));
}

bool ShellVariables::add(const std::string& name, ShellWords added, bool asArray,
                         std::size_t most) {
  VariableState& to = states.find(name)->second;
  ShellVariable& value = to.value;
  const bool behind = asArray || value.words.empty();
  const std::size_t grows = bytesOf(added) - (behind ? 0 : 1); // text is added to one word
  if (value.bytes + grows > most)
    return false;
  if (fixed.count(name) != 0)
    return true;
  LengthBefore length{value.words.size(), value.bytes, value.array, none, 0, nullptr, true};
  if (behind) {
    for (const ShellWord& word : added)
      noteScript(name, word.text);
    std::move(added.begin(), added.end(), std::back_inserter(value.words));
    value.array |= asArray;
  } else {
    length.word = value.array ? 0 : value.words.size() - 1;
    ShellWord& longer = value.words[length.word];
    length.wordBytes = longer.text.size(), length.doubt = longer.doubt;
    length.whole =
        length.word + 1 == length.words && llvm::StringRef(added.back().text).startswith(" ");
    longer.text += added.back().text;
    longer.doubt = added.back().doubt ? added.back().doubt : longer.doubt;
    noteScript(name,
               llvm::StringRef(longer.text)
                   .drop_front(length.wordBytes - std::min<std::size_t>(length.wordBytes, 2)));
  }
  value.bytes += grows;
  VariableChange change{name, to.last, value.words.size() - length.words + 1, std::nullopt,
                        std::move(length)};
  wordsHeld += change.words;
  to.last = changes.size();
  changes.push_back(std::move(change));
  return true;
}

void ShellVariables::doubt(const std::string& name, SourceRange at, const std::string& what,
                           const std::string& decides) {
  auto why = std::make_shared<Doubt>();
  why->decides = decides;
  if (const ShellVariable* const now = find(name))
    why->before = doubtBefore(*now, at);
  why->earlier = why->before ? why->before->earlier + 1 : 0;
  why->at = at, why->what = what, why->variable = name;
  set(name, {{{"$" + name, at, why}}, false});
}

void ShellVariables::doubtAll(SourceRange at, const std::string& what) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : states)
    names.push_back(name);
  for (const std::string& name : names)
    doubt(name, at, what);
}

void ShellVariables::doubtPositional(SourceRange at, const std::string& what) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : states)
    if (name == "@" || name == "*" || name == "#" || llvm::isDigit(name[0]))
      names.push_back(name);
  for (const std::string& name : names)
    doubt(name, at, what);
}

std::vector<std::string> ShellVariables::changedSince(std::size_t mark) const {
  std::vector<std::string> names;
  std::set<llvm::StringRef> seen;
  for (std::size_t i = mark; i < changes.size(); ++i)
    if (seen.insert(changes[i].name).second)
      names.push_back(changes[i].name);
  return names;
}

void ShellVariables::undo(const VariableChange& change, ShellVariable& value) {
  if (!change.length) {
    value = change.before.value_or(ShellVariable());
    return;
  }
  const LengthBefore& length = *change.length;
  value.words.resize(length.words);
  value.array = length.array;
  if (length.word != none) {
    value.words[length.word].text.resize(length.wordBytes);
    value.words[length.word].doubt = length.doubt;
  }
  value.bytes = length.bytes;
}

ShellVariable ShellVariables::at(const std::string& name, std::size_t mark) const {
  const auto found = states.find(name);
  if (found == states.end())
    return {};
  ShellVariable value = found->second.value;
  for (std::size_t i = found->second.last; i != none && i >= mark; i = changes[i].previous)
    undo(changes[i], value);
  return value;
}

bool ShellVariables::everySince(const std::string& name, std::size_t mark,
                                llvm::function_ref<bool(const ShellVariable&)> holds) const {
  const auto found = states.find(name);
  if (found == states.end())
    return true;
  ShellVariable value = found->second.value;
  bool stands = false; // whether the next value only adds words to this one
  for (std::size_t i = found->second.last; i != none && i >= mark; i = changes[i].previous) {
    if (!stands && !holds(value))
      return false;
    stands = changes[i].length && changes[i].length->whole;
    undo(changes[i], value);
  }
  return true;
}

void ShellVariables::rollBack(std::size_t mark) {
  for (; changes.size() > mark; changes.pop_back()) {
    VariableChange& last = changes.back();
    wordsHeld -= last.words;
    const auto found = states.find(last.name);
    if (last.length)
      undo(last, found->second.value);
    else if (last.before)
      found->second.value = std::move(*last.before);
    else {
      states.erase(found);
      continue;
    }
    found->second.last = last.previous;
  }
}
