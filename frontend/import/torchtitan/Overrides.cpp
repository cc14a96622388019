//===- Overrides.cpp - Settings of torchtitan's command line ----------------------------------===//
#include "frontend/import/torchtitan/Overrides.h"
#include "frontend/import/torchtitan/WithoutEffect.h"
#include "support/Utf8.h"
#include "support/diagnostics/Tools.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <algorithm>
#include <fmt/format.h>

using namespace dpl;
using namespace dpl::imports;
using namespace dpl::imports::settings;
using SettingKind = SettingValue::SettingKind;

namespace {

bool isList(llvm::StringRef path) {
  const std::optional<llvm::StringRef> known = torchtitan::defaults().of(path);
  return (known && known->startswith("[")) || path == "parallelism.module_fqns_per_model_part";
}

SettingValue scalar(llvm::StringRef text, SourceRange at) {
  SettingValue out;
  double number = 0;
  const std::string small = text.lower();
  out.kind = small == "true" || small == "false" ? SettingKind::Truth
             : !text.getAsDouble(number)         ? SettingKind::Number
                                                 : SettingKind::Text;
  out.text = out.kind == SettingKind::Truth ? small : text.str(), out.at = at;
  return out;
}

SettingValue valueOf(llvm::StringRef path, llvm::StringRef text, SourceRange at) {
  if (!isList(path))
    return scalar(text, at);
  SettingValue list;
  list.kind = SettingKind::List, list.at = at;
  std::string words = text.trim("[]").str();
  std::replace(words.begin(), words.end(), ' ', ',');
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(words).split(parts, ',', -1, false);
  for (const llvm::StringRef part : parts)
    list.entries.push_back({"", scalar(part.trim("'\""), at)});
  return list;
}

/// Shortens a long name by removing its middle.
std::string shortened(const std::string& name) {
  constexpr std::size_t most = 60, kept = 28;
  return name.size() <= most
             ? oneLine(name)
             : oneLine(name.substr(0, kept) + "…" + name.substr(name.size() - kept));
}

/// The reason why no setting can have this path; empty if a setting can.
std::string refusalOf(const SettingsReader& set, const std::string& path) {
  llvm::SmallVector<llvm::StringRef, 8> parts;
  llvm::StringRef(path).split(parts, '.');
  if (parts.size() > deepestValue)
    return fmt::format("has {} parts, needed at most {}", parts.size(), deepestValue);
  if (llvm::is_contained(parts, ""))
    return "has an empty part, needed a section and a name, as in `--training.seq_len=4096`";
  const SettingValue* above = set.peek(parts.front());
  for (std::size_t i = 1; above && i < parts.size(); above = above->find(parts[i++]))
    if (above->kind == SettingKind::Truth || above->kind == SettingKind::Number ||
        above->kind == SettingKind::Text || above->kind == SettingKind::List)
      return fmt::format("is below `{}`, which is {}, needed a table",
                         shortened(llvm::join(llvm::makeArrayRef(parts).take_front(i), ".")),
                         above->kind == SettingKind::List ? "a list"
                                                          : "`" + shortened(above->text) + "`");
  return "";
}

} // namespace

LogicalResult dpl::imports::torchtitan::applyOverrides(SettingsReader& set,
                                                       const SourceManager& sources,
                                                       std::uint32_t file,
                                                       DiagnosticEngine& diags) {
  llvm::StringRef rest = sources.text(file), line;
  std::size_t count = 0;
  for (std::uint32_t begin = 0; !rest.empty(); begin += line.size() + 1) {
    std::tie(line, rest) = rest.split('\n');
    const SourceRange at{file, begin, begin + static_cast<std::uint32_t>(line.size())};
    if (++count > mostEntries)
      return diags.report<diag::UsageError>(at, fmt::format("more than {} overrides", mostEntries));
    auto [name, text] = line.drop_front(2).split('='); // removes `--`
    const bool flag = !line.contains('=');
    std::string path = name.str();
    std::replace(path.begin(), path.end(), '-', '_');
    if (const std::size_t no = path.rfind(".no_"); flag && no != std::string::npos) {
      path.erase(no + 1, 3);
      text = "false";
    }
    if (const std::string why = refusalOf(set, path); !why.empty())
      return diags.report<diag::UsageError>(at,
                                            fmt::format("`--{}` {}", shortened(name.str()), why));
    set.replace(path, valueOf(path, flag && text.empty() ? "true" : text, at));
  }
  return LogicalResult::success();
}
