//===- Settings.cpp - The settings of a file, and which of them were read ---------------------===//
#include "imports/settings/Settings.h"
#include "imports/Fields.h"
#include "imports/PlanFile.h"
#include "imports/Unsaid.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;

namespace {
llvm::StringRef lastWord(llvm::StringRef path) { return path.substr(path.rfind('.') + 1); }

std::string shown(const Value& value) {
  constexpr std::size_t most = 60;
  std::string out = value.kind == Value::Kind::List    ? "a list"
                    : value.kind == Value::Kind::Table ? "a table"
                    : value.kind == Value::Kind::Null  ? "null"
                                                       : oneLine(value.text);
  if (out.size() > most)
    out.replace(most - 3, std::string::npos, "...");
  return out;
}

/// Whether the row `"a.b"`, or `"*.name"`, stands for the setting at `path`.
bool stands(llvm::StringRef row, llvm::StringRef path) {
  if (row.consume_front("*."))
    return lastWord(path) == row;
  return path == row || (path.startswith(row) && path[row.size()] == '.');
}

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

/// Whether the setting is named as a degree, a batch or a length, which every plan needs.
bool isSize(llvm::StringRef path) {
  const llvm::StringRef name = lastWord(path);
  for (const char* end : {"_degree", "_parallel_size", "batch_size", "_microbatches", "_seq_len",
                          "_seq_length", "_accumulation_steps"})
    if (name.endswith(end))
      return true;
  return name == "seq_len" || name == "seq_length" || name == "stage" ||
         name == "train_micro_batch_size_per_gpu" || name == "autotp_size" || name == "autoep_size";
}

bool isWordForOff(llvm::StringRef text) {
  return text.empty() || text == "none" || text == "None" || text == "disabled" || text == "off";
}

/// Values by which an unknown setting says that it is not used.
bool isOff(llvm::StringRef path, const Value& value) {
  if (value.kind == Value::Kind::List || value.kind == Value::Kind::Table)
    return value.entries.empty();
  return value.isFalse() || (value.kind == Value::Kind::Text && isWordForOff(value.text)) ||
         (isSize(path) && value.text == "1");
}

/// Whether the setting names data or a place for output, in any program.
bool namesAPlace(llvm::StringRef path) {
  const llvm::StringRef name = lastWord(path);
  for (const char* begin : {"dataset", "log_", "wandb_", "tensorboard_"})
    if (name.startswith(begin))
      return true;
  for (const char* end : {"_path", "_folder", "_dir", "_file", "_url"})
    if (name.endswith(end))
      return true;
  return false;
}

/// Whether a table switches itself off.
bool isSwitchedOff(const Value& table) {
  for (const char* key : {"enable", "enabled"})
    if (const Value* on = table.find(key); on && on->isFalse())
      return true;
  const Value* const device = table.find("device");
  return device && isWordForOff(device->text) && device->kind == Value::Kind::Text;
}

bool isDefault(const Value& value, llvm::StringRef otherwise) {
  double given = 0, own = 0;
  if (value.kind == Value::Kind::Number && !otherwise.getAsDouble(own) &&
      !llvm::StringRef(value.text).getAsDouble(given))
    return !(given < own || own < given);
  if (value.kind != Value::Kind::List && value.kind != Value::Kind::Table)
    return value.text == otherwise;
  std::string list;
  for (const Entry& entry : value.entries)
    list += (list.empty() ? "" : ", ") + entry.value.text;
  return otherwise == "[" + list + "]" || (value.entries.empty() && otherwise == "{}");
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

double Settings::real(const std::string& path, double otherwise) {
  const std::optional<Value> found = known(path, "NUMBER");
  double out = otherwise;
  if (!found || (found->kind == Value::Kind::Number &&
                 !llvm::StringRef(found->text).getAsDouble(out) && std::isfinite(out)))
    return out;
  wrong(path, "a number");
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

void Settings::unsaidAnyway(const std::string& path, const std::string& help,
                            const std::string& otherwise) {
  const Value* found = find(path);
  const std::string value = found ? shown(*found) : otherwise;
  (void)diags
      .report<diag::ImportOptionUnsaid>(
          range(path), value.empty() ? named(path) : fmt::format("{} = {}", named(path), value))
      .help((found || value.empty() ? "" : "the file leaves it at that; ") + help);
}

void Settings::leaves(const Value& value, const std::string& path, bool off,
                      std::vector<Leaf>& out) const {
  if (taken.count(path) != 0 || value.kind == Value::Kind::Null)
    return;
  const bool inner = (value.kind == Value::Kind::Table || value.kind == Value::Kind::Call) &&
                     llvm::any_of(value.entries, [](const Entry& e) { return !e.key.empty(); });
  if (!inner && !path.empty() && (value.kind != Value::Kind::Table || !value.entries.empty())) {
    out.push_back({path, &value, off});
    return;
  }
  off |= isSwitchedOff(value);
  for (const Entry& entry : value.entries)
    if (!entry.key.empty())
      leaves(entry.value, path.empty() ? entry.key : path + "." + entry.key, off, out);
}

std::string Settings::rest(const Neutral& neutral) {
  std::vector<Leaf> open;
  leaves(root, "", false, open);
  std::vector<std::string> unused;
  std::string differences;
  Unsaid unsaidOnes;
  for (const Leaf& leaf : open) {
    const llvm::StringRef path = leaf.path;
    const auto means = [&](llvm::StringRef row) { return stands(row, path); };
    const std::string name = oneLine(named(leaf.path));
    const auto* const known =
        llvm::find_if(neutral.defaults, [&](const Default& d) { return path == d.path; });
    const bool hasDefault = known != neutral.defaults.end();
    const auto* const different =
        llvm::find_if(neutral.different, [&](const Difference& d) { return means(d.path); });
    if (leaf.off || namesAPlace(path) || llvm::any_of(neutral.without, means) ||
        (hasDefault ? isDefault(*leaf.value, known->value) : isOff(path, *leaf.value)))
      unused.push_back(name);
    else if (different != neutral.different.end())
      differences +=
          remark(fmt::format("`{} = {}`: {}", name, shown(*leaf.value), different->what));
    else if (isSize(path))
      (void)diags.report<diag::ImportSizeUnknown>(leaf.value->at, name, shown(*leaf.value));
    else
      unsaidOnes.add(leaf.value->at, name);
  }
  unsaidOnes.report(diags, "file");
  return differences + remarksOf(unused, ignored);
}

void Settings::ignore(const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    if (isSize(path))
      (void)diags.report<diag::ImportNotIgnored>(range(path), oneLine(path));
    else if (!erase(root, path, ""))
      (void)diags.report<diag::UsageError>(
          {}, fmt::format("`--ignore={}`: the file has no such setting", path));
    else
      ignored.push_back(path);
  }
}

bool Settings::rename(const std::string& theirs, const std::string& ours) {
  const Value* const found = find(theirs);
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
