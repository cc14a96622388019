//===- Settings.cpp - The settings of a file, and which of them were read ---------------------===//
#include "frontend/import/settings/Settings.h"
#include "frontend/import/Fields.h"
#include "frontend/import/settings/Names.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>
#include <functional>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;

namespace {
/// Removes the settings that `row` names; false if there are none.
bool erase(Value& table, llvm::StringRef row, const std::string& path) {
  bool found = false;
  std::vector<Entry> kept;
  for (Entry& entry : table.entries) {
    const std::string own = path.empty() ? entry.key : path + "." + entry.key;
    if (!entry.key.empty() && stands(row, own)) {
      found = true;
      continue;
    }
    found |= !entry.key.empty() && erase(entry.value, row, own);
    kept.push_back(std::move(entry));
  }
  table.entries = std::move(kept);
  return found;
}

/// Left to who starts the program.
bool isOpen(const Value& value) {
  return value.kind == Value::Kind::Unread || value.kind == Value::Kind::Call ||
         (value.kind == Value::Kind::Text && (value.text == "auto" || value.text == "???" ||
                                              value.text.find("${") != std::string::npos));
}
} // namespace

const Value* Settings::find(llvm::StringRef path) const {
  const Value* at = &root;
  for (llvm::StringRef key; at && !path.empty();) {
    std::tie(key, path) = path.split('.');
    at = at->find(key);
  }
  return at && at->kind != Value::Kind::Null ? at : nullptr;
}

bool Settings::has(llvm::StringRef path) const { return find(path) != nullptr; }

SourceRange Settings::range(llvm::StringRef path) const {
  const Value* found = find(path);
  return found ? found->at : SourceRange{file, 0, 1};
}

const Value* Settings::value(const std::string& path) {
  taken.insert(path);
  return find(path);
}

std::string Settings::definition(const std::string& name) {
  for (const auto& [given, text] : defines)
    if (given == name) {
      used.insert(name);
      return text;
    }
  return "";
}

std::optional<Value> Settings::known(const std::string& path, const char* kind) {
  const Value* found = value(path);
  if (!found)
    return std::nullopt;
  if (!isOpen(*found))
    return *found;
  const std::string name = lastWord(path).str();
  if (const std::string given = definition(name); !given.empty()) {
    Value out;
    double number = 0;
    const llvm::StringRef text = given;
    out.kind = text == "true" || text == "false" ? Value::Kind::Truth
               : !text.getAsDouble(number)       ? Value::Kind::Number
                                                 : Value::Kind::Text;
    out.text = given, out.at = found->at;
    return out;
  }
  missing.add(found->at, fmt::format("what `{}` of `{}` is", shown(*found), named(path)),
              fmt::format("{}={}", name, kind));
  return std::nullopt;
}

std::uint64_t Settings::count(const std::string& path, std::uint64_t otherwise,
                              std::uint64_t least) {
  const std::optional<Value> found = known(path, "NUMBER");
  if (!found)
    return otherwise;
  double real = 0;
  std::uint64_t out = 0;
  const llvm::StringRef text = found->text;
  const bool numeric = found->kind == Value::Kind::Number;
  bool whole = numeric && !text.getAsInteger(10, out);
  if (numeric && !whole && !text.getAsDouble(real) && real >= 0 && real < 1e15 &&
      real == static_cast<double>(static_cast<std::uint64_t>(real)))
    whole = true, out = static_cast<std::uint64_t>(real); // 5e8, as DeepSpeed's files have it
  if (whole && out >= least)
    return out;
  wrong(path, least == 0 ? "a whole number" : fmt::format("a whole number of at least {}", least));
  return otherwise;
}

double Settings::real(const std::string& path, double otherwise, NumberRange range) {
  const std::optional<Value> found = known(path, "NUMBER");
  double out = otherwise;
  if (!found || (found->kind == Value::Kind::Number &&
                 !llvm::StringRef(found->text).getAsDouble(out) && contains(range, out)))
    return out;
  wrong(path, needed(range));
  return otherwise;
}

bool Settings::flag(const std::string& path, bool otherwise) {
  const std::optional<Value> found = known(path, "true");
  if (found && found->kind != Value::Kind::Truth)
    wrong(path, "true or false");
  return found ? found->text == "true" : otherwise;
}

std::string Settings::text(const std::string& path, const std::string& otherwise) {
  const std::optional<Value> found = known(path, "VALUE");
  if (found && found->kind != Value::Kind::Text && found->kind != Value::Kind::Number)
    wrong(path, "a text");
  return found ? found->text : otherwise;
}

std::string Settings::choice(const std::string& path, const std::string& otherwise,
                             const std::vector<std::string>& all) {
  const std::string out = text(path, otherwise);
  if (out == otherwise || llvm::is_contained(all, out))
    return out;
  const bool offered = !isSize(path) && !llvm::StringRef(path).endswith("_schedule");
  wrong(path, alternatives(all), offered);
  return otherwise;
}

std::uint64_t Settings::definedOr(const std::string& name, std::uint64_t otherwise) {
  const std::string given = definition(name);
  std::uint64_t out = 0;
  if (given.empty())
    return otherwise;
  if (llvm::StringRef(given).getAsInteger(10, out) || out == 0)
    (void)diags.report<diag::ImportValue>({}, "--define " + name, oneLine(given),
                                          neededCount(given));
  return std::max<std::uint64_t>(out, 1);
}

std::uint64_t Settings::defined(const std::string& name, const std::string& what) {
  if (const std::uint64_t given = definedOr(name, 0))
    return given;
  missing.add({file, 0, 1}, what, name + "=NUMBER");
  return 1;
}

std::string Settings::definedChoice(const std::string& name, const std::string& what,
                                    const std::vector<std::string>& known) {
  const std::string given = definition(name);
  if (given.empty())
    missing.add({file, 0, 1}, what, fmt::format("{}={}", name, known.front()));
  else if (!llvm::is_contained(known, given))
    (void)diags.report<diag::ImportValue>({}, "--define " + name, oneLine(given),
                                          alternatives(known));
  return given;
}

bool Settings::open(const std::string& path) const {
  const Value* found = find(path);
  return found && isOpen(*found);
}

std::optional<std::pair<std::string, std::string>> Settings::unknown(const std::string& path) {
  const std::string name = lastWord(path).str();
  if (!open(path) || !definition(name).empty())
    return std::nullopt;
  return std::pair(name, shown(*value(path)));
}

void Settings::wrong(const std::string& path, const std::string& needed, bool offered) {
  const Value* found = find(path);
  const std::string name = lastWord(path).str();
  if (const std::string given = open(path) ? definition(name) : ""; !given.empty()) {
    (void)diags.report<diag::ImportValue>({}, "--define " + name, oneLine(given), needed);
    return;
  }
  auto report = diags.report<diag::ImportValue>(range(path), named(path),
                                                found ? shown(*found) : "absent", needed);
  if (offered && found)
    (void)std::move(report).help(
        fmt::format("`--ignore={}` imports the file without it", named(path)));
}

void Settings::refused(const std::string& path, const std::string& who, const std::string& why) {
  if (!asks()) // else a number that stands for one that nobody knows may be the reason
    (void)diags.report<diag::ImportRefused>(range(path), who, why);
}

void Settings::unsaid(const std::string& path, const std::string& help) {
  const Value* found = find(path);
  const std::string value = found && found->entries.empty() ? " = " + shown(*found) : "";
  const std::string name = named(path);
  auto report = diags.report<diag::ImportOptionUnsaid>(range(path), name + value);
  (void)std::move(report).help(fmt::format("{}{}`--ignore={}` imports the file without it", help,
                                           help.empty() ? "" : "; ", name));
}

void Settings::unsaidAnyway(const std::string& path, const std::string& help) {
  const Value* found = find(path);
  (void)diags
      .report<diag::ImportOptionUnsaid>(
          range(path), found ? fmt::format("{} = {}", named(path), shown(*found)) : named(path))
      .help(help);
}

void Settings::ignore(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (isSize(path))
      (void)diags.report<diag::ImportNotIgnored>(range(path), oneLine(path));
    else if (const SourceRange at = range(path); erase(root, path, ""))
      ignored.emplace_back(path, at);
    else
      (void)diags.report<diag::UsageError>(
          {}, fmt::format("`--ignore={}`: the file has no such setting", path));
  }
}

bool Settings::rename(const std::string& theirs, const std::string& ours) {
  const Value* const found = find(theirs);
  if (!found)
    taken.insert(theirs), earlier.insert(theirs); // a name that a file may misspell
  if (!found || find(ours))
    return false;
  replace(ours, *found);
  (void)erase(root, theirs, "");
  theirNames[ours] = theirs;
  return true;
}

void Settings::replace(const std::string& path, Value value) {
  Value* at = &root;
  llvm::StringRef rest = path, key;
  for (std::tie(key, rest) = rest.split('.'); !rest.empty();
       std::tie(key, rest) = rest.split('.')) {
    at = &at->place(key);
    if (at->kind == Value::Kind::Null)
      at->kind = Value::Kind::Table, at->at = value.at;
  }
  at->place(key) = std::move(value);
}

WrittenSettings Settings::written() const {
  WrittenSettings out;
  const std::function<void(const Value&, const std::string&)> add = [&](const Value& table,
                                                                        const std::string& path) {
    for (const Entry& entry : table.entries) {
      if (entry.key.empty() || entry.value.kind == Value::Kind::Null)
        continue;
      const std::string own = path.empty() ? entry.key : path + "." + entry.key;
      out.push_back({own, named(own), entry.value.at});
      add(entry.value, own);
    }
  };
  add(root, "");
  return out;
}

std::string Settings::named(const std::string& path) const {
  const auto found = theirNames.find(path);
  return found == theirNames.end() ? path : found->second;
}

bool Settings::finish(bool alone) {
  missing.report(diags);
  for (const auto& [name, value] : defines)
    if (alone && used.count(name) == 0)
      (void)diags.report<diag::UsageError>(
          {}, fmt::format("`--define {}={}`: the file does not ask for `{}`", name, value, name));
  return diags.errors() == 0;
}
