//===- Variables.cpp - What the variables of a followed script hold ---------------------------===//
#include "frontend/import/shell/Variables.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <iterator>
#include <set>

using namespace dpl;
using namespace dpl::imports::megatron;

std::string dpl::imports::megatron::joined(const Words& words) {
  std::string out;
  for (const Word& word : words)
    out += (out.empty() ? "" : " ") + word.text;
  return out;
}

namespace {
/// Arguments that are empty where fewer are given.
constexpr std::size_t fewest = 32;

/// With a blank behind each.
std::size_t bytesOf(const Words& words) {
  std::size_t bytes = words.size();
  for (const Word& word : words)
    bytes += word.text.size();
  return bytes;
}

/// That of a statement before the one that stands there; what is inside of it is not before it.
std::shared_ptr<const Doubt> doubtBefore(const Variable& value, SourceRange at) {
  constexpr unsigned mostEarlier = 64;
  for (const Word& word : value.words) {
    std::shared_ptr<const Doubt> doubt = word.doubt;
    while (doubt && doubt->at.file == at.file && doubt->at.begin >= at.begin)
      doubt = doubt->before;
    if (doubt && !doubt->outside)
      return doubt->earlier < mostEarlier ? doubt : nullptr;
  }
  return nullptr;
}
} // namespace

Variables::Variables(const std::vector<std::pair<std::string, std::string>>& given) {
  for (const auto& [name, value] : given) {
    if (name == "@") {
      giveArguments(value);
      continue;
    }
    held[name].value = {{{value, {}, nullptr}}, false};
    fixed[name] = true;
  }
}

/// `--define '@=A B'`: what the script is started with. `shift` may change it.
void Variables::giveArguments(llvm::StringRef value) {
  llvm::SmallVector<llvm::StringRef, 8> pieces;
  llvm::SplitString(value, pieces);
  Variable all{{}, true};
  for (const llvm::StringRef piece : pieces)
    all.words.push_back({piece.str(), {}, nullptr});
  for (std::size_t i = 0; i < std::max(pieces.size(), fewest); ++i)
    held[std::to_string(i + 1)].value = {i < pieces.size() ? Words{all.words[i]} : Words{}, false};
  held["#"].value = {{{std::to_string(pieces.size()), {}, nullptr}}, false};
  held["@"].value = held["*"].value = all;
}

void Variables::setArguments(const Words& words) {
  const std::optional<Words> before = arguments();
  const std::size_t most = std::max(words.size(), before ? before->size() : std::size_t{0});
  for (std::size_t i = 0; i < std::max(most, fewest); ++i)
    set(std::to_string(i + 1), {i < words.size() ? Words{words[i]} : Words{}, false});
  set("#", {{{std::to_string(words.size()), {}, nullptr}}, false});
  for (const char* all : {"@", "*"})
    set(all, {words, true});
}

std::optional<Words> Variables::arguments() const {
  const Variable* const all = find("@");
  if (!all || !all->array)
    return std::nullopt;
  return all->words;
}

bool Variables::shift(llvm::StringRef count) {
  std::size_t by = 0;
  const std::optional<Words> given = arguments();
  if (!given || count.getAsInteger(10, by))
    return false;
  if (by <= given->size()) // else it fails and shifts nothing
    setArguments({given->begin() + static_cast<std::ptrdiff_t>(by), given->end()});
  return true;
}

const Variable* Variables::find(const std::string& name) const {
  const auto found = held.find(name);
  return found == held.end() ? nullptr : &found->second.value;
}

void Variables::noteScript(const std::string& name, llvm::StringRef text) {
  if (text.contains(".py"))
    scripts.insert(name);
}

void Variables::set(const std::string& name, Variable value) {
  if (fixed.count(name) != 0)
    return;
  for (const Word& word : value.words)
    noteScript(name, word.text);
  value.bytes = bytesOf(value.words);
  const auto found = held.find(name);
  Change change{name, none, value.words.size() + 1, std::nullopt, std::nullopt};
  if (found != held.end()) {
    change.before = std::move(found->second.value);
    change.previous = found->second.last;
  }
  wordsHeld += change.words;
  held[name] = {std::move(value), changes.size()};
  changes.push_back(std::move(change));
}

bool Variables::add(const std::string& name, Words added, bool asArray, std::size_t most) {
  Held& to = held.find(name)->second;
  Variable& value = to.value;
  const bool behind = asArray || value.words.empty();
  const std::size_t grows = bytesOf(added) - (behind ? 0 : 1); // of a text the one word
  if (value.bytes + grows > most)
    return false;
  if (fixed.count(name) != 0)
    return true;
  Length length{value.words.size(), value.bytes, value.array, none, 0, nullptr, true};
  if (behind) {
    for (const Word& word : added)
      noteScript(name, word.text);
    std::move(added.begin(), added.end(), std::back_inserter(value.words));
    value.array |= asArray;
  } else {
    length.word = value.array ? 0 : value.words.size() - 1;
    Word& longer = value.words[length.word];
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
  Change change{name, to.last, value.words.size() - length.words + 1, std::nullopt,
                std::move(length)};
  wordsHeld += change.words;
  to.last = changes.size();
  changes.push_back(std::move(change));
  return true;
}

void Variables::doubt(const std::string& name, SourceRange at, const std::string& what,
                      const std::string& decides) {
  auto why = std::make_shared<Doubt>();
  why->decides = decides;
  if (const Variable* const now = find(name))
    why->before = doubtBefore(*now, at);
  why->earlier = why->before ? why->before->earlier + 1 : 0;
  why->at = at, why->what = what, why->variable = name;
  set(name, {{{"$" + name, at, why}}, false});
}

void Variables::doubtAll(SourceRange at, const std::string& what) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : held)
    names.push_back(name);
  for (const std::string& name : names)
    doubt(name, at, what);
}

void Variables::doubtPositional(SourceRange at, const std::string& what) {
  std::vector<std::string> names;
  for (const auto& [name, unused] : held)
    if (name == "@" || name == "*" || name == "#" || llvm::isDigit(name[0]))
      names.push_back(name);
  for (const std::string& name : names)
    doubt(name, at, what);
}

std::vector<std::string> Variables::changedSince(std::size_t mark) const {
  std::vector<std::string> names;
  std::set<llvm::StringRef> seen;
  for (std::size_t i = mark; i < changes.size(); ++i)
    if (seen.insert(changes[i].name).second)
      names.push_back(changes[i].name);
  return names;
}

void Variables::takeBack(const Change& change, Variable& value) {
  if (!change.length) {
    value = change.before.value_or(Variable());
    return;
  }
  const Length& length = *change.length;
  value.words.resize(length.words);
  value.array = length.array;
  if (length.word != none) {
    value.words[length.word].text.resize(length.wordBytes);
    value.words[length.word].doubt = length.doubt;
  }
  value.bytes = length.bytes;
}

Variable Variables::at(const std::string& name, std::size_t mark) const {
  const auto found = held.find(name);
  if (found == held.end())
    return {};
  Variable value = found->second.value;
  for (std::size_t i = found->second.last; i != none && i >= mark; i = changes[i].previous)
    takeBack(changes[i], value);
  return value;
}

bool Variables::everySince(const std::string& name, std::size_t mark,
                           llvm::function_ref<bool(const Variable&)> holds) const {
  const auto found = held.find(name);
  if (found == held.end())
    return true;
  Variable value = found->second.value;
  bool stands = false; // a value that only adds words to this one has been seen
  for (std::size_t i = found->second.last; i != none && i >= mark; i = changes[i].previous) {
    if (!stands && !holds(value))
      return false;
    stands = changes[i].length && changes[i].length->whole;
    takeBack(changes[i], value);
  }
  return true;
}

void Variables::rollBack(std::size_t mark) {
  for (; changes.size() > mark; changes.pop_back()) {
    Change& last = changes.back();
    wordsHeld -= last.words;
    const auto found = held.find(last.name);
    if (last.length)
      takeBack(last, found->second.value);
    else if (last.before)
      found->second.value = std::move(*last.before);
    else {
      held.erase(found);
      continue;
    }
    found->second.last = last.previous;
  }
}
