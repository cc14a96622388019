//===- Settings.cpp - The settings of a file, and which of them were read ---------------------===//
#include "imports/settings/Settings.h"
#include "imports/Fields.h"
#include "imports/Unsaid.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::settings;

namespace {
llvm::StringRef lastWord(llvm::StringRef path) { return path.substr(path.rfind('.') + 1); }

std::string shown(const Value& value) {
  constexpr std::size_t most = 60;
  std::string out = value.kind == Value::Kind::List    ? "a list"
                    : value.kind == Value::Kind::Table ? "a table"
                    : value.kind == Value::Kind::Null  ? "null"
                                                       : oneLine(value.text);
  return out.size() <= most ? out : out.substr(0, most - 3) + "...";
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
  missing.add(found->at, fmt::format("what `{}` of `{}` is", shown(*found), path),
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
  wrong(path, alternatives(all));
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

void Settings::wrong(const std::string& path, const std::string& needed) {
  const Value* found = find(path);
  (void)diags.report<diag::ImportValue>(range(path), path, found ? shown(*found) : "absent",
                                        needed);
}

void Settings::refused(const std::string& path, const std::string& who, const std::string& why) {
  if (!asks()) // else a number that stands for one that nobody knows may be the reason
    (void)diags.report<diag::ImportRefused>(range(path), who, why);
}

void Settings::unsaid(const std::string& path, const std::string& help,
                      const std::string& otherwise) {
  const Value* found = find(path);
  const std::string value = !found ? otherwise : found->entries.empty() ? shown(*found) : "";
  const std::string without = found || value.empty() ? "" : "the file leaves it at that; ";
  auto report = diags.report<diag::ImportOptionUnsaid>(
      range(path), value.empty() ? path : fmt::format("{} = {}", path, value));
  if (!help.empty())
    (void)std::move(report).help(without + help);
}

void Settings::leaves(const Value& value, const std::string& path,
                      std::vector<std::pair<std::string, SourceRange>>& out) const {
  if (taken.count(path) != 0 || value.kind == Value::Kind::Null)
    return;
  const bool inner = (value.kind == Value::Kind::Table || value.kind == Value::Kind::Call) &&
                     llvm::any_of(value.entries, [](const Entry& e) { return !e.key.empty(); });
  if (!inner && !path.empty() && (value.kind != Value::Kind::Table || !value.entries.empty())) {
    out.emplace_back(path, value.at);
    return;
  }
  for (const Entry& entry : value.entries)
    if (!entry.key.empty())
      leaves(entry.value, path.empty() ? entry.key : path + "." + entry.key, out);
}

std::vector<std::string> Settings::rest(llvm::ArrayRef<const char*> without,
                                        const std::vector<std::string>& ignore) {
  std::vector<std::pair<std::string, SourceRange>> open;
  leaves(root, "", open);
  const auto means = [](llvm::StringRef path, llvm::StringRef row) {
    if (row.consume_front("*."))
      return lastWord(path) == row;
    return path == row || (path.startswith(row) && path[row.size()] == '.');
  };
  std::vector<std::string> out;
  std::set<std::string> named;
  Unsaid unsaidOnes;
  for (const auto& [path, at] : open) {
    const llvm::StringRef own = path;
    const auto ignored = llvm::find_if(ignore, [&](const std::string& i) { return means(own, i); });
    if (ignored != ignore.end())
      named.insert(*ignored);
    else if (llvm::any_of(without, [&](const char* row) { return means(own, row); }))
      out.push_back(oneLine(path));
    else
      unsaidOnes.add(at, oneLine(path));
  }
  unsaidOnes.report(diags, "file");
  for (const std::string& path : ignore)
    if (named.count(path) == 0)
      (void)diags.report<diag::UsageError>(
          {},
          fmt::format("`--ignore={}`: the file has no such setting, or the plan says it", path));
  return out;
}

bool Settings::finish(bool alone) {
  missing.report(diags);
  for (const auto& [name, value] : defines)
    if (alone && used.count(name) == 0)
      (void)diags.report<diag::UsageError>(
          {}, fmt::format("`--define {}={}`: the file does not ask for `{}`", name, value, name));
  return diags.errors() == 0;
}
