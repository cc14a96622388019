//===- SettingsReader.cpp - Reads settings of a file by path, and finds unread ones -----------===//
#include "frontend/import/settings/SettingsReader.h"
#include "frontend/import/BlockText.h"
#include "frontend/import/SettingPath.h"
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
/// Removes the settings that a row names. False if there are none.
bool erase(SettingValue& table, llvm::StringRef row, const std::string& path) {
  bool found = false;
  std::vector<SettingEntry> kept;
  for (SettingEntry& entry : table.entries) {
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

/// Whether the file leaves a value to the user who starts the program.
bool isOpen(const SettingValue& value) {
  return value.kind == SettingValue::SettingKind::NotData ||
         value.kind == SettingValue::SettingKind::Call ||
         (value.kind == SettingValue::SettingKind::Text &&
          (value.text == "auto" || value.text == "???" ||
           value.text.find("${") != std::string::npos));
}
} // namespace

const SettingValue* SettingsReader::find(llvm::StringRef path) const {
  const SettingValue* at = &root;
  for (llvm::StringRef key; at && !path.empty();) {
    std::tie(key, path) = path.split('.');
    at = at->find(key);
  }
  return at && at->kind != SettingValue::SettingKind::Null ? at : nullptr;
}

bool SettingsReader::has(llvm::StringRef path) const { return find(path) != nullptr; }

SourceRange SettingsReader::range(llvm::StringRef path) const {
  const SettingValue* found = find(path);
  return found ? found->at : SourceRange{file, 0, 1};
}

const SettingValue* SettingsReader::value(const std::string& path) {
  readPaths.insert(path);
  return find(path);
}

std::string SettingsReader::definition(const std::string& name) {
  for (const auto& [given, text] : defines)
    if (given == name) {
      used.insert(name);
      return text;
    }
  return "";
}

std::optional<SettingValue> SettingsReader::known(const std::string& path, const char* kind) {
  const SettingValue* found = value(path);
  if (!found)
    return std::nullopt;
  if (!isOpen(*found))
    return *found;
  const std::string name = lastWord(path).str();
  if (const std::string given = definition(name); !given.empty()) {
    SettingValue out;
    double number = 0;
    const llvm::StringRef text = given;
    out.kind = text == "true" || text == "false" ? SettingValue::SettingKind::Truth
               : !text.getAsDouble(number)       ? SettingValue::SettingKind::Number
                                                 : SettingValue::SettingKind::Text;
    out.text = given, out.at = found->at;
    return out;
  }
  missing.add(found->at, fmt::format("what `{}` of `{}` is", shown(*found), named(path)),
              fmt::format("{}={}", name, kind));
  return std::nullopt;
}

std::uint64_t SettingsReader::count(const std::string& path, std::uint64_t otherwise,
                                    std::uint64_t least) {
  const std::optional<SettingValue> found = known(path, "NUMBER");
  if (!found)
    return otherwise;
  double real = 0;
  std::uint64_t out = 0;
  const llvm::StringRef text = found->text;
  const bool numeric = found->kind == SettingValue::SettingKind::Number;
  bool whole = numeric && !text.getAsInteger(10, out);
  if (numeric && !whole && !text.getAsDouble(real) && real >= 0 && real < 1e15 &&
      real == static_cast<double>(static_cast<std::uint64_t>(real)))
    whole = true, out = static_cast<std::uint64_t>(real); // files of DeepSpeed write numbers as 5e8
  if (whole && out >= least)
    return out;
  wrong(path, least == 0 ? "a whole number" : fmt::format("a whole number of at least {}", least));
  return otherwise;
}

double SettingsReader::real(const std::string& path, double otherwise, NumberRange range) {
  const std::optional<SettingValue> found = known(path, "NUMBER");
  double out = otherwise;
  if (!found || (found->kind == SettingValue::SettingKind::Number &&
                 !llvm::StringRef(found->text).getAsDouble(out) && contains(range, out)))
    return out;
  wrong(path, needed(range));
  return otherwise;
}

bool SettingsReader::flag(const std::string& path, bool otherwise) {
  const std::optional<SettingValue> found = known(path, "true");
  if (found && found->kind != SettingValue::SettingKind::Truth)
    wrong(path, "true or false");
  return found ? found->text == "true" : otherwise;
}

std::string SettingsReader::text(const std::string& path, const std::string& otherwise) {
  const std::optional<SettingValue> found = known(path, "VALUE");
  if (found && found->kind != SettingValue::SettingKind::Text &&
      found->kind != SettingValue::SettingKind::Number)
    wrong(path, "a string");
  return found ? found->text : otherwise;
}

std::string SettingsReader::choice(const std::string& path, const std::string& otherwise,
                                   const std::vector<std::string>& all) {
  const std::string out = text(path, otherwise);
  if (out == otherwise || llvm::is_contained(all, out))
    return out;
  const bool offered = !isSize(path) && !llvm::StringRef(path).endswith("_schedule");
  wrong(path, alternatives(all), offered);
  return otherwise;
}

std::uint64_t SettingsReader::definedOr(const std::string& name, std::uint64_t otherwise) {
  const std::string given = definition(name);
  std::uint64_t out = 0;
  if (given.empty())
    return otherwise;
  if (llvm::StringRef(given).getAsInteger(10, out) || out == 0)
    (void)diags.report<diag::ImportValue>({}, "--define " + name, oneLine(given),
                                          neededCount(given));
  return std::max<std::uint64_t>(out, 1);
}

std::uint64_t SettingsReader::defined(const std::string& name, const std::string& what) {
  if (const std::uint64_t given = definedOr(name, 0))
    return given;
  missing.add({file, 0, 1}, what, name + "=NUMBER");
  return 1;
}

std::string SettingsReader::definedChoice(const std::string& name, const std::string& what,
                                          const std::vector<std::string>& known) {
  const std::string given = definition(name);
  if (given.empty())
    missing.add({file, 0, 1}, what, fmt::format("{}={}", name, known.front()));
  else if (!llvm::is_contained(known, given))
    (void)diags.report<diag::ImportValue>({}, "--define " + name, oneLine(given),
                                          alternatives(known));
  return given;
}

bool SettingsReader::open(const std::string& path) const {
  const SettingValue* found = find(path);
  return found && isOpen(*found);
}

std::optional<std::pair<std::string, std::string>>
SettingsReader::unknown(const std::string& path) {
  const std::string name = lastWord(path).str();
  if (!open(path) || !definition(name).empty())
    return std::nullopt;
  return std::pair(name, shown(*value(path)));
}

void SettingsReader::wrong(const std::string& path, const std::string& needed, bool offered) {
  const SettingValue* found = find(path);
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

void SettingsReader::refused(const std::string& path, const std::string& who,
                             const std::string& why) {
  if (!hasMissing()) // otherwise the placeholder of a missing input may cause the error
    (void)diags.report<diag::ImportRefused>(range(path), who, why);
}

void SettingsReader::unsupported(const std::string& path, const std::string& help) {
  const SettingValue* found = find(path);
  const std::string value = found && found->entries.empty() ? " = " + shown(*found) : "";
  const std::string name = named(path);
  auto report = diags.report<diag::ImportOptionUnsaid>(range(path), name + value);
  (void)std::move(report).help(fmt::format("{}{}`--ignore={}` imports the file without it", help,
                                           help.empty() ? "" : "; ", name));
}

void SettingsReader::unsupportedByDefault(const std::string& path, const std::string& help) {
  const SettingValue* found = find(path);
  (void)diags
      .report<diag::ImportOptionUnsaid>(
          range(path), found ? fmt::format("{} = {}", named(path), shown(*found)) : named(path))
      .help(help);
}

void SettingsReader::ignore(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (isSize(path))
      (void)diags.report<diag::ImportNotIgnored>(range(path), oneLine(path));
    else if (const SourceRange at = range(path); erase(root, path, ""))
      ignored.emplace_back(path, at);
    else
      (void)diags.report<diag::UsageError>(
          {}, fmt::format("`--ignore={}`: the file does not have this setting", path));
  }
}

bool SettingsReader::rename(const std::string& theirs, const std::string& ours) {
  const SettingValue* const found = find(theirs);
  if (!found)
    readPaths.insert(theirs), earlier.insert(theirs); // the file may misspell this name
  if (!found || find(ours))
    return false;
  replace(ours, *found);
  (void)erase(root, theirs, "");
  theirNames[ours] = theirs;
  return true;
}

void SettingsReader::replace(const std::string& path, SettingValue value) {
  SettingValue* at = &root;
  llvm::StringRef rest = path, key;
  for (std::tie(key, rest) = rest.split('.'); !rest.empty();
       std::tie(key, rest) = rest.split('.')) {
    at = &at->place(key);
    if (at->kind == SettingValue::SettingKind::Null)
      at->kind = SettingValue::SettingKind::Table, at->at = value.at;
  }
  at->place(key) = std::move(value);
}

WrittenSettings SettingsReader::written() const {
  WrittenSettings out;
  const std::function<void(const SettingValue&, const std::string&)> add =
      [&](const SettingValue& table, const std::string& path) {
        for (const SettingEntry& entry : table.entries) {
          if (entry.key.empty() || entry.value.kind == SettingValue::SettingKind::Null)
            continue;
          const std::string own = path.empty() ? entry.key : path + "." + entry.key;
          out.push_back({own, named(own), entry.value.at});
          add(entry.value, own);
        }
      };
  add(root, "");
  return out;
}

std::string SettingsReader::named(const std::string& path) const {
  const auto found = theirNames.find(path);
  return found == theirNames.end() ? path : found->second;
}

bool SettingsReader::finish(bool alone) {
  missing.report(diags);
  for (const auto& [name, value] : defines)
    if (alone && used.count(name) == 0)
      (void)diags.report<diag::UsageError>(
          {}, fmt::format("`--define {}={}`: the file does not ask for `{}`", name, value, name));
  return diags.errors() == 0;
}
