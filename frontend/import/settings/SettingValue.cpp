//===- SettingValue.cpp - Values of TOML, YAML, JSON and Python files -------------------------===//
#include "frontend/import/settings/SettingValue.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports::settings;

const SettingValue* SettingValue::find(llvm::StringRef key) const {
  for (const SettingEntry& entry : entries)
    if (entry.key == key)
      return &entry.value;
  return nullptr;
}

SettingValue& SettingValue::place(llvm::StringRef key) {
  for (SettingEntry& entry : entries)
    if (entry.key == key)
      return entry.value;
  return entries.emplace_back(SettingEntry{key.str(), {}}).value;
}

std::size_t dpl::imports::settings::sizeOf(const SettingValue& value) {
  std::size_t out = 1;
  for (const SettingEntry& entry : value.entries)
    out += sizeOf(entry.value);
  return out;
}

LogicalResult dpl::imports::settings::notA(const char* what, const std::string& why, SourceRange at,
                                           DiagnosticEngine& diags) {
  return diags.report<diag::NotAConfiguration>(at, fmt::format("this is not {}: {}", what, why));
}

bool dpl::imports::settings::tooLong(const SourceManager& sources, std::uint32_t file,
                                     DiagnosticEngine& diags) {
  if (sources.text(file).size() <= longestFile)
    return false;
  // The report has no place, because a file may be one line, which is slow to print.
  (void)diags.report<diag::NotAConfiguration>(
      {}, fmt::format("`{}` has {} bytes, a file of settings at most {}",
                      oneLine(sources.name(file).str()), sources.text(file).size(), longestFile));
  return true;
}

LogicalResult dpl::imports::settings::addEntry(SettingValue& table, std::string key,
                                               SettingValue value, SourceRange at,
                                               DiagnosticEngine& diags) {
  if (table.find(key))
    return diags.report<diag::NotAConfiguration>(at, fmt::format("`{}` is given twice", key));
  if (table.entries.size() == mostEntries)
    return diags.report<diag::NotAConfiguration>(
        at, fmt::format("a table has more than {} entries", mostEntries));
  table.entries.push_back({std::move(key), std::move(value)});
  return LogicalResult::success();
}
