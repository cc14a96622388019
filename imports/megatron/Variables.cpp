//===- Variables.cpp - What the variables of a followed script hold ---------------------------===//
#include "imports/megatron/Variables.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <set>

using namespace dpl;
using namespace dpl::imports::megatron;

std::string dpl::imports::megatron::joined(const Words& words) {
  std::string out;
  for (const Word& word : words)
    out += (out.empty() ? "" : " ") + word.text;
  return out;
}

Variables::Variables(const std::vector<std::pair<std::string, std::string>>& given) {
  for (const auto& [name, value] : given) {
    if (name == "@") {
      giveArguments(value);
      continue;
    }
    held[name] = {{{value, {}, nullptr}}, false};
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
  for (std::size_t i = 0; i < std::max<std::size_t>(pieces.size(), 9); ++i)
    held[std::to_string(i + 1)] = {i < pieces.size() ? Words{all.words[i]} : Words{}, false};
  held["#"] = {{{std::to_string(pieces.size()), {}, nullptr}}, false};
  held["@"] = held["*"] = all;
}

void Variables::setArguments(const Words& words) {
  const std::optional<Words> before = arguments();
  const std::size_t most = std::max(words.size(), before ? before->size() : std::size_t{0});
  for (std::size_t i = 0; i < std::max<std::size_t>(most, 9); ++i)
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
  return found == held.end() ? nullptr : &found->second;
}

void Variables::set(const std::string& name, Variable value) {
  if (fixed.count(name) != 0)
    return;
  for (const Word& word : value.words)
    if (llvm::StringRef(word.text).contains(".py"))
      scripts.insert(name);
  const auto found = held.find(name);
  Change change{name, std::nullopt};
  if (found != held.end())
    change.before = std::move(found->second);
  changes.push_back(std::move(change));
  held[name] = std::move(value);
}

void Variables::doubt(const std::string& name, SourceRange at, const std::string& what,
                      const std::string& decides) {
  auto why = std::make_shared<Doubt>();
  why->decides = decides;
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
  for (const auto& [name, unused] : std::map<std::string, Variable>(held))
    if (name == "@" || name == "*" || name == "#" || llvm::isDigit(name[0]))
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

std::vector<Variable> Variables::since(const std::string& name, std::size_t mark) const {
  std::vector<Variable> values;
  for (std::size_t i = mark; i < changes.size(); ++i)
    if (changes[i].name == name)
      values.push_back(changes[i].before.value_or(Variable()));
  if (const Variable* now = find(name))
    values.push_back(*now);
  return values;
}

void Variables::rollBack(std::size_t mark) {
  for (; changes.size() > mark; changes.pop_back())
    if (Change& last = changes.back(); last.before)
      held[last.name] = std::move(*last.before);
    else
      held.erase(last.name);
}
