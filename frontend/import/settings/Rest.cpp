//===- Rest.cpp - Settings of a file that were not read ---------------------------------------===//
#include "frontend/import/Misspelt.h"
#include "frontend/import/PlanFile.h"
#include "frontend/import/SettingPath.h"
#include "frontend/import/UnsupportedOptions.h"
#include "frontend/import/settings/Names.h"
#include "frontend/import/settings/SettingsReader.h"
#include "support/Near.h"
#include "support/Utf8.h"
#include "support/diagnostics/Imports.h"
#include "llvm/ADT/STLExtras.h"
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;

namespace {

/// Whether the setting is switched off by 1, as a degree and accumulation steps are. A batch size
/// or a length is not.
bool isDegree(llvm::StringRef path) {
  const llvm::StringRef name = lastWord(path);
  return name.endswith("_degree") || name.endswith("_parallel_size") ||
         name.endswith("_accumulation_steps") || name == "autotp_size" || name == "autoep_size";
}

bool isWordForOff(llvm::StringRef text) {
  return text.empty() || text == "none" || text == "None" || text == "disabled" || text == "off";
}

/// Whether the value of an unknown setting switches it off.
bool isOff(llvm::StringRef path, const SettingValue& value) {
  if (value.kind == SettingValue::SettingKind::List ||
      value.kind == SettingValue::SettingKind::Table)
    return value.entries.empty();
  return value.isFalse() ||
         (value.kind == SettingValue::SettingKind::Text && isWordForOff(value.text)) ||
         (isDegree(path) && value.text == "1");
}

/// Whether a setting names data or a path of outputs, in any program.
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

/// Whether a setting inside a table switches the table off.
bool isSwitchedOff(const SettingValue& table) {
  for (const char* key : {"enable", "enabled"})
    if (const SettingValue* on = table.find(key); on && on->isFalse())
      return true;
  const SettingValue* const device = table.find("device");
  return device && isWordForOff(device->text) && device->kind == SettingValue::SettingKind::Text;
}

bool isDefault(const SettingValue& value, llvm::StringRef otherwise) {
  double given = 0, own = 0;
  if (value.kind == SettingValue::SettingKind::Number && !otherwise.getAsDouble(own) &&
      !llvm::StringRef(value.text).getAsDouble(given))
    return !(given < own || own < given);
  if (value.kind != SettingValue::SettingKind::List &&
      value.kind != SettingValue::SettingKind::Table)
    return value.text == otherwise;
  std::string list;
  for (const SettingEntry& entry : value.entries)
    list += (list.empty() ? "" : ", ") + entry.value.text;
  return otherwise == "[" + list + "]" || (value.entries.empty() && otherwise == "{}");
}

bool isWithout(llvm::StringRef path, const IgnorableSettings& neutral) {
  return llvm::any_of(neutral.without, [&](llvm::StringRef row) { return stands(row, path); });
}

/// The degrees, batch sizes and lengths that an unknown setting may be meant as. If its table has
/// no meaning for a plan, only names in that table count.
std::vector<std::string> meantSizes(llvm::StringRef path, const std::vector<std::string>& sizes,
                                    const IgnorableSettings& neutral) {
  if (neutral.defaults.of(path) || llvm::any_of(neutral.without, [&](llvm::StringRef row) {
        return row == path || (row.startswith("*.") && stands(row, path));
      }))
    return {};
  std::vector<std::string> out = misspelt(path, sizes);
  if (isWithout(path, neutral))
    llvm::erase_if(out, [&](llvm::StringRef size) { return !sameTable(size, path); });
  return out;
}

/// The question "did you mean `a`?" for a setting that is not a size.
std::string meantName(llvm::StringRef path, const std::vector<std::string>& all) {
  const std::vector<std::string> ofTable = misspeltTables(path, all);
  return didYouMean(ofTable.empty() ? misspelt(path, all) : ofTable, "");
}

} // namespace

void SettingsReader::leaves(const SettingValue& value, const std::string& path, bool off,
                            std::vector<Leaf>& out) const {
  if (readPaths.count(path) != 0 || value.kind == SettingValue::SettingKind::Null)
    return;
  const bool inner =
      (value.kind == SettingValue::SettingKind::Table ||
       value.kind == SettingValue::SettingKind::Call) &&
      llvm::any_of(value.entries, [](const SettingEntry& e) { return !e.key.empty(); });
  if (!inner && !path.empty() &&
      (value.kind != SettingValue::SettingKind::Table || !value.entries.empty())) {
    out.push_back({path, &value, off});
    return;
  }
  off |= isSwitchedOff(value);
  for (const SettingEntry& entry : value.entries)
    if (!entry.key.empty())
      leaves(entry.value, path.empty() ? entry.key : path + "." + entry.key, off, out);
}

std::string SettingsReader::rest(const IgnorableSettings& neutral) {
  std::vector<Leaf> open;
  leaves(root, "", false, open);
  const std::vector<std::string> all = knownNames(neutral), sizes = knownSizes(neutral);
  std::vector<std::string> unused;
  std::string differences;
  UnsupportedOptions unsaidOnes;
  for (const Leaf& leaf : open) {
    const llvm::StringRef path = leaf.path;
    const auto means = [&](llvm::StringRef row) { return stands(row, path); };
    const std::string name = oneLine(named(leaf.path));
    const std::optional<llvm::StringRef> known = neutral.defaults.of(path);
    const auto* const different =
        llvm::find_if(neutral.different, [&](const Difference& d) { return means(d.path); });
    if (!leaf.off && !unsaidOnes.many() && !meantSizes(path, sizes, neutral).empty())
      sizeUnknown(leaf, sizes);
    else if (leaf.off || namesAPlace(path) || isWithout(path, neutral) ||
             (known ? isDefault(*leaf.value, *known) : isOff(path, *leaf.value)))
      unused.push_back(name);
    else if (different != neutral.different.end())
      differences +=
          remark(fmt::format("`{} = {}`: {}", name, shown(*leaf.value), different->what));
    else if (isSize(path))
      sizeUnknown(leaf, sizes);
    else
      unsaidOnes.add(leaf.value->at, name, false, unsaidOnes.many() ? "" : meantName(path, all));
  }
  for (const auto& [path, at] : ignored)
    if (readPaths.count(path) == 0)
      if (const auto meant = meantSizes(path, sizes, neutral); !meant.empty())
        (void)diags.report<diag::ImportNotIgnored>(at, oneLine(path)).help(didYouMean(meant, ""));
  unsaidOnes.report(diags, "file");
  std::vector<std::string> without;
  for (const auto& [path, at] : ignored)
    without.push_back(path);
  return differences + remarksOf(unused, without);
}

/// The settings that the import reads, and those whose defaults it knows, in alphabetical order.
std::vector<std::string> SettingsReader::knownNames(const IgnorableSettings& neutral) const {
  std::set<std::string> out = readPaths;
  for (const llvm::StringRef path : neutral.defaults.settings())
    out.insert(path.str());
  return {out.begin(), out.end()};
}

/// The degrees, batch sizes and lengths among the known settings that have a meaning for a plan.
std::vector<std::string> SettingsReader::knownSizes(const IgnorableSettings& neutral) const {
  std::vector<std::string> out;
  for (const std::string& path : knownNames(neutral))
    if (isSize(path) && (readPaths.count(path) != 0 || !isWithout(path, neutral)))
      out.push_back(path);
  return out;
}

void SettingsReader::sizeUnknown(const Leaf& leaf, const std::vector<std::string>& sizes) {
  auto report = diags.report<diag::ImportSizeUnknown>(leaf.value->at, oneLine(named(leaf.path)),
                                                      shown(*leaf.value));
  std::vector<std::string> current = sizes;
  llvm::erase_if(current, [&](const std::string& size) {
    return earlier.count(size) != 0 && !sameTable(size, leaf.path);
  });
  if (const std::string meant = meantSize(leaf.path, current); !meant.empty())
    (void)std::move(report).help(meant);
}

bool SettingsReader::misspellsASize(const std::string& path) const {
  return readPaths.count(path) == 0 && !misspelt(path, knownSizes({WordTable(""), {}, {}})).empty();
}
